internal import CGDAL

/// What GDAL says while a piece of work runs, kept instead of printed.
///
/// GDAL's error handlers form a stack per thread, so reading on several threads keeps messages apart.
final class GDALMessages {
  /// The warnings, in their order; the first few.
  private(set) var warnings: [String] = []
  /// How many warnings there were.
  private(set) var warningCount = 0
  /// The first failure.
  private(set) var failure: String?

  private static let maximumWarnings = 20

  /// Forgets everything.
  func reset() {
    warnings = []
    warningCount = 0
    failure = nil
  }

  private func add(_ level: CPLErr, _ message: String) {
    if level == CE_Failure || level == CE_Fatal {
      if failure == nil { failure = message }
    } else if level == CE_Warning {
      warningCount += 1
      if warnings.count < Self.maximumWarnings { warnings.append(message) }
    }
  }

  /// Runs `body` with GDAL's messages going to this object, and with settings under which GDAL writes
  /// nothing beside the files it reads.
  func collect<R>(_ body: () throws -> R) rethrows -> R {
    _ = GDALSettings.registered
    let previous = GDALSettings.apply()
    defer { GDALSettings.restore(previous) }
    // SAFETY: the handler is popped before `self` can end, and runs on this thread only.
    unsafe CPLPushErrorHandlerEx(
      { level, _, text in
        guard let me = unsafe CPLGetErrorHandlerUserData(), let text = unsafe text else { return }
        unsafe Unmanaged<GDALMessages>.fromOpaque(me).takeUnretainedValue()
          .add(level, String(cString: text))
      }, Unmanaged.passUnretained(self).toOpaque())
    defer {
      CPLPopErrorHandler()
      CPLErrorReset()
    }
    return try withExtendedLifetime(self) { try body() }
  }
}

/// GDAL's drivers and settings, as every reader here needs them.
enum GDALSettings {
  /// Registers GDAL's drivers, once per process.
  static let registered: Void = GDALAllRegister()

  /// Settings that keep GDAL from writing beside its input and from reaching for the network.
  private static let settings: [(key: String, value: String)] = [
    ("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO"),
    ("GDAL_PAM_ENABLED", "NO"),
    ("GDAL_HTTP_MAX_RETRY", "0"),
    ("GDAL_HTTP_CONNECTTIMEOUT", "1"),
    ("OGR_GEOJSON_MAX_OBJ_SIZE", "1000"),
    // A tolerance for geometry that GDAL would otherwise drop or bend in silence.
    ("OGR_ORGANIZE_POLYGONS", "DEFAULT"),
  ]

  /// Applies the settings to this thread and returns what they replaced.
  fileprivate static func apply() -> [String?] {
    settings.map { setting in
      let old = unsafe CPLGetThreadLocalConfigOption(setting.key, nil)
      let text = unsafe old.map { unsafe String(cString: $0) }
      unsafe CPLSetThreadLocalConfigOption(setting.key, setting.value)
      return text
    }
  }

  /// Puts back what `apply` replaced.
  fileprivate static func restore(_ previous: [String?]) {
    for (setting, value) in zip(settings, previous) {
      unsafe CPLSetThreadLocalConfigOption(setting.key, value)
    }
  }
}
