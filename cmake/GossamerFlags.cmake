# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two interface targets: gossamer_common for every source of the project, gossamer_runtime for the sources of the
# shared object, which must do without a C++ run-time library.
include(CheckCXXCompilerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
foreach(language C CXX ASM)
    # Release builds have debug information too: users' backtraces go through this library.
    set(CMAKE_${language}_FLAGS_RELEASE "-O2 -g -DNDEBUG")
    set(CMAKE_${language}_FLAGS_DEBUG "-Og -g")
endforeach()

add_library(gossamer_common INTERFACE)
target_include_directories(gossamer_common INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(gossamer_common INTERFACE GOSSAMER_VERSION="${PROJECT_VERSION}")
target_compile_options(gossamer_common INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wformat=2>
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
    $<$<AND:$<BOOL:${GOSSAMER_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # The code may jump to the stack switch out of any function, and the switch writes below the stack pointer.
    target_compile_options(gossamer_common INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-mno-red-zone>)
endif()
if(GOSSAMER_SANITIZE)
    target_compile_options(gossamer_common INTERFACE -fsanitize=${GOSSAMER_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(gossamer_common INTERFACE -fsanitize=${GOSSAMER_SANITIZE})
    if(GOSSAMER_SANITIZE STREQUAL thread)
        # ThreadSanitizer does not follow fences; the models check the code that relies on one.
        target_compile_options(gossamer_common INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-tsan>)
    endif()
endif()
find_package(Threads REQUIRED)
target_link_libraries(gossamer_common INTERFACE Threads::Threads)

add_library(gossamer_runtime INTERFACE)
target_link_libraries(gossamer_runtime INTERFACE gossamer_common)
target_compile_options(gossamer_runtime INTERFACE
    -fPIC
    # How fast a short function or loop is depends on where it begins in a cache line, by up to a seventh; so let that not depend
    # on the size of others.
    -falign-functions=64
    -falign-loops=32
    $<$<COMPILE_LANGUAGE:C,CXX>:-fvisibility=hidden -fno-semantic-interposition -fno-plt>
    # A guarded function-local static would need the C++ run-time library; without guards it would race. With guards
    # on, the link fails on the guard's undefined symbol, as it should.
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fvisibility-inlines-hidden>)

# Thread-local variables through descriptors are fast, and the shared object needs no slot in the static TLS block, so
# it can be loaded late. AArch64 compilers use descriptors by default.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    check_cxx_compiler_flag(-mtls-dialect=gnu2 GOSSAMER_HAS_TLSDESC)
    if(GOSSAMER_HAS_TLSDESC)
        target_compile_options(gossamer_runtime INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-mtls-dialect=gnu2>)
    endif()
endif()
