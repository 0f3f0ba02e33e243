#!/usr/bin/env python3
"""Installs a build, moves the installed tree, runs the command in it, and builds and runs a program against it, as a
stranger would.

    install.py BUILD-FOLDER

Through pkg-config alone: as C11 and C++17, against the shared library and against the static one. The tree ends up under
a path with a space in it.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import sources

USE = os.path.join(sources.ROOT, "tests", "install", "use.c")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = {"C11": ["cc", "-std=c11"], "C++17": ["c++", "-std=c++17", "-x", "c++"]}


def run(command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def install_and_move(build, folder):
    stage = os.path.join(folder, "stage")
    meson = shlex.split(os.environ.get("MESON", "meson"))
    run([*meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage])
    found = [path for path, _, files in os.walk(stage) if "plait.pc" in files]
    if len(found) != 1:
        raise RuntimeError(f"plait.pc is in {found}")
    relative = os.path.relpath(found[0], stage).split(os.sep)
    at = next(i for i, name in enumerate(relative) if name.startswith("lib"))  # lib, lib64, lib/x86_64-linux-gnu
    prefix = os.path.join(stage, *relative[:at])
    moved = os.path.join(folder, "moved here")
    shutil.move(prefix, moved)
    shutil.rmtree(stage)
    return moved, os.path.join(moved, *relative[at:])


def pkg_config(pkgconfig, *options):
    env = {**os.environ, "PKG_CONFIG_PATH": pkgconfig}
    return shlex.split(run(["pkg-config", *options, "plait"], env=env))


def check_one(moved, pkgconfig, language, static, out):
    cflags = pkg_config(pkgconfig, "--cflags")
    libs = pkg_config(pkgconfig, "--libs", *(["--static"] if static else []))
    if static:
        # Both libraries are installed side by side, and -lplait means the shared one where it exists.
        libs = ["-l:libplait.a" if flag == "-lplait" else flag for flag in libs]
    reset = ["-x", "none"] if language == "C++17" else []
    run([*COMPILERS[language], *WARNINGS, *cflags, USE, *reset, "-o", out, *libs])
    env = dict(os.environ)
    env.pop("LD_LIBRARY_PATH", None)
    needed = run(["readelf", "-d", out])
    if static == ("libplait.so" in needed):
        raise RuntimeError(f"{language}, {'static' if static else 'shared'}: linked against the other library")
    if not static:
        env["LD_LIBRARY_PATH"] = os.path.dirname(pkgconfig)
    text = run([out], env=env)
    version = pkg_config(pkgconfig, "--modversion")[0]
    if f"plait {version}" not in text:
        raise RuntimeError(f"{language}: printed {text!r}, but plait.pc says {version}")
    if "sum 27 43 63 = 133" not in text and "no device" not in text:
        raise RuntimeError(f"{language}: printed {text!r}")


def check_command(moved, pkgconfig):
    """The command finds the library beside it, without help."""
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    command = os.path.join(moved, "bin", "plait")
    version = pkg_config(pkgconfig, "--modversion")[0]
    text = run([command, "--version"], env=env)
    if version not in text:
        raise RuntimeError(f"{command} --version printed {text!r}, but plait.pc says {version}")


def main():
    build = os.path.abspath(sys.argv[1])
    errors = []
    checked = 0
    with tempfile.TemporaryDirectory(prefix="plait install ") as folder:
        try:
            moved, pkgconfig = install_and_move(build, folder)
            headers = set(os.listdir(os.path.join(moved, "include", "plait")))
            missing = set(os.listdir(os.path.join(sources.ROOT, "include", "plait"))) - headers
            errors += [f"<plait/{name}> was not installed" for name in sorted(missing)]
        except RuntimeError as error:
            sources.finish([str(error)], 1)
        if os.path.exists(os.path.join(moved, "bin", "plait")):
            checked += 1
            try:
                check_command(moved, pkgconfig)
            except RuntimeError as error:
                errors.append(str(error))
        for language, compiler in COMPILERS.items():
            if not shutil.which(compiler[0]):
                print(f"no {compiler[0]}: {language} was left out")
                continue
            for static in (False, True):
                checked += 1
                try:
                    check_one(moved, pkgconfig, language, static, os.path.join(folder, "use"))
                except RuntimeError as error:
                    errors.append(str(error))
    sources.finish(errors, checked)


if __name__ == "__main__":
    main()
