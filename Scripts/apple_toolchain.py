"""Lets the Linux toolchain type-check for Apple's platforms: the standard library's own interfaces, with their availability, and Apple's C headers.

Imported by check-apple. What it makes is kept in one folder, and made anew when the compiler, the headers' version or this file is another:

    resources/TRIPLE   textual interfaces of the modules that the toolchain has, said to be for that target
    shims, clang       C declarations that those interfaces name
    sdk/usr/include    Apple's C headers, as the Zig compiler ships them for building programs for macOS
    cache              modules, as the compiler keeps them
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

# Their headers are those of the macOS SDK; the package on PyPI is the smallest way to them. It is 100 MB, of which 5 are kept.
HEADERS = "ziglang==0.17.1"
HEADERS_FOLDER = "ziglang/lib/libc/include/any-darwin-any/"
ARCHITECTURE = "x86_64"  # The interfaces of this architecture name Float80, which no other has.

# Each that sources here could import, and those that these import.
MODULES = ("Swift", "_Concurrency", "Synchronization", "Observation", "_StringProcessing", "SwiftOnoneSupport", "_Builtin_float")

# What `import Darwin` is: every header that the sources call something of.
DARWIN = (
    "arpa/inet.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "libproc.h", "limits.h", "mach/mach.h", "mach/mach_time.h", "math.h",
    "netdb.h", "netinet/in.h", "netinet/tcp.h", "poll.h", "pthread.h", "pthread/qos.h", "signal.h", "spawn.h", "stdio.h", "stdlib.h", "string.h", "sys/file.h",
    "sys/ioctl.h", "sys/mman.h", "sys/qos.h", "sys/resource.h", "sys/socket.h", "sys/stat.h", "sys/sysctl.h", "sys/time.h", "sys/types.h",
    "sys/uio.h", "sys/un.h", "sys/utsname.h", "sys/wait.h", "termios.h", "time.h", "unistd.h",
)

# Linux's mutex is inlinable and calls these, whose real bodies include Linux's headers.
LOCKS = """\
#include "SwiftStdint.h"
__swift_uint32_t _swift_stdlib_gettid(void);
__swift_uint32_t _swift_stdlib_futex_lock(__swift_uint32_t *lock);
__swift_uint32_t _swift_stdlib_futex_trylock(__swift_uint32_t *lock);
__swift_uint32_t _swift_stdlib_futex_unlock(__swift_uint32_t *lock);
"""


class Missing(Exception):
    """A program or a registry that this needs is not there."""


class Platform:
    """One of Apple's, at a version: what the compiler is told."""

    # The folder of the standard library, and the triple around the version.
    KINDS = {"macos": ("macosx", "macos", ""), "ios": ("iphonesimulator", "ios", "-simulator")}

    def __init__(self, kind, version):
        self.kind, self.version = kind, version
        self.folder, system, self.suffix = self.KINDS[kind]
        self.triple = f"{ARCHITECTURE}-apple-{system}{version}{self.suffix}"
        # As a file of a module is named: without a version.
        self.module_triple = f"{ARCHITECTURE}-apple-{system}{self.suffix}"

    def __str__(self):
        return f"{self.kind} {self.version}"


class Toolchain:
    """The installed compiler, told to be one for Apple's platforms."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        compiler = shutil.which("swiftc")
        if compiler is None:
            raise Missing("swiftc is missing; install the toolchain of swift.org")
        self.compiler = compiler
        self.usr = pathlib.Path(compiler).resolve().parent.parent
        self.version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout

    def prepare(self, platforms):
        """Makes what is missing in the folder."""
        stamp = hashlib.sha256((self.version + HEADERS + pathlib.Path(__file__).read_text(encoding="utf-8")).encode()).hexdigest()
        mark = self.folder / "stamp"
        if not mark.exists() or mark.read_text(encoding="utf-8") != stamp:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self._copy_shims()
            self._unpack_headers()
            mark.write_text(stamp, encoding="utf-8")
        for platform in platforms:
            self._write_interfaces(platform)

    def arguments(self, platform):
        """For the compiler's frontend: which target, and where its modules are."""
        return [
            "-target", platform.triple, "-sdk", str(self.folder / "sdk"), "-resource-dir", str(self._resources(platform)),
            "-module-cache-path", str(self.folder / "cache"), "-disable-objc-interop",
            # Macros, such as those of Observation.
            "-plugin-path", str(self.usr / "lib/swift/host/plugins"),
        ]

    # One for each version: a module that is made of an interface is for the version that stands in it, and refused by older ones.
    def _resources(self, platform):
        return self.folder / "resources" / platform.triple

    def _copy_shims(self):
        library = self.usr / "lib/swift"
        shutil.copytree(library / "shims", self.folder / "shims")
        shutil.copytree((library / "clang").resolve(), self.folder / "clang")
        (self.folder / "shims/_SynchronizationShims.h").write_text(LOCKS, encoding="utf-8")

    def _unpack_headers(self):
        include, wheels = self.folder / "sdk/usr/include", self.folder / "wheels"
        include.mkdir(parents=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--dest", str(wheels), HEADERS]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Missing(f"'pip download {HEADERS}' has failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1][:200]}")
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as archive:
            for name in archive.namelist():
                path = name.removeprefix(HEADERS_FOLDER)
                if path == name or path.endswith("/") or ".." in path:
                    continue
                target = include / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
        shutil.rmtree(wheels)
        there = [header for header in DARWIN if (include / header).exists()]
        (include / "darwin.h").write_text("".join(f"#include <{header}>\n" for header in there), encoding="utf-8")
        (include / "module.modulemap").write_text('module Darwin [system] {\n  header "darwin.h"\n  export *\n}\n', encoding="utf-8")

    def _write_interfaces(self, platform):
        folder = self._resources(platform)
        folder.mkdir(parents=True, exist_ok=True)
        for shared in ("shims", "clang"):
            if not (folder / shared).exists():
                (folder / shared).symlink_to(f"../../{shared}")
        for module in MODULES:
            source = self.usr / f"lib/swift/linux/{module}.swiftmodule/{ARCHITECTURE}-unknown-linux-gnu.swiftinterface"
            if not source.exists():
                raise Missing(f"the toolchain has no textual interface of {module} for {ARCHITECTURE} Linux")
            target = folder / platform.folder / f"{module}.swiftmodule/{platform.module_triple}.swiftinterface"
            text = interface(source.read_text(encoding="utf-8"), platform)
            # A file that is newer than the module made of it has that made again.
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")


def interface(text, platform):
    """A module's interface for Linux, as one for `platform`."""
    lines = []
    for line in text.splitlines():
        if line.startswith("// swift-module-flags:"):
            line = re.sub(r"-target \S+", f"-target {platform.triple}", line)
            # Rules for the system's own libraries, which a client need not be checked by.
            for flag in (" -enable-library-evolution", " -library-level api", " -target-min-inlining-version min", " -static"):
                line = line.replace(flag, "")
        elif line == "import Glibc":
            line = "import Darwin"
        elif "@_implements(" in line and ", Failure)" in line:
            # Said to be as old as its type, which Apple's build of the module lets pass; what it stands for is newer.
            lines[-1] = "  @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)"
        # A body that goes into clients may only use what the oldest of them has; nothing is built here that has it.
        lines.append(re.sub(r"@backDeployed\([^)]*\) ?", "", line))
    return "\n".join(lines) + "\n"
