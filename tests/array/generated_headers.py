"""ops.h and reduce.h are what gen_api writes: generated_headers.py GEN_API INCLUDE_FOLDER"""

import pathlib
import subprocess
import sys

failed = False
for name in ("ops", "reduce"):
    fresh = subprocess.run([sys.argv[1], name], check=True, capture_output=True).stdout
    path = pathlib.Path(sys.argv[2]) / f"{name}.h"
    if path.read_bytes() != fresh:
        print(f"{path} is not what gen_api writes; run: {sys.argv[1]} {name} > {path}")
        failed = True
usage = subprocess.run([sys.argv[1]], capture_output=True)
if usage.returncode != 2 or b"usage" not in usage.stderr:
    print("gen_api without arguments does not explain itself")
    failed = True
sys.exit(failed)
