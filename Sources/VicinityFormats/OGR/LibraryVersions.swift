internal import CGDAL

#if canImport(CGEOS)
  internal import CGEOS
#endif

/// The versions of the system libraries that read files, as they are loaded now.
package enum LibraryVersions {
  /// GDAL's, such as "3.6.2".
  package static var gdal: String {
    // SAFETY: GDAL returns text that it keeps, NUL-terminated.
    unsafe GDALVersionInfo("RELEASE_NAME").map { unsafe String(cString: $0) } ?? "of unknown version"
  }

  /// PROJ's, as GDAL has loaded it.
  package static var proj: String {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    unsafe OSRGetPROJVersion(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }

  /// GEOS's; nil in a build without it.
  package static var geos: String? {
    #if canImport(CGEOS)
      // SAFETY: GEOS returns a constant, NUL-terminated. After the version of GEOS stands that of its C
      // interface.
      unsafe GEOSversion().map { unsafe String(String(cString: $0).prefix { $0 != "-" }) }
    #else
      nil
    #endif
  }
}
