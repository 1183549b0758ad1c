#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What fits need of the C library, in one place.
enum CalibrationMath {
  static func log10(_ x: Double) -> Double { logarithm(x) / logarithm(10) }
  static func power10(_ x: Double) -> Double { exponential(x * logarithm(10)) }
  static func logarithm(_ x: Double) -> Double { log(x) }
  static func cubeRoot(_ x: Double) -> Double { cbrt(x) }
  static func exponential(_ x: Double) -> Double { exp(x) }
  static func cosine(_ x: Double) -> Double { cos(x) }
  static func sine(_ x: Double) -> Double { sin(x) }
}
