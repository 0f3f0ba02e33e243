/*
 * Plait: users' elementwise expressions.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/user.h>

#include "alloc.h"
#include "build.h"
#include "error.h"
#include "promote.h"

#include <stdlib.h>
#include <string.h>

/* ctype's functions follow the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the number or name at the head of text, 0 if there is none. */
static size_t word_length(const char *text)
{
    size_t n = 0;
    bool number = is_digit(text[0]) || (text[0] == '.' && is_digit(text[1]));
    while (is_word(text[n]) || (number && text[n] == '.') ||
           (number && n > 0 && (text[n] == '+' || text[n] == '-') && strchr("eEpP", text[n - 1]) != NULL)) {
        n++;
    }
    return n;
}

/*
 * The text becomes part of a generated function. What would end its statement, hide what follows, or mean another
 * input than there is, is found here; all else is the compiler's business.
 */
static plait_status check_expression(const char *text, size_t n, const char *function)
{
    int open = 0;
    bool empty = true;
    for (const char *p = text; *p != '\0';) {
        size_t length = word_length(p);
        if (length > 0) {
            bool member = p > text && p[-1] == '.';
            PLAIT__REQUIRE(length > 1 || member || *p < 'a' || *p >= 'a' + PLAIT__MAX_INPUTS || (size_t)(*p - 'a') < n,
                           PLAIT_E_ARGUMENT, "%s: \"%s\" names the array %c, but only %zu were given", function, text,
                           *p, n);
            empty = false;
            p += length;
            continue;
        }
        bool comment = p[0] == '/' && (p[1] == '/' || p[1] == '*');
        bool trigraph = p[0] == '?' && p[1] == '?'; /* "??/" is a backslash */
        PLAIT__REQUIRE(strchr(";#{}\\\"'\n\r", *p) == NULL && !comment && !trigraph, PLAIT_E_ARGUMENT,
                       "%s: the expression \"%s\" has a character that an expression cannot have at byte %zu "
                       "(statements, directives, strings, comments and line breaks are not possible)",
                       function, text, (size_t)(p - text));
        open += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        PLAIT__REQUIRE(open >= 0, PLAIT_E_ARGUMENT, "%s: the expression \"%s\" closes a bracket that it did not open",
                       function, text);
        p++;
    }
    PLAIT__REQUIRE(!empty, PLAIT_E_ARGUMENT, "%s: the expression is empty", function);
    PLAIT__REQUIRE(open == 0, PLAIT_E_ARGUMENT, "%s: the expression \"%s\" leaves a bracket open", function, text);
    return PLAIT_OK;
}

static plait_status check_inputs(plait_ctx **ctx, plait_array *const *inputs, size_t n, const char *function)
{
    PLAIT__REQUIRE(n > 0 && n <= PLAIT__MAX_INPUTS, PLAIT_E_ARGUMENT, "%s: %zu arrays; an expression is over 1 to %d",
                   function, n, PLAIT__MAX_INPUTS);
    if (inputs == NULL) {
        return plait__fail_null(function, "inputs");
    }
    for (size_t i = 0; i < n; i++) {
        PLAIT__TRY(plait__check_input(inputs[i], function, "one of the inputs"));
    }
    PLAIT__TRY(plait__check_contexts(ctx, inputs, n, function));
    PLAIT__REQUIRE(*ctx != NULL, PLAIT_E_ARGUMENT, "%s: all inputs are numbers; at least one must be an array",
                   function);
    return PLAIT_OK;
}

plait_array *plait_map_n(const char *expression, plait_array *const *inputs, size_t n, plait_dtype dtype)
{
    PLAIT__REQUIRE_ARG_PTR(expression);
    plait_ctx *ctx;
    plait_dtype common;
    plait_dims shape;
    if (check_inputs(&ctx, inputs, n, __func__) != PLAIT_OK || check_expression(expression, n, __func__) != PLAIT_OK ||
        plait__common_dtype(&common, inputs, n, plait__ctx_caps(ctx)->real, __func__) != PLAIT_OK ||
        plait__broadcast_inputs(&shape, inputs, n, __func__) != PLAIT_OK) {
        return NULL;
    }
    dtype = dtype == PLAIT_DTYPE_DEFAULT ? common : dtype;
    if (plait__check_dtype(ctx, dtype, __func__) != PLAIT_OK ||
        plait__check_shape(&shape, dtype, __func__) != PLAIT_OK) {
        return NULL;
    }
    if (plait_shape_count(shape) == 0) {
        return plait__build_empty(ctx, dtype, &shape);
    }
    char *text = plait__strdup(expression);
    if (text == NULL) {
        return NULL;
    }
    plait_array *a = plait__node_create(ctx, PLAIT__NODE_MAP, dtype, &shape, inputs, n);
    if (a == NULL) {
        free(text);
        return NULL;
    }
    a->text = text;
    a->in_dtype = (uint8_t)common; /* what numbers become */
    return plait__build_done(a);
}
