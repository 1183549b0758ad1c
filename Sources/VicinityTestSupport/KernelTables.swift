package import CPortableKernels
package import CVicinityKernels

/// The kernels of one width: 0 for four lanes, 1 for eight, 2 for sixteen; -1 for the portable build.
package func kernels(_ width: Int32) -> vk_kernels {
  unsafe width < 0 ? portable_kernels().pointee : vk_kernels_of(width).pointee
}

/// All widths that this machine has, the portable build first.
package let allWidths = -1...vk_widest()

/// The portable build of the kernels that inline into Swift.
package var portable: inline_kernels { unsafe portable_inline_kernels().pointee }
