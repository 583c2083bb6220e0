# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gossamer_exports(target): gives the shared object every name and version of the peers' lists beside this file, and a
# weak entry for each name that nothing in the library defines. A definition anywhere overrides the entry, so serving a
# name needs no edit here. Why versions are made this way: docs/decisions/0003-version-nodes.md.
set(GOSSAMER_EXPORTS_DIR ${CMAKE_CURRENT_LIST_DIR})

function(gossamer_exports target)
    file(GLOB lists CONFIGURE_DEPENDS ${GOSSAMER_EXPORTS_DIR}/*.txt)
    set(map ${GOSSAMER_EXPORTS_DIR}/gossamer.map)
    set(entries ${CMAKE_CURRENT_BINARY_DIR}/unserved_entries.c)
    set(versions ${CMAKE_CURRENT_BINARY_DIR}/versions.ld)
    add_custom_command(OUTPUT ${entries} ${versions}
        COMMAND ${CMAKE_COMMAND} "-DNAME_LISTS=${lists}" -DENTRIES=${entries} -DVERSIONS=${versions}
            -P ${GOSSAMER_EXPORTS_DIR}/entries.cmake
        DEPENDS ${lists} ${GOSSAMER_EXPORTS_DIR}/entries.cmake
        COMMENT "Entries and versions of the exported names"
        VERBATIM)
    target_sources(${target} PRIVATE ${entries})
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} ${versions})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map} ${versions})
endfunction()
