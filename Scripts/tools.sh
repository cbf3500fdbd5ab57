# What scripts need of other programs, and how they get them. Sourced by them, not run; messages name the script that asks.

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

# objects FOLDER MODULE...: the object files of modules as the last build made them in FOLDER, one a line. The files that are there may be more: SwiftPM
# leaves those of sources that were renamed or removed.
objects() {
    local folder="$1" module
    shift
    for module in "$@"; do sed -n 's/^ *"object": "\(.*\)",\{0,1\}$/\1/p' "$folder/$module.build/output-file-map.json"; done
}

# as_root COMMAND...: runs it, by sudo where that is needed and can be done without a password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# apt_install PACKAGE...: with the reason on stderr where it fails.
apt_install() {
    command -v apt-get >/dev/null || { echo "$(basename "$0"): $* cannot be installed: there is no apt-get" >&2 && return 1; }
    local log status=0
    log=$(mktemp)
    # A second program may be installing something: wait for it, not for ever. Nothing may ask.
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq)
    {
        # Old lists name packages that are gone; where new ones cannot be had, the old ones may do.
        as_root "${apt[@]}" update || true
        as_root "${apt[@]}" install -y --no-install-recommends "$@"
    } </dev/null >"$log" 2>&1 || status=1
    if [ "$status" -ne 0 ]; then
        echo "$(basename "$0"): 'apt-get install $*' has failed:" >&2
        tail -n 5 "$log" | cut -c1-200 | sed 's/^/    /' >&2
    fi
    rm -f "$log"
    return "$status"
}

require_python() {
    command -v python3 >/dev/null || apt_install python3 || need "python3 is missing; install it"
}

# pip_install DIRECTORY PACKAGE...: a directory of its own: an externally managed Python refuses to be installed into, and the versions of
# others are left alone.
pip_install() {
    local directory=$1 log status=0
    shift
    if ! python3 -m pip --version >/dev/null 2>&1 && ! apt_install python3-pip; then
        echo "$(basename "$0"): python3 has no pip to install $* with" >&2
        return 1
    fi
    log=$(mktemp)
    python3 -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore --target "$directory" "$@" \
        </dev/null >"$log" 2>&1 || status=1
    if [ "$status" -ne 0 ]; then
        echo "$(basename "$0"): 'pip install $*' has failed:" >&2
        tail -n 5 "$log" | cut -c1-200 | sed 's/^/    /' >&2
    fi
    rm -f "$log"
    return "$status"
}

# require_sanitizer NAME...: runtimes that the compiler links, such as asan, tsan and fuzzer. Small toolchains come without; Clang's package has them.
require_sanitizer() {
    [ "$(uname -s)" = Linux ] || return 0
    local folder name from
    folder="$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/clang/lib/linux"
    for name in "$@"; do
        compgen -G "$folder/libclang_rt.$name-*" >/dev/null && continue
        echo "$(basename "$0"): the toolchain has no runtime '$name' in $folder; taking that of the package libclang-rt-dev" >&2
        apt_install libclang-rt-dev || need "the runtime '$name' is missing; install the toolchain of swift.org, which has it"
        from=$(compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux' | sort -V | tail -n 1)
        as_root mkdir -p "$folder"
        as_root ln -sf "$from/libclang_rt.$name"* "$folder/"
        compgen -G "$folder/libclang_rt.$name-*" >/dev/null || need "the runtime '$name' is missing; install the toolchain of swift.org, which has it"
    done
}

# find_chromium: prints the path of one that runs, installed where there is none. Ubuntu's package is a program that only says where to get it.
find_chromium() {
    local name
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null && "$name" --version >/dev/null 2>&1 </dev/null && command -v "$name" && return
    done
    [ "${1:-}" != installed ] && apt_install chromium && find_chromium installed
}
