#include "testing.h"

#include "hash.h"

static void known_answers(void **state)
{
    (void)state;
    /* MurmurHash3_x64_128, seed 0, as the reference code prints it: h1 then h2. */
    char text[33];
    plait__hash_hex(text, plait__hash("", 0));
    assert_string_equal(text, "00000000000000000000000000000000");
    plait__hash_hex(text, plait__hash("hello", 5));
    assert_string_equal(text, "cbd8a7b341bd9b025b1e906a48ae1d19");
    const char *fox = "The quick brown fox jumps over the lazy dog";
    plait__hash_hex(text, plait__hash(fox, strlen(fox)));
    assert_string_equal(text, "e34bbc7bbc071b6c7a433ca9c49a9347");
    assert_true(plait__checksum64("hello", 5) == 0xcbd8a7b341bd9b02u);

    /* The reference's own verification: hashes of {}, {0}, {0,1}, ... with seeds 256, 255, ..., hashed together. */
    uint8_t key[256];
    plait__hash128 hashes[256];
    for (unsigned i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        plait__hasher h;
        plait__hash_init(&h, 256 - i);
        plait__hash_add(&h, key, i);
        hashes[i] = plait__hash_end(&h);
    }
    assert_int_equal((uint32_t)plait__hash(hashes, sizeof hashes).h[0], 0x6384BA69u);
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    uint8_t data[300];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 37 + 11);
    }
    for (size_t size = 0; size <= sizeof data; size += 7) {
        plait__hash128 whole = plait__hash(data, size);
        for (size_t step = 1; step < 40; step += 3) {
            plait__hasher h;
            plait__hash_init(&h, 0);
            for (size_t at = 0; at < size; at += step) {
                plait__hash_add(&h, data + at, size - at < step ? size - at : step);
                plait__hash_add(&h, NULL, 0);
            }
            assert_true(plait__hash_equal(plait__hash_end(&h), whole));
        }
    }
}

static void every_bit_matters(void **state)
{
    (void)state;
    uint8_t data[64] = {0};
    plait__hash128 zero = plait__hash(data, sizeof data);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_false(plait__hash_equal(plait__hash(data, sizeof data), zero));
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    assert_false(plait__hash_equal(plait__hash(data, 63), zero));
}

static void texts_carry_their_length(void **state)
{
    (void)state;
    plait__hasher a, b;
    plait__hash_init(&a, 0);
    plait__hash_init(&b, 0);
    plait__hash_add_text(&a, "ab");
    plait__hash_add_text(&a, "c");
    plait__hash_add_text(&b, "a");
    plait__hash_add_text(&b, "bc");
    assert_false(plait__hash_equal(plait__hash_end(&a), plait__hash_end(&b)));

    /* Ending does not disturb: more can be added. */
    plait__hash_init(&a, 0);
    plait__hash_add(&a, "abc", 3);
    plait__hash_end(&a);
    plait__hash_add(&a, "def", 3);
    assert_true(plait__hash_equal(plait__hash_end(&a), plait__hash("abcdef", 6)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(every_bit_matters),
        cmocka_unit_test(texts_carry_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
