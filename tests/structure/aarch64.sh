#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64.sh SOURCE BUILD: builds the library and its unit tests for AArch64 and runs the tests under qemu-user.
# Where a tool is missing, names it and exits with 77.
set -eu
source=$1
build=$2

for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "skipped: no $tool here (packages g++-aarch64-linux-gnu, qemu-user)"
        exit 77
    fi
done
if [ ! -f /usr/src/googletest/CMakeLists.txt ]; then
    echo "skipped: no GoogleTest sources in /usr/src/googletest (package googletest)"
    exit 77
fi

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$source/cmake/aarch64.toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DGOSSAMER_TOOLS=OFF >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" -j 2
ctest --test-dir "$build" --output-on-failure -L unit
