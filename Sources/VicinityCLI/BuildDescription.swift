internal import CVicinityKernels
import VicinityFormats

/// What `vicinity --version` prints: the version on the first line, then what the program was built with and
/// runs on.
enum BuildDescription {
  static let version = "0.1.0"

  static var text: String {
    """
    vicinity \(version)
    Swift: \(compiler)
    GDAL: \(LibraryVersions.gdal)
    GEOS: \(LibraryVersions.geos ?? "not built in")
    PROJ: \(LibraryVersions.proj)
    processor: \(processor), \(vectors)
    licence: Apache-2.0
    """
  }

  /// The compiler's version. Swift tells its own source only whether it is at least some version.
  private static var compiler: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3.4)
      "6.3.4 or later"
    #elseif compiler(>=6.3.3)
      "6.3.3"
    #elseif compiler(>=6.3.2)
      "6.3.2"
    #elseif compiler(>=6.3.1)
      "6.3.1"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  private static var processor: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "of another kind"
    #endif
  }

  /// The vectors that the kernels have chosen on this machine.
  private static var vectors: String {
    #if arch(x86_64)
      switch vk_widest() {
      case 2: "vectors of 16 floats (AVX-512)"
      case 1: "vectors of 8 floats (AVX2)"
      default: "vectors of 4 floats (SSE2)"
      }
    #elseif arch(arm64)
      "vectors of 4 floats (NEON)"
    #else
      "vectors of 4 floats"
    #endif
  }
}
