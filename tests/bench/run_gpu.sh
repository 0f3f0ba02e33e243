#!/bin/sh
# Everything that is to be measured on a machine with a GPU, in under eight minutes and without a network:
#
#     tests/bench/run_gpu.sh OUT [BUILD]
#
# builds BUILD (default build-release, configured if it is not), then runs the benchmarks, the peers and the tests, each
# within a time of its own, and puts what they say into the folder OUT. A part that fails does not stop the others; the
# exit status is the number of parts that failed. PLAIT_MESON_ARGS is added to the configuration, PLAIT_BENCH_ARGS to the
# benchmarks and the peers (--quick), PLAIT_TEST_ARGS to the tests (--suite linalg).
set -u
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,10p >&2
    exit 99
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$root/build-release}
mkdir -p "$1"
out=$(cd "$1" && pwd)
start=$(date +%s)
failed=0

# part NAME SECONDS COMMAND...: the command's output goes to OUT/NAME.txt; its last lines are shown.
part() {
    name=$1 limit=$2
    shift 2
    began=$(date +%s)
    timeout -k 5 "$limit" "$@" >"$out/$name.txt" 2>&1
    status=$?
    echo "== $name: status $status, $(($(date +%s) - began)) s"
    tail -n 3 "$out/$name.txt"
    if [ $status -ne 0 ]; then
        failed=$((failed + 1))
    fi
    return $status
}

# Without an OpenCL cache of the driver's, so that the figures are of Plait's own.
export CUDA_CACHE_DISABLE=1
PLAIT_CACHE_DIR=$(mktemp -d /tmp/plait-bench-cache-XXXXXX)
export PLAIT_CACHE_DIR
trap 'rm -rf "$PLAIT_CACHE_DIR"' EXIT

if [ ! -f "$build/build.ninja" ]; then
    # shellcheck disable=SC2086 # several arguments are meant
    part configure 60 meson setup -Dbuildtype=release ${PLAIT_MESON_ARGS:-} "$build" "$root"
fi
part build 150 ninja -C "$build"

device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 | tr -c 'A-Za-z0-9\n' - | sed 's/-*$//')
stem=${device:-device}-$(date +%Y-%m-%d)
bench=$build/tests/bench/plait_bench
# shellcheck disable=SC2086
part bench 150 "$bench" ${PLAIT_BENCH_ARGS:-} --json "$out/$stem.json"

peers=
for peer in cupy torch; do
    module=$peer
    if python3 -c "import $module" 2>/dev/null; then
        # shellcheck disable=SC2086
        part "$peer" 75 python3 "$root/tests/bench/peers/${peer}_rows.py" ${PLAIT_BENCH_ARGS:-} --json "$out/$stem-$peer.json"
        [ -f "$out/$stem-$peer.json" ] && peers="$peers $out/$stem-$peer.json"
    else
        echo "== $peer: not installed, left out"
    fi
done
if [ -f "$out/$stem.json" ]; then
    # shellcheck disable=SC2086 # a list of files
    part report 20 python3 "$root/tests/bench/report.py" --svg "$out/$stem.svg" "$out/$stem.json" $peers
    mv "$out/report.txt" "$out/$stem.md"
fi

# The tests have what is left of the time; what did not run shows as such in their log.
left=$((455 - ($(date +%s) - start)))
if [ $left -gt 20 ]; then
    # shellcheck disable=SC2086
    part tests $left meson test -C "$build" --no-rebuild --print-errorlogs ${PLAIT_TEST_ARGS:-}
    cp "$build/meson-logs/testlog.txt" "$out/testlog.txt" 2>/dev/null
else
    echo "== tests: no time left"
    failed=$((failed + 1))
fi
echo "== $failed parts failed, $(($(date +%s) - start)) s in all, results in $out"
exit $failed
