/// SIMD vectors serve as arrays on the stack for the kernels: `InlineArray` needs the system of 2026.
extension SIMD where Scalar == Float {
  /// Calls `body` with the address of the first scalar; the others follow it.
  @inlinable @inline(__always)
  package mutating func withUnsafeFloats<R>(_ body: (UnsafeMutablePointer<Float>) -> R) -> R {
    unsafe withUnsafeMutableBytes(of: &self) { bytes in
      // SAFETY: a vector is never empty, and is laid out as its scalars in a row.
      unsafe body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Float.self))
    }
  }
}
