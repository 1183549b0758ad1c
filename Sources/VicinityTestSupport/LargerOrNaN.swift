/// The larger of two numbers; NaN when either is.
///
/// The standard library's `max` drops a NaN that stands on one side, so that a test that keeps the worst
/// error of many would pass where an error is NaN.
public func largerOrNaN(_ a: Double, _ b: Double) -> Double { a.isNaN || a > b ? a : b }
