/* Compiled three times: with REAL and SUFFIX set, and once of them with OpenMP. */
#include "reference.h"

#include <math.h>

#define PASTE_(name, suffix) name##_##suffix
#define PASTE(name, suffix) PASTE_(name, suffix)
#define NAME(name) PASTE(name, SUFFIX)

#ifdef _OPENMP
#define PARALLEL(clauses) _Pragma(#clauses)
#else
#define PARALLEL(clauses)
#endif

static int clamp_to(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

void NAME(blur)(const unsigned char *src, REAL *dst, int width, int height, const REAL *weights, int radius, REAL *rows)
{
    PARALLEL(omp parallel for)
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            REAL r = 0, g = 0, b = 0;
            for (int k = -radius; k <= radius; k++) {
                const unsigned char *p = src + 3 * ((size_t)y * (size_t)width + (size_t)clamp_to(x + k, width));
                const REAL w = weights[k + radius];
                r += w * (REAL)p[0];
                g += w * (REAL)p[1];
                b += w * (REAL)p[2];
            }
            REAL *q = rows + 3 * ((size_t)y * (size_t)width + (size_t)x);
            q[0] = r, q[1] = g, q[2] = b;
        }
    }
    const size_t row = 3 * (size_t)width;
    PARALLEL(omp parallel for)
    for (int y = 0; y < height; y++) {
        REAL *q = dst + (size_t)y * row;
        for (size_t i = 0; i < row; i++) {
            q[i] = 0;
        }
        for (int k = -radius; k <= radius; k++) {
            const REAL *p = rows + (size_t)clamp_to(y + k, height) * row;
            const REAL w = weights[k + radius];
            for (size_t i = 0; i < row; i++) {
                q[i] += w * p[i];
            }
        }
    }
}

static REAL brightness(const unsigned char *src, int x, int y, int width, int height)
{
    const size_t at = (size_t)clamp_to(y, height) * (size_t)width + (size_t)clamp_to(x, width);
    const unsigned char *p = src + 3 * at;
    return (REAL)0.299 * (REAL)p[0] + (REAL)0.587 * (REAL)p[1] + (REAL)0.114 * (REAL)p[2];
}

void NAME(edges)(const unsigned char *src, REAL *dst, int width, int height)
{
    PARALLEL(omp parallel for)
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            REAL p[3][3];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    p[i][j] = brightness(src, x + j - 1, y + i - 1, width, height);
                }
            }
            const REAL gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
            const REAL gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
            const REAL size = (REAL)sqrt((double)(gx * gx + gy * gy));
            dst[(size_t)y * (size_t)width + (size_t)x] = size > 255 ? 255 : size;
        }
    }
}

void NAME(sharpen)(const unsigned char *a, const unsigned char *b, REAL *dst, size_t n)
{
    PARALLEL(omp parallel for)
    for (size_t i = 0; i < n; i++) {
        const REAL v = (REAL)a[i] + (REAL)1.5 * ((REAL)a[i] - (REAL)b[i]);
        dst[i] = v < 0 ? 0 : v > 255 ? 255 : v;
    }
}

void NAME(normalise_photo)(const unsigned char *src, REAL *dst, size_t pixels)
{
    for (size_t c = 0; c < 3; c++) {
        double sum = 0, squares = 0;
        PARALLEL(omp parallel for reduction(+ : sum))
        for (size_t i = 0; i < pixels; i++) {
            sum += (double)src[3 * i + c];
        }
        const double mean = sum / (double)pixels;
        PARALLEL(omp parallel for reduction(+ : squares))
        for (size_t i = 0; i < pixels; i++) {
            squares += ((double)src[3 * i + c] - mean) * ((double)src[3 * i + c] - mean);
        }
        const double deviation = sqrt(squares / (double)pixels);
        PARALLEL(omp parallel for)
        for (size_t i = 0; i < pixels; i++) {
            dst[3 * i + c] = ((REAL)src[3 * i + c] - (REAL)mean) / (REAL)deviation;
        }
    }
}

double NAME(mean_square)(const unsigned char *a, const unsigned char *b, size_t n)
{
    double sum = 0;
    PARALLEL(omp parallel for reduction(+ : sum))
    for (size_t i = 0; i < n; i++) {
        const double difference = (double)a[i] - (double)b[i];
        sum += difference * difference;
    }
    return sum / (double)n;
}

void NAME(extremes)(const float *x, REAL *low, REAL *high, REAL *mean, size_t n, size_t d)
{
    PARALLEL(omp parallel for)
    for (size_t j = 0; j < d; j++) {
        double sum = 0;
        float least = x[j], most = x[j];
        for (size_t i = 0; i < n; i++) {
            const float v = x[i * d + j];
            sum += (double)v;
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
        low[j] = (REAL)least;
        high[j] = (REAL)most;
        mean[j] = (REAL)(sum / (double)n);
    }
}

void NAME(normalise_table)(const float *x, REAL *dst, size_t n, size_t d)
{
    PARALLEL(omp parallel for)
    for (size_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) {
            sum += (double)x[i * d + j];
        }
        const double mean = sum / (double)n;
        for (size_t i = 0; i < n; i++) {
            squares += ((double)x[i * d + j] - mean) * ((double)x[i * d + j] - mean);
        }
        const double deviation = sqrt(squares / (double)n);
        for (size_t i = 0; i < n; i++) {
            dst[i * d + j] = ((REAL)x[i * d + j] - (REAL)mean) / (REAL)deviation;
        }
    }
}

void NAME(descend)(const REAL *x, const REAL *y, size_t n, size_t d, int steps, double rate, REAL *w)
{
    for (size_t j = 0; j < d; j++) {
        w[j] = 0;
    }
    for (int step = 0; step < steps; step++) {
        double gradient[REFERENCE_MAX_COLUMNS] = {0};
        PARALLEL(omp parallel for reduction(+ : gradient[:REFERENCE_MAX_COLUMNS]))
        for (size_t i = 0; i < n; i++) {
            REAL residual = -y[i];
            for (size_t j = 0; j < d; j++) {
                residual += x[i * d + j] * w[j];
            }
            for (size_t j = 0; j < d; j++) {
                gradient[j] += (double)(x[i * d + j] * residual);
            }
        }
        for (size_t j = 0; j < d; j++) {
            w[j] -= (REAL)(rate / (double)n * gradient[j]);
        }
    }
}
