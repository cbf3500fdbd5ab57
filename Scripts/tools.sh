# What scripts share: their checks, and other programs that they need. Sourced by them, not run; messages name the script.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# usage [ARGUMENT]: the comment at the head of the script, and the end.
usage() {
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p;}' "$0"
    case "${1:-}" in -h | --help) exit 0 ;; *) exit 64 ;; esac
}

# need WORDS: the program that is missing, in one line, and the end. Its exit status tells Scripts/nightly that the step was not run.
need() {
    echo "$(basename "$0"): $*" >&2
    exit 69
}

# fail WORDS: the mistake, in one line, and the end.
fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# check WORDS COMMAND...: runs it (without `set -e`), counts whether it has passed, and shows the end of its output when it has not.
check() {
    local words=$1 status=0
    shift
    "$@" >"$scratch/log" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok    $words"
    else
        failed=$((failed + 1))
        echo "FAIL  $words (status $status)"
        tail -n 30 "$scratch/log" | cut -c1-300 | sed 's/^/      /'
        return 1
    fi
}

# finish: the sum of the checks, and the end.
finish() {
    echo "$(basename "$0"): $passed passed, $failed failed"
    if [ "$failed" -gt 0 ]; then exit 1; fi
    exit 0
}

# built PRODUCT [OPTION...]: the path of a product, built first; the command line tool is the one that SEQUENCER_CLI names, if there is one.
built() {
    local product=$1
    shift
    if [ "$product" = sequencer-cli ] && [ -n "${SEQUENCER_CLI:-}" ]; then
        echo "$SEQUENCER_CLI"
        return
    fi
    swift build "$@" --product "$product" </dev/null >&2 || return
    echo "$(swift build "$@" --show-bin-path </dev/null)/$product"
}

# objects FOLDER MODULE...: the object files of modules as the last build made them in FOLDER, one a line. The files that are there may be more: SwiftPM
# leaves those of sources that were renamed or removed.
objects() {
    local folder="$1" module
    shift
    for module in "$@"; do sed -n 's/^ *"object": "\(.*\)",\{0,1\}$/\1/p' "$folder/$module.build/output-file-map.json"; done
}

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

# quietly COMMAND...: with the end of its output on stderr where it fails.
quietly() {
    local status=0
    "$@" >"$scratch/install.log" 2>&1 </dev/null || status=1
    if [ "$status" -ne 0 ]; then tail -n 5 "$scratch/install.log" | cut -c1-200 >&2; fi
    return "$status"
}

apt_install() {
    command -v apt-get >/dev/null || return
    # A second program may be installing something: wait for it, not for ever. Old lists name packages that are gone.
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq)
    quietly as_root "${apt[@]}" update || true
    quietly as_root "${apt[@]}" install -y --no-install-recommends "$@"
}

# require PROGRAM [PACKAGE]: installed where it is missing.
require() { command -v "$1" >/dev/null || apt_install "${2:-$1}" || need "$1 is missing; install ${2:-$1}"; }

# python_module MODULE PACKAGE: imported from a folder of this run, if the system does not have it; a Python that is managed otherwise refuses to be
# installed into.
python_module() {
    require python3
    export PYTHONPATH="$scratch/python${PYTHONPATH:+:$PYTHONPATH}"
    python3 -c "import $1" 2>/dev/null && return
    python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip || return
    quietly python3 -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore --target "$scratch/python" --upgrade "$2"
}

# require_sanitizer NAME...: runtimes that the compiler links, such as asan, tsan and fuzzer. Small toolchains come without; Clang's package has them.
require_sanitizer() {
    [ "$(uname -s)" = Linux ] || return 0
    local folder name from
    folder="$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/clang/lib/linux"
    for name in "$@"; do
        compgen -G "$folder/libclang_rt.$name-*" >/dev/null && continue
        apt_install libclang-rt-dev || true
        from=$(compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux' | sort -V | tail -n 1)
        as_root mkdir -p "$folder"
        as_root ln -sf "$from/libclang_rt.$name"* "$folder/"
        compgen -G "$folder/libclang_rt.$name-*" >/dev/null || need "the runtime '$name' is missing; install the toolchain of swift.org, which has it"
    done
}

# find_chromium: the path of one that runs, installed where there is none. Ubuntu's package is a program that only says where to get it.
find_chromium() {
    local name
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null && "$name" --version >/dev/null 2>&1 </dev/null && command -v "$name" && return
    done
    [ "${1:-}" != installed ] && apt_install chromium && find_chromium installed
}
