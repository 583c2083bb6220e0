#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the layers, and the width of lines: fails where a source file under src/ breaks their rules.

    layers.py SRC          check the tree
    layers.py --self-test  check that each rule fails on a sample that breaks it

Rules, by the name printed:
  include-up      a layer includes only itself and the layers below it
  include-into    another layer is reached through its one public header, <layer>/<layer>.hpp
  include-style   includes are written from src
  cpu             no test for a CPU, no intrinsics header, no instruction outside arch
  os              no operating system header, and no system call, outside os
  openmp-word     no code in fiber, or below it, knows OpenMP; below fiber a comment may name the OpenMP construct served
  licence         the first line names the licence
  width           no line is longer than the formatter's limit, which it does not apply to comments
Tests (with *_for_test.hpp), models (with all files in model/) and benchmarks may use any operating system header and any
OpenMP word.
"""

import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "arch", "os", "fiber", "omp", "abi"]
SUFFIXES = {".hpp", ".h", ".cpp", ".c", ".S", ".inc"}
WIDTH = 128  # as in .clang-format
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# File (or folder, with a slash at its end) -> operating system headers that it may include outside os, and why.
OS_HEADER_EXCEPTIONS = {
    "base/fatal.cpp": {"unistd.h", "sys/syscall.h"},  # write(2) for the last message before an abort; os is above base
    # the CPU's features are in the auxiliary vector, and its registers in a signal's context
    "arch/": {"sys/auxv.h", "sys/syscall.h", "asm/prctl.h", "asm/hwcap2.h", "ucontext.h"},
}

OS_HEADER = re.compile(
    r"^(sys/.*|linux/.*|asm/.*|bits/.*|unistd\.h|pthread\.h|sched\.h|fcntl\.h|signal\.h|csignal|poll\.h|dlfcn\.h|link\.h"
    r"|syscall\.h|ucontext\.h|semaphore\.h|spawn\.h|elf\.h|thread|mutex|condition_variable|filesystem)$")
CPU_HEADER = re.compile(r"^(\w+mmintrin\.h|immintrin\.h|x86intrin\.h|x86gprintrin\.h|cpuid\.h|arm_\w+\.h)$")
CPU_MACRO = re.compile(
    r"\b(__x86_64(__)?|__amd64(__)?|__i386(__)?|__aarch64__|__arm(64)?__|__ARM_\w+|__SSE\w*|__AVX\w*|__riscv|__powerpc\w*"
    r"|_M_X64|_M_ARM64)\b")
ASM = re.compile(r"\b(?:asm|__asm__|__asm)\b\s*(?:volatile|__volatile__|goto|\s)*\(\s*\"([^\"]*)\"")
SYSTEM_CALL = re.compile(r"\barch::system_call\b")
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.M)
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b(.*)$", re.M)
OPENMP_WORDS = {"omp", "openmp", "kmp", "kmpc", "gomp", "ompt", "icv", "icvs", "team", "teams", "threadprivate",
                "copyprivate", "copyin", "taskwait", "taskgroup", "taskloop", "worksharing", "libgomp", "libomp"}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_check(path):
    return re.search(r"_(test|model|bench)\.cpp$|_for_test\.hpp$|/model/", path) is not None


def allowed_os_headers(path):
    allowed = set()
    for where, headers in OS_HEADER_EXCEPTIONS.items():
        if path == where or (where.endswith("/") and path.startswith(where)):
            allowed |= headers
    return allowed


def check_file(path, text):
    """path is relative to src, with slashes. Yields (rule, line, what)."""
    layer = path.split("/")[0]
    rank = LAYERS.index(layer)

    def line_of(offset):
        return text.count("\n", 0, offset) + 1

    if LICENCE not in text.split("\n", 1)[0]:
        yield "licence", 1, "first line must be the SPDX line"

    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            yield "width", number, f"{len(line)} characters, at most {WIDTH}"

    for match in INCLUDE.finditer(text):
        kind, target = match.groups()
        line = line_of(match.start())
        first = target.split("/")[0]
        if kind == '"':
            if first not in LAYERS or ".." in target.split("/"):
                yield "include-style", line, f'"{target}" is not written from src'
            elif LAYERS.index(first) > rank:
                yield "include-up", line, f'{layer} includes "{target}" from the higher layer {first}'
            elif first != layer and target != f"{first}/{first}.hpp":
                model = path.endswith("_model.cpp") and target.startswith("base/model/")
                if not model and not (is_check(path) and target.startswith("base/model/")):
                    yield "include-into", line, f'"{target}" instead of "{first}/{first}.hpp"'
        else:
            if layer != "arch" and CPU_HEADER.match(target):
                yield "cpu", line, f"<{target}>"
            if layer != "os" and not is_check(path) and OS_HEADER.match(target) \
                    and target not in allowed_os_headers(path):
                yield "os", line, f"<{target}>"

    if layer != "arch":
        for match in CONDITIONAL.finditer(text):
            if CPU_MACRO.search(match.group(1)):
                yield "cpu", line_of(match.start()), match.group(0).strip()
        for match in ASM.finditer(text):
            if match.group(1).strip():
                yield "cpu", line_of(match.start()), "assembly"

    if layer not in ("arch", "os") and not is_check(path):
        for match in SYSTEM_CALL.finditer(text):
            yield "os", line_of(match.start()), match.group(0)

    if rank <= LAYERS.index("fiber") and not is_check(path):
        words_in = text if layer == "fiber" else COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
        for number, line in enumerate(words_in.split("\n"), 1):
            for word in WORD.findall(line):
                if word.lower() in OPENMP_WORDS:
                    yield "openmp-word", number, f"'{word}'"


def check_tree(src):
    """Yields (path, rule, line, what) for every offence under src."""
    for layer in LAYERS:
        for file in sorted((src / layer).rglob("*")):
            if file.is_file() and file.suffix in SUFFIXES:
                path = file.relative_to(src).as_posix()
                for offence in check_file(path, file.read_text(encoding="utf-8", errors="replace")):
                    yield (path, *offence)


# rule (None: the sample is good), file, text after the licence line
SAMPLES = [
    (None, "fiber/good.cpp", '#include "os/os.hpp"\n#include "fiber/deque.hpp"\n#include <atomic>\nint spin;\n'),
    (None, "os/good.cpp", "#include <sys/mman.h>\n#include <pthread.h>\nlong id = arch::system_call(186, 0, 0, 0, 0);\n"),
    (None, "arch/x86_64/good.cpp", "#include <sys/auxv.h>\n#ifdef __x86_64__\n#endif\n"),
    (None, "base/fatal.cpp", "#include <unistd.h>\n"),
    (None, "omp/good.hpp", 'class Team;\n#include "fiber/fiber.hpp"\nasm volatile("" ::: "memory");\n'),
    (None, "base/model/good.hpp", "#include <ucontext.h>\n"),
    (None, "arch/good_for_test.hpp", "#include <sys/mman.h>\n"),
    (None, "fiber/good_test.cpp", "#include <pthread.h>\n// a team of one\n"),
    (None, "os/clock.hpp", "/* serves\n omp_get_wtime */\n"),
    (None, "fiber/good_model.cpp", '#include "base/model/checker.hpp"\n'),
    ("include-up", "os/bad.hpp", '#include "fiber/fiber.hpp"\n'),
    ("include-up", "fiber/bad_test.cpp", '#include "omp/omp.hpp"\n'),
    ("include-into", "fiber/bad.cpp", '#  include "os/futex.hpp"\n'),
    ("include-into", "abi/kmpc/bad.cpp", '#include "omp/team/team.hpp"\n'),
    ("include-style", "fiber/bad.cpp", '#include "deque.hpp"\n'),
    ("include-style", "fiber/bad.cpp", '#include "os/../base/base.hpp"\n'),
    ("cpu", "fiber/bad.hpp", "#if defined(__x86_64__)\n#endif\n"),
    ("cpu", "omp/bad.hpp", "#  ifdef __aarch64__\n#endif\n"),
    ("cpu", "base/bad.hpp", "#include <immintrin.h>\n"),
    ("cpu", "abi/bad.cpp", 'void f() { asm volatile("pause"); }\n'),
    ("os", "fiber/bad.cpp", "#include <pthread.h>\n"),
    ("os", "omp/bad.cpp", "#include <sys/mman.h>\n"),
    ("os", "base/text.cpp", "#include <unistd.h>\n"),
    ("os", "fiber/bad.cpp", "#include <linux/futex.h>\n"),
    ("os", "fiber/bad.cpp", "long id = arch::system_call(186, 0, 0, 0, 0);\n"),
    ("openmp-word", "fiber/bad.hpp", "int team_size;\n"),
    ("openmp-word", "fiber/bad.cpp", "struct OmpThread;\n"),
    ("openmp-word", "fiber/bad.cpp", "// as GOMP_barrier does\n"),
    ("openmp-word", "os/bad.cpp", "#include <cstdlib>\nauto x = getenv(\"OMP_NUM_THREADS\");\n"),
    (None, "fiber/good.cpp", "// " + "x" * (WIDTH - 3) + "\n"),
    ("width", "fiber/bad.cpp", "// " + "x" * (WIDTH - 2) + "\n"),
    ("licence", "fiber/bad.cpp", None),
]


def self_test():
    failures = 0
    for rule, path, body in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            src = pathlib.Path(folder)
            file = src / path
            file.parent.mkdir(parents=True)
            file.write_text("int x;\n" if body is None else f"// {LICENCE}\n{body}")
            found = {offence[1] for offence in check_tree(src)}
        expected = set() if rule is None else {rule}
        if found != expected:
            failures += 1
            print(f"self-test: {path} {body!r}: expected {expected or 'nothing'}, found {found or 'nothing'}")
    rules = {"include-up", "include-into", "include-style", "cpu", "os", "openmp-word", "width", "licence"}
    unproved = rules - {sample[0] for sample in SAMPLES}
    if unproved:
        failures += 1
        print(f"self-test: no sample breaks {sorted(unproved)}")
    print(f"{len(SAMPLES)} samples, {failures} wrong")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    offences = list(check_tree(pathlib.Path(arguments[0])))
    for path, rule, line, what in offences:
        print(f"src/{path}:{line}: {rule}: {what}")
    print(f"{len(offences)} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
