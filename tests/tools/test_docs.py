#!/usr/bin/env python3
"""What the documentation shows is true: its programs compile and run, its commands work.

In every Markdown page, in order, in one empty folder per page:
    ```c, ```opencl       a whole file, named by the comment in its first line; written
    ```c fragment         statements; compiled and run inside a function with the variables of FRAME below
    ```sh run             commands; each must succeed
Other blocks, and links to other sites, are not looked at. Links to files of the project must lead somewhere.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from support import Case

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-but-set-variable"]

FRAME = """
#include <plait/plait.h>
#include <stdio.h>

/* What fragments may use: a context, a 100 x d matrix X and a vector y, the kernel `shade` of the page, a place for results. */
int main(void)
{
    plait_ctx *ctx;
    if (plait_open(&ctx, NULL)) {
        fprintf(stderr, "%%s\\n", plait_last_error());
        return 1;
    }
    plait_status status = PLAIT_OK;
    const int64_t d = 4, n = 100;
    const double rate = 0.01;
    float out[4];
    plait_array *X = plait_ones(ctx, PLAIT_SHAPE(n, d), PLAIT_F32), *y_given = plait_ones(ctx, PLAIT_SHAPE(n), PLAIT_F32);
    plait_kernel *shade = NULL;
    plait_program *program = NULL;
    FILE *waves = fopen("waves.cl", "r");
    if (waves != NULL) {
        fclose(waves);
        status = plait_program_from_file(&program, ctx, "waves.cl", NULL);
        status = status ? status : plait_kernel_create(&shade, program, "shade");
    }
    plait_array *y = y_given;
    (void)X, (void)y, (void)rate, (void)out;
    {
%s
    }
    if (status) {
        fprintf(stderr, "%%s\\n", plait_last_error());
    }
    plait_kernel_release(shade);
    plait_program_release(program);
    plait_close(ctx);
    return status ? 1 : 0;
}
"""


def blocks(text):
    """(the word after the fence, line number, content) of each fenced block."""
    for match in re.finditer(r"^```([^\n]+)\n(.*?)^```$", text, re.M | re.S):
        yield match[1].strip(), text.count("\n", 0, match.start()) + 1, match[2]


class Docs(Case):
    @classmethod
    def setUpClass(cls):
        """The pages say `pkg-config plait`; here that is the library that was just built."""
        super().setUpClass()
        cls.packages = tempfile.TemporaryDirectory()
        build = os.environ["BUILD_ROOT"]
        (pathlib.Path(cls.packages.name) / "plait.pc").write_text(
            f"Name: plait\nDescription: built\nVersion: 0\nCflags: -I{ROOT}/include\nLibs: -L{build}/lib -lplait\n")
        os.environ["PKG_CONFIG_PATH"] = cls.packages.name
        os.environ["LD_LIBRARY_PATH"] = build + "/lib"

    @classmethod
    def tearDownClass(cls):
        cls.packages.cleanup()
        super().tearDownClass()

    def run_here(self, command, where):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=120)
        self.assertEqual(done.returncode, 0, f"{where}: {command}\n{done.stdout}{done.stderr}")

    def compile_flags(self):
        shown = subprocess.run(["pkg-config", "--cflags", "--libs", "plait"], capture_output=True, text=True, check=True)
        return shown.stdout.split()

    def check_page(self, page):
        self.assertIsNotNone(shutil.which("pkg-config"))
        for kind, line, content in blocks(page.read_text()):
            where = f"{page.name}:{line}"
            if kind in ("c", "opencl"):
                name = re.match(r"(?:/\*|//) ([\w.]+)", content)
                self.assertIsNotNone(name, f"{where}: the first line names no file")
                self.write(name[1], content)
                if kind == "c":
                    self.run_here(["cc", *FLAGS, "-c", name[1], "-o", "strict.o", *self.compile_flags()], where)
            elif kind == "c fragment":
                self.write("fragment.c", FRAME % content)
                self.run_here(["cc", *FLAGS, "fragment.c", "-o", "fragment", *self.compile_flags()], where)
                self.run_here(["./fragment"], where)
            elif kind == "sh run":
                for command in content.splitlines():
                    self.run_here(["bash", "-c", command], where)

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


def add_page(page):
    setattr(Docs, "test_" + page.stem.lower(), lambda self: self.check_page(page))


for one in PAGES:
    add_page(one)

if __name__ == "__main__":
    support.require_device()
    os.environ["PATH"] = os.path.dirname(support.COMMAND) + os.pathsep + os.environ["PATH"]
    unittest.main()
