// The demo's own kernels: a photograph is RGB, three bytes a pixel, rows from the top.

// A Gaussian blur. A group of TILE x TILE work-items makes as many pixels: it loads them with a border of RADIUS into
// local memory, blurs along the rows, then along the columns. Built with -D TILE=... -D RADIUS=...
#define SIDE (TILE + 2 * RADIUS)

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void blur(global const uchar *src, global uchar *dst, int width, int height, constant float *weights,
          local float4 *tile, local float4 *rows)
{
    int lx = get_local_id(0), ly = get_local_id(1);
    int left = get_group_id(0) * TILE - RADIUS, top = get_group_id(1) * TILE - RADIUS;

    for (int y = ly; y < SIDE; y += TILE) {
        for (int x = lx; x < SIDE; x += TILE) {
            int sx = clamp(left + x, 0, width - 1), sy = clamp(top + y, 0, height - 1);
            tile[y * SIDE + x] = (float4)(convert_float3(vload3(sy * width + sx, src)), 0.0f);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int y = ly; y < SIDE; y += TILE) {
        float4 sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; k++) {
            sum += weights[k] * tile[y * SIDE + lx + k];
        }
        rows[y * TILE + lx] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float4 sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) {
        sum += weights[k] * rows[(ly + k) * TILE + lx];
    }
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) { // the grid is rounded up to whole groups
        vstore3(convert_uchar3_sat_rte(sum.xyz), y * width + x, dst);
    }
}

float brightness(global const uchar *src, int x, int y, int width, int height)
{
    int sx = clamp(x, 0, width - 1), sy = clamp(y, 0, height - 1);
    return dot(convert_float3(vload3(sy * width + sx, src)), (float3)(0.299f, 0.587f, 0.114f));
}

// Sobel's edge filter: how much the brightness changes around a pixel, as one byte.
kernel void edges(global const uchar *src, global uchar *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    float p[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            p[i][j] = brightness(src, x + j - 1, y + i - 1, width, height);
        }
    }
    float gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
    float gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
    dst[y * width + x] = convert_uchar_sat_rte(sqrt(gx * gx + gy * gy));
}
