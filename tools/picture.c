#include "picture.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void picture_free(picture *p)
{
    free(p->data);
    *p = (picture){0};
}

#ifdef HAVE_LIBPNG

#include <png.h>

/* Everything that must survive libpng's longjmp lives here, not in a register. */
typedef struct session {
    png_structp png;
    png_infop info;
    FILE *file;
    const char *path;
    char *error;
    bool writing;
    png_bytep *rows;
    picture picture;
} session;

static void on_error(png_structp png, png_const_charp message)
{
    session *s = png_get_error_ptr(png);
    snprintf(s->error, PICTURE_ERROR_SIZE, "%s: %s (%s)", s->path,
             s->writing ? "the picture cannot be written" : "not a whole PNG picture", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* The table of row pointers into s->picture.data, whose size is computed here. */
static void lay_rows(session *s, bool allocate)
{
    picture *p = &s->picture;
    const size_t row = p->width * p->channels * (p->bits / 8);
    if (row / p->channels / (p->bits / 8) != p->width || (p->height != 0 && row > (size_t)PTRDIFF_MAX / p->height)) {
        png_error(s->png, "too large");
    }
    p->bytes = row * p->height;
    if (allocate) {
        p->data = malloc(p->bytes);
    }
    s->rows = malloc(p->height * sizeof(png_bytep));
    if (p->data == NULL || s->rows == NULL) {
        png_error(s->png, "out of memory");
    }
    for (size_t y = 0; y < p->height; y++) {
        s->rows[y] = (png_bytep)p->data + y * row;
    }
}

static void read_all(session *s)
{
    png_init_io(s->png, s->file);
    png_read_info(s->png, s->info);
    png_set_expand(s->png);
    if (png_get_bit_depth(s->png, s->info) == 16 && little_endian()) {
        png_set_swap(s->png);
    }
    png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
    s->picture.width = png_get_image_width(s->png, s->info);
    s->picture.height = png_get_image_height(s->png, s->info);
    s->picture.channels = png_get_channels(s->png, s->info);
    s->picture.bits = png_get_bit_depth(s->png, s->info);
    lay_rows(s, true);
    png_read_image(s->png, s->rows);
    png_read_end(s->png, NULL);
}

static void write_all(session *s)
{
    static const int color[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    png_init_io(s->png, s->file);
    /* A quick compression: a picture is written to be looked at, and often. */
    png_set_compression_level(s->png, 3);
    png_set_IHDR(s->png, s->info, (png_uint_32)s->picture.width, (png_uint_32)s->picture.height, (int)s->picture.bits,
                 color[s->picture.channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(s->png, s->info);
    if (s->picture.bits == 16 && little_endian()) {
        png_set_swap(s->png);
    }
    lay_rows(s, false);
    png_write_image(s->png, s->rows);
    png_write_end(s->png, NULL);
}

/* Runs `work` where libpng's errors land; true if there was none. */
static bool attempt(session *s, void (*work)(session *s))
{
    if (setjmp(png_jmpbuf(s->png))) {
        return false;
    }
    work(s);
    return true;
}

bool picture_read(const char *path, picture *out, char error[PICTURE_ERROR_SIZE])
{
    *out = (picture){0};
    session s = {.path = path, .error = error, .file = fopen(path, "rb")};
    if (s.file == NULL) {
        snprintf(error, PICTURE_ERROR_SIZE, "%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
    s.info = s.png == NULL ? NULL : png_create_info_struct(s.png);
    bool ok = false;
    if (s.info == NULL) {
        snprintf(error, PICTURE_ERROR_SIZE, "%s: out of memory", path);
    } else {
        ok = attempt(&s, read_all);
    }
    png_destroy_read_struct(&s.png, &s.info, NULL);
    free(s.rows);
    fclose(s.file);
    if (ok) {
        *out = s.picture;
    } else {
        free(s.picture.data);
    }
    return ok;
}

bool picture_write(const char *path, const picture *in, char error[PICTURE_ERROR_SIZE])
{
    if (in->width == 0 || in->height == 0 || in->width > INT32_MAX || in->height > INT32_MAX || in->channels < 1 ||
        in->channels > 4 || (in->bits != 8 && in->bits != 16)) {
        snprintf(error, PICTURE_ERROR_SIZE,
                 "%s: a PNG picture has at least one pixel, 1 to 4 channels and 8 or 16 bits; this one is %zux%zu, "
                 "%u channels, %u bits",
                 path, in->height, in->width, in->channels, in->bits);
        return false;
    }
    session s = {.path = path, .error = error, .writing = true, .picture = *in, .file = fopen(path, "wb")};
    if (s.file == NULL) {
        snprintf(error, PICTURE_ERROR_SIZE, "%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    s.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
    s.info = s.png == NULL ? NULL : png_create_info_struct(s.png);
    bool ok = false;
    if (s.info == NULL) {
        snprintf(error, PICTURE_ERROR_SIZE, "%s: out of memory", path);
    } else {
        ok = attempt(&s, write_all);
    }
    png_destroy_write_struct(&s.png, &s.info);
    free(s.rows);
    if (fclose(s.file) != 0 && ok) {
        snprintf(error, PICTURE_ERROR_SIZE, "%s cannot be written: %s", path, strerror(errno));
        ok = false;
    }
    if (!ok) {
        remove(path);
    }
    return ok;
}

#else

static bool unavailable(const char *path, char error[PICTURE_ERROR_SIZE])
{
    snprintf(error, PICTURE_ERROR_SIZE, "%s: this build has no PNG support (libpng was missing when it was made)",
             path);
    return false;
}

bool picture_read(const char *path, picture *out, char error[PICTURE_ERROR_SIZE])
{
    *out = (picture){0};
    return unavailable(path, error);
}

bool picture_write(const char *path, const picture *in, char error[PICTURE_ERROR_SIZE])
{
    (void)in;
    return unavailable(path, error);
}

#endif
