/*
 * Linked into the tests of a sanitizer build: drivers stay mapped, so that a report of a leak can say whose it is and
 * tests/lsan.supp can tell a driver's from ours. Otherwise the stack reads "<unknown module>".
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
