/* Signatures of kernels: type names, and the form in which they are stored. */
#include "testing.h"

#include "signature.h"

static void type_names(void **state)
{
    (void)state;
    const struct {
        const char *name;
        plait_dtype dtype;
        size_t bytes;
    } cases[] = {
        {"float", PLAIT_F32, 4},
        {"double*", PLAIT_F64, 8},
        {"int", PLAIT_I32, 4},
        {"unsigned int", PLAIT_U32, 4},
        {"uint*", PLAIT_U32, 4},
        {"unsigned char *", PLAIT_U8, 1},
        {"uchar", PLAIT_U8, 1},
        {"long", PLAIT_I64, 8},
        {"ulong", PLAIT_U64, 8},
        {"half*", PLAIT_F16, 2},
        {"short", PLAIT_I16, 2},
        {"char", PLAIT_I8, 1},
        {"float4", PLAIT_DTYPE_DEFAULT, 16},
        {"float3", PLAIT_DTYPE_DEFAULT, 16},
        {"uchar16*", PLAIT_DTYPE_DEFAULT, 16},
        {"unsigned int2", PLAIT_DTYPE_DEFAULT, 8},
        {"double16", PLAIT_DTYPE_DEFAULT, 128},
        {"float5", PLAIT_DTYPE_DEFAULT, 0},
        {"struct point", PLAIT_DTYPE_DEFAULT, 0},
        {"real", PLAIT_DTYPE_DEFAULT, 0},
        {"int8_t", PLAIT_DTYPE_DEFAULT, 0},
        {"", PLAIT_DTYPE_DEFAULT, 0},
        {"4", PLAIT_DTYPE_DEFAULT, 0},
        {"float99999999999999999999", PLAIT_DTYPE_DEFAULT, 0},
        {"*", PLAIT_DTYPE_DEFAULT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plait__cl_type t = plait__cl_type_parse(cases[i].name);
        if (t.dtype != cases[i].dtype || t.bytes != cases[i].bytes) {
            fail_msg("%s: dtype %s, %zu bytes", cases[i].name, plait_dtype_name(t.dtype), t.bytes);
        }
    }
}

static void elements_of_vectors(void **state)
{
    (void)state;
    assert_int_equal(plait__cl_type_element("float4*"), PLAIT_F32);
    assert_int_equal(plait__cl_type_element("unsigned int2"), PLAIT_U32);
    assert_int_equal(plait__cl_type_element("double"), PLAIT_F64);
    assert_int_equal(plait__cl_type_element("float5"), PLAIT_DTYPE_DEFAULT);
    assert_int_equal(plait__cl_type_element("struct a_name_that_is_long"), PLAIT_DTYPE_DEFAULT);
    assert_int_equal(plait__cl_type_element(""), PLAIT_DTYPE_DEFAULT);
}

static void encode(plait__strbuf *out)
{
    plait__put_u32(out, 2);
    plait__put_text(out, "blur");
    plait__put_u8(out, 1);
    plait__put_u32(out, 2);
    plait__put_u8(out, PLAIT_PARAM_GLOBAL);
    plait__put_u8(out, 1);
    plait__put_text(out, "src");
    plait__put_text(out, "float4*");
    plait__put_u8(out, PLAIT_PARAM_VALUE);
    plait__put_u8(out, 0);
    plait__put_text(out, "n");
    plait__put_text(out, "uint");
    plait__put_u32(out, 2);
    plait__put_u64(out, UINT64_C(0x123456789ABCDEF0));
    plait__put_u64(out, 7);
    plait__put_text(out, "empty");
    plait__put_u8(out, 0);
    plait__put_u32(out, 0);
    plait__put_u32(out, 0);
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    plait__strbuf bytes = {0};
    encode(&bytes);
    plait__signatures s;
    assert_true(plait__signatures_decode(&s, bytes.text, bytes.length));
    assert_int_equal(s.count, 2);
    assert_string_equal(s.kernels[0].name, "blur");
    assert_true(s.kernels[0].known);
    assert_int_equal(s.kernels[0].n_params, 2);
    const plait_param *p = s.kernels[0].params;
    assert_string_equal(p[0].name, "src");
    assert_string_equal(p[0].type, "float4*");
    assert_int_equal(p[0].kind, PLAIT_PARAM_GLOBAL);
    assert_true(p[0].is_const);
    assert_int_equal(p[0].bytes, 16);
    assert_int_equal(p[1].dtype, PLAIT_U32);
    assert_false(p[1].is_const);
    assert_int_equal(s.kernels[0].n_variants, 2);
    assert_true(s.kernels[0].variants[0] == UINT64_C(0x123456789ABCDEF0));
    assert_string_equal(s.kernels[1].name, "empty");
    assert_false(s.kernels[1].known);
    plait__signatures_free(&s);
    plait__strbuf_free(&bytes);
}

/* Every prefix, every changed byte: refused, or something that stays within the bytes (the sanitizers look). */
static void damage_is_refused(void **state)
{
    (void)state;
    plait__strbuf bytes = {0};
    encode(&bytes);
    plait__signatures s;
    for (size_t n = 0; n < bytes.length; n++) {
        char *cut = malloc(n + 1);
        assert_non_null(cut);
        memcpy(cut, bytes.text, n);
        assert_false(plait__signatures_decode(&s, cut, n));
        cut[0] = (char)(cut[0] ^ (n > 0));
        free(cut);
    }
    for (size_t at = 0; at < bytes.length; at++) {
        for (int bit = 0; bit < 8; bit++) {
            char *changed = malloc(bytes.length);
            assert_non_null(changed);
            memcpy(changed, bytes.text, bytes.length);
            changed[at] = (char)(changed[at] ^ (1 << bit));
            if (plait__signatures_decode(&s, changed, bytes.length)) {
                plait__signatures_free(&s);
            }
            free(changed);
        }
    }
    plait__strbuf_add_char(&bytes, 0);
    assert_false(plait__signatures_decode(&s, bytes.text, bytes.length)); /* something behind the end */
    const unsigned char huge[] = {255, 255, 255, 255, 0, 0, 0, 0};
    assert_false(plait__signatures_decode(&s, huge, sizeof huge));
    plait__strbuf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_names),
        cmocka_unit_test(elements_of_vectors),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
