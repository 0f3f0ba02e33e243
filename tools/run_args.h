/*
 * The arguments that `plait run` hands to a kernel: from the words of the command line to host memory and back to
 * files. Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PLAIT_RUN_ARGS_H
#define PLAIT_RUN_ARGS_H

#include "tool.h"

typedef enum run_kind {
    RUN_INPUT,  /* x.npy, p.png */
    RUN_OUTPUT, /* out:z.npy:f32:1000x3 */
    RUN_INOUT,  /* inout:x.npy:z.npy */
    RUN_LOCAL,  /* local:256:f32 */
    RUN_NUMBER  /* 3, -0.5, 0x10 */
} run_kind;

typedef struct run_arg {
    run_kind kind;
    const char *text; /* as typed */
    char *in_path;    /* RUN_INPUT, RUN_INOUT */
    char *out_path;   /* RUN_OUTPUT, RUN_INOUT */
    /* Of an array, or what local memory holds. An output that was typed without them has DEFAULT and n = -1. */
    plait_dtype dtype;
    plait_dims shape;
    void *data; /* host memory of an array, C order */
    size_t bytes;
    plait_npy npy; /* owns data where that came from a .npy file */
    plait_arg number;
} run_arg;

/* Understands one word. Nothing is read yet. TOOL_USAGE (printed) if it is none of the forms above. */
tool_exit run_arg_parse(run_arg *out, const char *word);

/* Reads the files of inputs, makes room for outputs, which take a missing dtype and shape from the first input. */
tool_exit run_args_load(run_arg *args, size_t n);

/* Writes the file of an output. */
tool_exit run_arg_save(const run_arg *arg);

void run_arg_free(run_arg *arg);

bool run_arg_is_array(const run_arg *arg);

/* "640x480x16", with 1 to `most` positive numbers; false if it is not that. */
bool run_parse_sizes(const char *text, size_t most, int64_t *out, size_t *n);

/* "1000x3"; "scalar" for no dimensions. Writes to `out` and returns it. */
#define RUN_SHAPE_TEXT 192
const char *run_shape_text(plait_dims shape, char out[RUN_SHAPE_TEXT]);

#endif
