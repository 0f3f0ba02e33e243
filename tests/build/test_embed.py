#!/usr/bin/env python3
"""tools/embed.py: what a program finds in the table is what lay in the folder, byte for byte; the depfile names it all."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EMBED = os.path.join(ROOT, "tools", "embed.py")
FILES = {
    "b.cl": b"kernel void f() {}\n",
    "a.cl": b"",
    "sub folder/deep/c.cl": bytes(range(1, 256)) * 40,
    "sub folder/shared.h": b'"\\" /* %s */ \xef\xbb\xbf no newline at the end',
    "notes.txt": b"not a kernel file",
}
# Prints each row as: name, length, the bytes in hexadecimal, and whether a NUL follows.
PROGRAM = r"""
#include "embedded.h"
#include <stdio.h>
int main(void)
{
    for (size_t i = 0; i < plait__embedded_count; i++) {
        const plait__embedded *f = &plait__embedded_files[i];
        printf("%s\t%zu\t", f->name, f->length);
        for (size_t k = 0; k < f->length; k++) {
            printf("%02x", (unsigned)(unsigned char)f->text[k]);
        }
        printf("\t%d\n", f->text[f->length]);
    }
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def table(folder, out):
    """The rows of the table made from folder."""
    c, d, main, program = (os.path.join(out, name) for name in ("e.c", "e.d", "main.c", "program"))
    done = run(sys.executable, EMBED, folder, c, d)
    assert done.returncode == 0, done.stderr
    with open(main, "w", encoding="ascii") as f:
        f.write(PROGRAM)
    include = os.path.join(ROOT, "lib", "runtime")
    done = run("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", include, main, c, "-o", program)
    assert done.returncode == 0, done.stderr
    with open(d, encoding="utf-8") as f:
        return [line.split("\t") for line in run(program).stdout.splitlines()], f.read()


def main():
    with tempfile.TemporaryDirectory() as out:
        folder = os.path.join(out, "cl")
        os.mkdir(folder)
        rows, _ = table(folder, out)
        assert rows == [], "an empty folder gives an empty table"

        for name, data in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        rows, dependencies = table(folder, out)
        kernels = sorted(name for name in FILES if not name.endswith(".txt"))
        assert [row[0] for row in rows] == kernels, rows
        for name, length, data, after in rows:
            assert int(length) == len(FILES[name]) and bytes.fromhex(data) == FILES[name] and after == "0", name
        for name in kernels + ["sub folder", "sub folder/deep"]:
            assert os.path.join(folder, name).replace(" ", "\\ ") in dependencies, name

        with open(os.path.join(folder, "bad.cl"), "wb") as f:
            f.write(b"a\0b")
        done = run(sys.executable, EMBED, folder, os.path.join(out, "e.c"), os.path.join(out, "e.d"))
        assert done.returncode != 0 and "bad.cl holds a NUL byte" in done.stderr, done
    print(f"{len(FILES)} files, all right")


if __name__ == "__main__":
    main()
