// A mean over 3 x 3 pixels. A group loads its tile with a border of one pixel into local memory and reads it from
// there nine times. W x H work-items a group; the grid is rounded up, so the bounds are checked.
kernel void blur(global const float *src, global float *dst, int width, int height, local float *tile)
{
    int x = get_global_id(0), y = get_global_id(1);
    int w = get_local_size(0), h = get_local_size(1), side = w + 2;
    int left = get_group_id(0) * w - 1, top = get_group_id(1) * h - 1;

    for (int ty = get_local_id(1); ty < h + 2; ty += h) {
        for (int tx = get_local_id(0); tx < side; tx += w) {
            tile[ty * side + tx] = src[clamp(top + ty, 0, height - 1) * width + clamp(left + tx, 0, width - 1)];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += tile[(get_local_id(1) + i) * side + get_local_id(0) + j];
        }
    }
    if (x < width && y < height) {
        dst[y * width + x] = sum / 9;
    }
}
