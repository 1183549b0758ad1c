// Included once for each build of the kernels: the table of those that inline into Swift.
static const inline_kernels inline_table = {
    vk_argmin, vk_take16, vk_next16, vk_put, vk_push, vk_node_bounds, vk_leaf_bounds, vk_near_bounds,
    vk_raise_node_bounds, vk_raise_leaf_bounds,
    vk_partition, vk_partition_near, vk_below16, vk_best_child, vk_sort16_at, vk_sort32, vk_merge, vk_merge_tagged, vk_center16, vk_insert,
    vk_boundary_bounds, vk_near_boundary_bounds, vk_project_circles, vk_plane_bounds, vk_below,
    vk_partition_plane, vk_candidate_circles, vk_intersecting_circles, vk_advances,
};
const inline_kernels *INLINE_KERNELS_NAME(void) { return &inline_table; }
