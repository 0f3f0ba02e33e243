#!/usr/bin/env python3
"""Reads every #include line against the list of layers.

A file of a layer includes, by bare name, internal headers of its own layer and of those above it in LAYERS, and public
headers of those layers. Tools, examples and API tests include public headers and headers beside them. Nobody writes
"..". Only the base layer includes POSIX headers, only layers below base include OpenCL's, public headers neither.

    layering.py                 check the project
    layering.py --self-test     check that the check finds what it should
"""

import os
import re
import sys

import sources

LAYERS = ["base", "runtime", "array", "linalg"]

# The layer that each public header belongs to. A new header gets its line here.
PUBLIC = {
    "base": "common dtype log shape status",
    "runtime": "buffer context device kernel program queue",
    "array": "array create host ops reduce user view",
    "linalg": "linalg",
}
PUBLIC_LAYER = {header + ".h": layer for layer, headers in PUBLIC.items() for header in headers.split()}
# The header that includes all others; for programs, not for the library's own files.
UMBRELLA = "plait.h"

STANDARD = set(
    "assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h"
    " stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h"
    " time.h uchar.h wchar.h wctype.h".split()
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>|(.*))', re.M)


def without_comments(text):
    """Comments become blank, line breaks stay; string literals are left alone."""
    pattern = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/'
    blank = lambda m: m.group() if m.group()[0] in "\"'" else re.sub(r"[^\n]", " ", m.group())
    return re.sub(pattern, blank, text, flags=re.S)


def includes(text):
    """(line, name, quoted) of each #include; name None where it is not written out."""
    text = without_comments(text)
    for m in INCLUDE.finditer(text):
        name = m.group(1) if m.group(1) is not None else m.group(2)
        yield text.count("\n", 0, m.start()) + 1, name, m.group(1) is not None


def above(layer):
    return LAYERS[: LAYERS.index(layer) + 1]


def check_public(name, layer, umbrella_ok):
    """What is wrong with including <plait/name> from this layer; None if nothing."""
    if name == UMBRELLA:
        return None if umbrella_ok else f"<plait/{UMBRELLA}> is for programs; name the header that is meant"
    if name == "plait.hpp":
        return None if umbrella_ok else "<plait/plait.hpp> is for programs"
    if name not in PUBLIC_LAYER:
        return f"<plait/{name}> has no layer: add it to PUBLIC in tools/checks/layering.py"
    if layer is not None and PUBLIC_LAYER[name] not in above(layer):
        return f"<plait/{name}> belongs to layer {PUBLIC_LAYER[name]}, which {layer} must not see"
    return None


def check_file(path, text, internal):
    """internal: header name -> the layers that have one of that name."""
    parts = path.split("/")
    in_lib = parts[0] == "lib"
    in_public = path.startswith("include/plait/")
    layer = parts[1] if in_lib else PUBLIC_LAYER.get(parts[-1]) if in_public else None
    # An internal test belongs to its layer, and sees headers of its own folder besides.
    in_test = parts[0] == "tests" and parts[1] in LAYERS
    if in_test:
        layer = parts[1]
    if path.startswith(("tools/gen_", "tests/fuzz/")):
        layer = LAYERS[-1]
    program = not in_lib and not in_public and not in_test

    for line, name, quoted in includes(text):
        where = f"{path}:{line}:"
        if name is None:
            if not in_test:
                yield f"{where} #include of a macro cannot be checked"
        elif ".." in name.split("/"):
            yield f"{where} \"{name}\" contains \"..\""
        elif name.startswith("plait/"):
            wrong = check_public(name[len("plait/") :], layer, program or in_test or parts[-1] in (UMBRELLA, "plait.hpp"))
            if wrong:
                yield f"{where} {wrong}"
            elif quoted:
                yield f"{where} public headers are included as <{name}>"
        elif quoted:
            if in_public:
                yield f"{where} a public header includes \"{name}\""
            elif in_lib and "/" in name:
                yield f"{where} \"{name}\": internal headers are included by bare name"
            elif layer is not None:
                owners = internal.get(name, [])
                if not set(owners) & set(above(layer)) and (in_lib or owners):
                    what = f"belongs to layer {owners[0]}" if owners else "is in none of the layers"
                    yield f"{where} \"{name}\" {what}; {layer} sees {', '.join(above(layer))}"
            elif name in internal and not os.path.exists(
                os.path.join(sources.ROOT, os.path.dirname(path), name)
            ):
                yield f"{where} \"{name}\" is internal to layer {internal[name][0]}; use public headers"
        elif name.startswith("CL/") and (in_public or layer == "base"):
            yield f"{where} <{name}> must not appear here"
        elif name not in STANDARD and not name.startswith("CL/"):
            if in_public and not path.endswith(".hpp"):
                yield f"{where} <{name}> in a public header is not standard C"
            elif in_lib and layer != "base":
                yield f"{where} <{name}> is not standard C: only the base layer may use it"


def check_all(files):
    """files: path -> text. Returns the errors."""
    errors = []
    internal = {}
    for path in files:
        parts = path.split("/")
        if parts[0] == "lib" and len(parts) > 2:
            if parts[1] not in LAYERS:
                errors.append(f"{path}: lib/{parts[1]} is no layer")
            elif path.endswith((".h", ".def")):
                internal.setdefault(parts[-1], []).append(parts[1])
    for name, owners in internal.items():
        if len(owners) > 1:
            errors.append(f"lib/{owners[0]}/{name} and lib/{owners[1]}/{name} have one name")
    for path, text in files.items():
        errors += check_file(path, text, internal)

    public = {path.split("/")[-1] for path in files if re.fullmatch(r"include/plait/\w+\.h", path)}
    for name in sorted(public - set(PUBLIC_LAYER) - {UMBRELLA}):
        errors.append(f"include/plait/{name} has no layer: add it to PUBLIC in tools/checks/layering.py")
    for name in sorted(set(PUBLIC_LAYER) - public):
        errors.append(f"PUBLIC in tools/checks/layering.py names {name}, which include/plait/ does not have")
    umbrella = files.get("include/plait/" + UMBRELLA, "")
    named = {name.split("/")[-1] for _, name, _ in includes(umbrella) if name}
    for name in sorted(public - {UMBRELLA} - named):
        errors.append(f"include/plait/{UMBRELLA} does not include <plait/{name}>")
    return errors


def self_test():
    good = {f"include/plait/{h}": "#include <stddef.h>\n" for h in PUBLIC_LAYER}
    good["include/plait/plait.h"] = "".join(f"#include <plait/{h}>\n" for h in PUBLIC_LAYER)
    good["lib/base/file.h"] = "#include <plait/status.h>\n"
    good["lib/base/file.c"] = '#include "file.h"\n#include <unistd.h>\n'
    good["lib/runtime/pool.h"] = '#include <CL/cl.h>\n/* #include "../x.h" */ // #include "y.h"\n'
    good["lib/array/node.c"] = '#include "pool.h"\n# include "file.h"\n#include <plait/array.h>\n#include <math.h>\n'
    good["tools/plait.c"] = "#include <plait/plait.h>\n#include <unistd.h>\n"
    good["tests/runtime/test_pool.c"] = '#include "testing.h"\n#include "pool.h"\n#include <plait/plait.h>\n'
    bad = {
        "lib/runtime/a.c": ['#include "node.h"', '#include "../base/file.h"', '#include "base/file.h"',
                            "#include <plait/array.h>", "#include <pthread.h>", "#include HEADER",
                            '#include "plait/status.h"', "#include <plait/plait.h>", '#include "none.h"'],
        "lib/base/a.c": ["#include <CL/cl.h>", '#include "pool.h"', '#  include "node.h"'],
        "lib/array/file.h": [""],
        "lib/other/a.c": [""],
        "include/plait/context.h": ["#include <CL/cl.h>", "#include <plait/array.h>", '#include "pool.h"', "#include <unistd.h>"],
        "include/plait/new.h": [""],
        "include/plait/plait.h": ["#include <plait/status.h>"],
        "tools/plait.c": ['#include "pool.h"', '#include "../lib/runtime/pool.h"'],
        "examples/a.c": ['#include "file.h"'],
        "tests/runtime/test_a.c": ['#include "node.h"', '#include "../b.h"'],
        "tests/api/test_a.c": ['#include "pool.h"'],
    }
    good["lib/array/node.h"] = ""
    errors = check_all(good)
    checked = 1
    for path, lines in bad.items():
        for line in lines:
            checked += 1
            if not check_all({**good, path: line + "\n"}):
                errors.append(f"self-test: {path} with {line!r} was accepted")
    return errors, checked


def main():
    errors, checked = self_test()
    if "--self-test" not in sys.argv:
        files = {
            name: sources.read(name)
            for name in sources.tracked()
            if name.endswith((".c", ".h", ".hpp", ".cpp", ".def"))
            and name.startswith(("lib/", "include/", "tools/", "tests/", "examples/"))
        }
        errors += check_all(files)
        checked = len(files)
    sources.finish(errors, checked)


if __name__ == "__main__":
    main()
