# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run with -P on the peers' lists, NAME_LISTS. Writes
# - ENTRIES, a C file with one weak entry for every function; each ends the program, naming itself. The C identifier is
#   a number and the real name is given to the assembler, so that a name the compiler knows as a builtin of its own
#   makes no trouble;
# - VERSIONS, a linker script that gives every function, wherever it is defined, a second name with each version that a
#   peer gives it.
cmake_minimum_required(VERSION 3.25)

set(names)
set(pairs)
foreach(list IN LISTS NAME_LISTS)
    file(STRINGS ${list} lines REGEX "^[^#]")
    foreach(line IN LISTS lines)
        if(line MATCHES "^([^ ]+) ([^ ]+)$")
            list(APPEND names ${CMAKE_MATCH_1})
            list(APPEND pairs "\"${CMAKE_MATCH_1}@${CMAKE_MATCH_2}\" = \"${CMAKE_MATCH_1}\"")
        elseif(NOT line MATCHES "^[^ ]+ [^ ]+ data$")
            message(FATAL_ERROR "${list}: not \"name node\" nor \"name node data\": ${line}")
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)
list(REMOVE_DUPLICATES pairs)
list(SORT pairs)

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
file(WRITE ${ENTRIES} "${text}")

list(JOIN pairs ";\n" text)
file(WRITE ${VERSIONS} "/* Written by entries.cmake. */\n${text};\n")
