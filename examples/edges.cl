// Sobel's edge filter on gray floats: how much the brightness changes around each pixel.
float at(global const float *src, int x, int y, int width, int height)
{
    return src[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

kernel void edges(global const float *src, global float *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float gx = 0, gy = 0;
    for (int i = -1; i <= 1; i++) {
        int weight = 2 - abs(i);
        gx += weight * (at(src, x + 1, y + i, width, height) - at(src, x - 1, y + i, width, height));
        gy += weight * (at(src, x + i, y + 1, width, height) - at(src, x + i, y - 1, width, height));
    }
    dst[y * width + x] = sqrt(gx * gx + gy * gy);
}
