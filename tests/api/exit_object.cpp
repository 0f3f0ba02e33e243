/*
 * Run by test_exit: C++ objects with static storage, whose destructors release arrays and close contexts after main.
 * One is made before any driver is loaded, and so goes after what the drivers registered; the other goes before.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include <plait/plait.h>

#include <unistd.h>

namespace
{

struct holder {
    plait_ctx *ctx = nullptr;
    plait_array *array = nullptr;
    plait_array *pending = nullptr;
    plait_buffer *buffer = nullptr;
    holder() = default;
    holder(const holder &) = delete;
    holder &operator=(const holder &) = delete;
    ~holder()
    {
        if (plait_release(array) || plait_release(pending)) {
            _exit(10);
        }
        plait_buffer_release(buffer);
        if (plait_close(ctx)) {
            _exit(11);
        }
    }
};

holder early;

int fill(holder &h)
{
    double value = 0;
    if (plait_open(&h.ctx, nullptr)) {
        return 1;
    }
    h.array = plait_keep(plait_arange(h.ctx, 0, 1000, 1, PLAIT_F32));
    if (plait_item(plait_sum(h.array), &value) || value != 499500) {
        return 2;
    }
    h.pending = plait_keep(plait_multiply(h.array, plait_num(2)));
    return h.pending == nullptr || plait_buffer_create(&h.buffer, h.ctx, 1000, nullptr) ? 3 : 0;
}

} // namespace

int main()
{
    alarm(60);
    int failed = fill(early);
    static holder late;
    return failed ? failed : fill(late);
}
