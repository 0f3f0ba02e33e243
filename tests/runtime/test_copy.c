/*
 * Boxes against a plain loop over bytes.
 */
#include "device_testing.h"

#include <plait/buffer.h>

#define BYTES 4096

static plait_ctx *ctx;
static plait_queue *queue;

static uint32_t random_state;

static size_t below(size_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return n == 0 ? 0 : (random_state >> 8) % n;
}

static void settled(plait_box *box, const size_t extent[3])
{
    box->row_pitch = box->row_pitch == 0 ? extent[0] : box->row_pitch;
    box->slice_pitch = box->slice_pitch == 0 ? box->row_pitch * extent[1] : box->slice_pitch;
}

static size_t at(const plait_box *box, size_t x, size_t y, size_t z)
{
    return box->offset + z * box->slice_pitch + y * box->row_pitch + x;
}

static void plain_copy(unsigned char *to, plait_box to_box, const unsigned char *from, plait_box from_box,
                       const size_t extent[3])
{
    settled(&to_box, extent);
    settled(&from_box, extent);
    for (size_t z = 0; z < extent[2]; z++) {
        for (size_t y = 0; y < extent[1]; y++) {
            for (size_t x = 0; x < extent[0]; x++) {
                to[at(&to_box, x, y, z)] = from[at(&from_box, x, y, z)];
            }
        }
    }
}

static size_t end_of(plait_box box, const size_t extent[3])
{
    settled(&box, extent);
    return at(&box, extent[0] - 1, extent[1] - 1, extent[2] - 1) + 1;
}

/* A box of this extent that lies in BYTES: packed, padded, or with slices that are no whole number of rows. */
static plait_box random_box(const size_t extent[3])
{
    plait_box box;
    do {
        box = (plait_box){0, 0, 0};
        size_t kind = below(4);
        if (kind > 0) {
            box.row_pitch = extent[0] + below(20);
        }
        if (kind > 1) {
            size_t plane = box.row_pitch * (extent[1] - 1) + extent[0];
            box.slice_pitch = kind == 2 ? box.row_pitch * (extent[1] + below(3)) : plane + below(50);
        }
        size_t end = end_of(box, extent);
        box.offset = end <= BYTES ? below(BYTES - end + 1) : 0;
    } while (end_of(box, extent) > BYTES);
    return box;
}

static void random_extent(size_t extent[3])
{
    extent[0] = 1 + below(40);
    extent[1] = 1 + (below(3) > 0 ? below(9) : 0);
    extent[2] = 1 + (below(3) > 0 ? below(6) : 0);
}

static void fill_random(unsigned char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        data[i] = (unsigned char)below(256);
    }
}

static void boxes_go_where_a_plain_loop_puts_them(void **state)
{
    (void)state;
    plait_buffer *a, *b;
    assert_ok(plait_buffer_create(&a, ctx, BYTES, NULL));
    assert_ok(plait_buffer_create(&b, ctx, BYTES, NULL));
    static unsigned char in_a[BYTES], in_b[BYTES], host[BYTES], out[BYTES];
    fill_random(in_a, BYTES);
    fill_random(in_b, BYTES);
    assert_ok(plait_buffer_write(queue, a, 0, in_a, BYTES));
    assert_ok(plait_buffer_write(queue, b, 0, in_b, BYTES));
    for (random_state = 1; random_state < 4000;) {
        uint32_t seed = random_state;
        size_t extent[3];
        random_extent(extent);
        plait_box box1 = random_box(extent), box2 = random_box(extent);
        plait_event *event = NULL;
        fill_random(host, BYTES);
        memcpy(out, host, BYTES);
        switch (seed % 3) {
        case 0:
            assert_ok(plait_buffer_write_box(queue, a, box1, host, box2, extent));
            plain_copy(in_a, box1, host, box2, extent);
            break;
        case 1:
            assert_ok(plait_buffer_read_box(queue, a, box1, out, box2, extent));
            plain_copy(host, box2, in_a, box1, extent);
            assert_memory_equal(out, host, BYTES);
            break;
        case 2:
            assert_ok(plait_buffer_copy_box(queue, b, box1, a, box2, extent, &event));
            plain_copy(in_b, box1, in_a, box2, extent);
            assert_ok(plait_event_wait(event));
            plait_event_release(event);
            break;
        }
        random_state = seed + 7;
        assert_ok(plait_buffer_read(queue, seed % 3 == 2 ? b : a, 0, out, BYTES));
        if (memcmp(out, seed % 3 == 2 ? in_b : in_a, BYTES) != 0) {
            fail_msg("seed %u: extent %zu x %zu x %zu, boxes (%zu, %zu, %zu) and (%zu, %zu, %zu)", (unsigned)seed,
                     extent[0], extent[1], extent[2], box1.offset, box1.row_pitch, box1.slice_pitch, box2.offset,
                     box2.row_pitch, box2.slice_pitch);
        }
    }
    plait_buffer_release(a);
    plait_buffer_release(b);
}

/* Within one buffer: refused exactly where the two sets of bytes meet, right everywhere else. */
static void boxes_within_one_buffer(void **state)
{
    (void)state;
    plait_buffer *a;
    assert_ok(plait_buffer_create(&a, ctx, BYTES, NULL));
    static unsigned char model[BYTES], out[BYTES], marks[BYTES];
    fill_random(model, BYTES);
    assert_ok(plait_buffer_write(queue, a, 0, model, BYTES));
    size_t refused = 0, copied = 0, woven = 0;
    for (random_state = 1; random_state < 6000;) {
        uint32_t seed = random_state;
        size_t extent[3];
        random_extent(extent);
        plait_box to = random_box(extent), from = random_box(extent);
        if (seed % 2 == 0) { /* rows of one between rows of the other */
            from.row_pitch = to.row_pitch = 2 * extent[0] + below(5);
            from.slice_pitch = to.slice_pitch = from.row_pitch * extent[1];
            from.offset = below(20);
            to.offset = from.offset + extent[0] + below(2);
            if (end_of(to, extent) > BYTES) {
                random_state = seed + 11;
                continue;
            }
        }
        plait_box f = from, t = to;
        settled(&f, extent);
        settled(&t, extent);
        memset(marks, 0, sizeof marks);
        bool meet = false;
        for (size_t pass = 0; pass < 2; pass++) {
            for (size_t z = 0; z < extent[2]; z++) {
                for (size_t y = 0; y < extent[1]; y++) {
                    for (size_t x = 0; x < extent[0]; x++) {
                        size_t i = at(pass == 0 ? &f : &t, x, y, z);
                        meet = meet || (pass == 1 && marks[i]);
                        marks[i] = pass == 0;
                    }
                }
            }
        }
        if (meet) {
            assert_fails(plait_buffer_copy_box(queue, a, to, a, from, extent, NULL), PLAIT_E_RANGE, "overlap");
            refused++;
        } else {
            assert_ok(plait_buffer_copy_box(queue, a, to, a, from, extent, NULL));
            plain_copy(model, to, model, from, extent);
            copied++;
            woven += end_of(from, extent) > to.offset && end_of(to, extent) > from.offset;
        }
        assert_ok(plait_buffer_read(queue, a, 0, out, BYTES));
        if (memcmp(out, model, BYTES) != 0) {
            fail_msg("seed %u", (unsigned)seed);
        }
        random_state = seed + 11;
    }
    assert_true(refused > 50 && copied > 50 && woven > 20); /* the test tests something */
    plait_buffer_release(a);
}

static void empty_boxes_move_nothing(void **state)
{
    (void)state;
    plait_buffer *a;
    assert_ok(plait_buffer_create(&a, ctx, 100, NULL));
    const plait_box box = {50, 0, 0}, outside = {1000, 3, 1};
    const size_t extents[3][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}};
    for (size_t i = 0; i < 3; i++) {
        plait_event *event;
        assert_ok(plait_buffer_write_box(queue, a, box, NULL, box, extents[i]));
        assert_ok(plait_buffer_read_box(queue, a, outside, NULL, box, extents[i]));
        assert_ok(plait_buffer_copy_box(queue, a, box, a, box, extents[i], &event));
        assert_ok(plait_event_wait(event));
        plait_event_release(event);
    }
    plait_buffer_release(a);
}

static void boxes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    plait_buffer *a, *b;
    assert_ok(plait_buffer_create(&a, ctx, 1000, NULL));
    assert_ok(plait_buffer_create(&b, ctx, 1000, NULL));
    static unsigned char host[1000], out[1000], model[1000];
    memset(model, 'm', sizeof model);
    assert_ok(plait_buffer_write(queue, a, 0, model, sizeof model));
    const size_t extent[3] = {10, 10, 10};
    const plait_box good = {0, 0, 0};
    const struct {
        plait_box box;
        plait_status status;
        const char *words;
    } wrong[] = {
        {{1, 0, 0}, PLAIT_E_RANGE, "10 x 10 x 10"},
        {{0, 11, 0}, PLAIT_E_RANGE, "which has 1000 bytes"},
        {{0, 10, 101}, PLAIT_E_RANGE, "which has 1000 bytes"},
        {{0, 9, 0}, PLAIT_E_ARGUMENT, "row pitch"},
        {{0, 1, 1}, PLAIT_E_ARGUMENT, "row pitch"},
        {{0, 10, 99}, PLAIT_E_ARGUMENT, "slice pitch"},
        {{0, 0, 50}, PLAIT_E_ARGUMENT, "slice pitch"},
        {{SIZE_MAX, 0, 0}, PLAIT_E_RANGE, "offset"},
        {{0, SIZE_MAX, 0}, PLAIT_E_RANGE, "offset"},
        {{0, 0, SIZE_MAX}, PLAIT_E_RANGE, "offset"},
        {{SIZE_MAX - 999, 0, 0}, PLAIT_E_RANGE, "offset"},
        {{0, SIZE_MAX / 9, 0}, PLAIT_E_RANGE, "offset"},
        {{0, SIZE_MAX / 10, SIZE_MAX / 10}, PLAIT_E_ARGUMENT, "slice pitch"},
        {{0, 0, SIZE_MAX / 9 + 1}, PLAIT_E_RANGE, "offset"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plait_event *event = (plait_event *)&event;
        assert_fails(plait_buffer_write_box(queue, a, wrong[i].box, host, good, extent), wrong[i].status,
                     wrong[i].words);
        assert_fails(plait_buffer_read_box(queue, a, wrong[i].box, host, good, extent), wrong[i].status,
                     wrong[i].words);
        assert_fails(plait_buffer_copy_box(queue, a, wrong[i].box, b, good, extent, &event), wrong[i].status,
                     wrong[i].words);
        assert_null(event);
        assert_fails(plait_buffer_copy_box(queue, b, good, a, wrong[i].box, extent, NULL), wrong[i].status,
                     wrong[i].words);
    }
    /* The host's side has no known end, but its pitches are checked. */
    assert_fails(plait_buffer_write_box(queue, a, good, host, (plait_box){0, 9, 0}, extent), PLAIT_E_ARGUMENT, "src");
    assert_fails(plait_buffer_read_box(queue, a, good, host, (plait_box){0, 10, 99}, extent), PLAIT_E_ARGUMENT, "dst");
    assert_fails(plait_buffer_read_box(queue, a, good, host, (plait_box){0, SIZE_MAX / 2, 0}, extent), PLAIT_E_RANGE,
                 "dst");
    const size_t huge[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    assert_fails(plait_buffer_write_box(queue, a, good, host, good, huge), PLAIT_E_RANGE, "src");
    assert_fails(plait_buffer_copy_box(queue, a, good, b, good, huge, NULL), PLAIT_E_RANGE, "dst");
    assert_ok(plait_buffer_read(queue, a, 0, out, sizeof out));
    assert_memory_equal(out, model, sizeof model);
    plait_buffer_release(a);
    plait_buffer_release(b);
}

int main(void)
{
    ctx = open_or_skip();
    queue = plait_ctx_queue(ctx);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_go_where_a_plain_loop_puts_them),
        cmocka_unit_test(boxes_within_one_buffer),
        cmocka_unit_test(empty_boxes_move_nothing),
        cmocka_unit_test(boxes_that_make_no_sense_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return plait_close(ctx) == PLAIT_OK ? failed : 1;
}
