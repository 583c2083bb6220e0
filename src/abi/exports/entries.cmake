# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run with -P: writes OUTPUT, a C file with one weak entry for every function named in NAME_LISTS. Each entry ends the
# program, naming itself. The C identifier is a number and the real name is given to the assembler, so that a name the
# compiler knows as a builtin of its own makes no trouble.
cmake_minimum_required(VERSION 3.25)

set(names)
foreach(list IN LISTS NAME_LISTS)
    file(STRINGS ${list} lines REGEX "^[^#]")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES " data$")
            string(REGEX MATCH "^[^ ]+" name "${line}")
            list(APPEND names ${name})
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)

set(text "/* Written by entries.cmake. */
__attribute__((noreturn, visibility(\"hidden\"))) void gossamer_unserved(const char* name);
#define ENTRY(number, name) \\
    __attribute__((noreturn, weak, visibility(\"default\"))) void gossamer_entry_##number(void) __asm__(name); \\
    void gossamer_entry_##number(void) { gossamer_unserved(name); }
")
set(number 0)
foreach(name IN LISTS names)
    string(APPEND text "ENTRY(${number}, \"${name}\")\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}")
