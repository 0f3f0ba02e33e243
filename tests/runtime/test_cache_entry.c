/* The bytes of a disk cache's entry. */
#include "testing.h"

#include "cache_entry.h"
#include "signature.h"

static size_t build(unsigned char *out)
{
    const plait__cache_entry entry = {{"the key", 7}, {"signatures", 10}, {"\0binary\xFF", 8}};
    plait__cache_entry_header(out, &entry);
    memcpy(out + PLAIT__CACHE_HEADER, "the keysignatures\0binary\xFF", 25);
    return PLAIT__CACHE_HEADER + 25;
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    unsigned char bytes[200];
    size_t size = build(bytes);
    plait__cache_entry entry;
    assert_true(plait__cache_entry_parse(&entry, bytes, size));
    assert_int_equal(entry.key.size, 7);
    assert_memory_equal(entry.key.data, "the key", 7);
    assert_int_equal(entry.signatures.size, 10);
    assert_memory_equal(entry.signatures.data, "signatures", 10);
    assert_int_equal(entry.binary.size, 8);
    assert_memory_equal(entry.binary.data, "\0binary\xFF", 8);
    /* The layout is a format: other versions read it. */
    assert_memory_equal(bytes, "PLAITBIN\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\12\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0", 40);
}

static void every_cut_and_every_changed_bit_is_noticed(void **state)
{
    (void)state;
    unsigned char bytes[200];
    size_t size = build(bytes);
    plait__cache_entry entry;
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n + 1);
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        assert_false(plait__cache_entry_parse(&entry, cut, n));
        free(cut);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(plait__cache_entry_parse(&entry, bytes, size));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    bytes[size] = 0;
    assert_false(plait__cache_entry_parse(&entry, bytes, size + 1));
    assert_true(plait__cache_entry_parse(&entry, bytes, size));
}

static void an_empty_entry_is_an_entry(void **state)
{
    (void)state;
    const plait__cache_entry nothing = {{"", 0}, {"", 0}, {"", 0}};
    unsigned char bytes[PLAIT__CACHE_HEADER];
    plait__cache_entry_header(bytes, &nothing);
    plait__cache_entry entry;
    assert_true(plait__cache_entry_parse(&entry, bytes, sizeof bytes));
    assert_int_equal(entry.binary.size, 0);
}

/* Files made by tests/golden/make_cache_entry.py, which shares no code with the reader. */
static void files_of_others(void **state)
{
    (void)state;
    const char *const names[] = {"good", "empty", "bad_signatures", "bad_cut", "bad_bit", "bad_version", "bad_longer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        unsigned char bytes[1000];
        snprintf(path, sizeof path, PLAIT_GOLDEN "/cache_entry/%s.plait", names[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        plait__cache_entry entry;
        assert_int_equal(plait__cache_entry_parse(&entry, bytes, size), i < 3);
        plait__signatures s;
        if (i >= 3) {
            continue;
        }
        assert_int_equal(plait__signatures_decode(&s, entry.signatures.data, entry.signatures.size), i < 2);
        if (i == 0) {
            assert_int_equal(s.count, 3);
            assert_string_equal(s.kernels[0].params[1].type, "float4*");
            assert_true(s.kernels[0].variants[1] == UINT64_C(0xFEDCBA9876543210));
            assert_false(s.kernels[2].known);
        }
        plait__signatures_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(every_cut_and_every_changed_bit_is_noticed),
        cmocka_unit_test(files_of_others),
        cmocka_unit_test(an_empty_entry_is_an_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
