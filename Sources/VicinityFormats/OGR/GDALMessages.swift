internal import CGDAL

/// Keeps GDAL's messages instead of printing them, and keeps GDAL off the network, between ``begin()`` and
/// ``end()``.
///
/// GDAL's error handlers, HTTP callbacks and settings are per thread, so messages of several threads stay
/// apart.
final class GDALMessages {
  /// The first warnings, in their order.
  private var warnings: [String] = []
  /// The first failure since the last ``clearFailure()``.
  private(set) var failure: String?

  private static let maximumWarnings = 20

  /// Settings that keep GDAL from writing beside its input.
  private static let settings: [(key: String, value: String)] = [
    ("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO"),
    ("GDAL_PAM_ENABLED", "NO"),
  ]
  private var replaced: [String?] = []

  func clearFailure() { failure = nil }

  /// Returns the warnings so far and forgets them.
  func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  private func add(_ level: CPLErr, _ message: String) {
    if level == CE_Failure || level == CE_Fatal {
      if failure == nil { failure = message }
    } else if level == CE_Warning {
      if warnings.count < Self.maximumWarnings { warnings.append(message) }
    }
  }

  /// Starts collecting on this thread; to be paired with ``end()``, on the same thread, innermost first.
  func begin() {
    failure = nil
    replaced = Self.settings.map { setting in
      // Copied first: setting the option frees its old text.
      let old = unsafe CPLGetThreadLocalConfigOption(setting.key, nil)
        .map { unsafe String(cString: $0) }
      unsafe CPLSetThreadLocalConfigOption(setting.key, setting.value)
      return old
    }
    // SAFETY: `self` outlives the handler, which `end` removes: every caller defers it at once.
    unsafe CPLPushErrorHandlerEx(
      { level, _, text in
        guard let me = unsafe CPLGetErrorHandlerUserData(), let text = unsafe text else { return }
        unsafe Unmanaged<GDALMessages>.fromOpaque(me).takeUnretainedValue()
          .add(level, String(cString: text))
      }, Unmanaged.passUnretained(self).toOpaque())
    // A GeoJSON file may name its reference system by a link, which OGR would follow.
    _ = unsafe CPLHTTPPushFetchCallback(
      { _, _, _, _, _, _, _ in
        // A null result would send GDAL on to the network; GDAL frees this one.
        let size = unsafe MemoryLayout<CPLHTTPResult>.size
        guard let memory = unsafe CPLCalloc(1, size) else { return nil }
        let result = unsafe memory.bindMemory(to: CPLHTTPResult.self, capacity: 1)
        unsafe result.pointee.nStatus = 1
        unsafe result.pointee.pszErrBuf = CPLStrdup("nothing is fetched over a network")
        return unsafe result
      }, nil)
  }

  /// Stops collecting and puts back what ``begin()`` replaced.
  func end() {
    _ = CPLHTTPPopFetchCallback()
    CPLPopErrorHandler()
    CPLErrorReset()
    for (setting, value) in zip(Self.settings, replaced) {
      unsafe CPLSetThreadLocalConfigOption(setting.key, value)
    }
  }
}
