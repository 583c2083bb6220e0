# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gossamer_exports(target): gives the shared object its version nodes, and a weak entry for every name in the peers'
# lists beside this file. A definition anywhere in the library overrides the entry, so serving a name needs no edit
# here.
set(GOSSAMER_EXPORTS_DIR ${CMAKE_CURRENT_LIST_DIR})

function(gossamer_exports target)
    file(GLOB lists CONFIGURE_DEPENDS ${GOSSAMER_EXPORTS_DIR}/*.txt)
    set(map ${GOSSAMER_EXPORTS_DIR}/gossamer.map)
    set(entries ${CMAKE_CURRENT_BINARY_DIR}/unserved_entries.c)
    add_custom_command(OUTPUT ${entries}
        COMMAND ${CMAKE_COMMAND} "-DNAME_LISTS=${lists}" -DOUTPUT=${entries} -P ${GOSSAMER_EXPORTS_DIR}/entries.cmake
        DEPENDS ${lists} ${GOSSAMER_EXPORTS_DIR}/entries.cmake
        COMMENT "Entries for names that are not served yet"
        VERBATIM)
    target_sources(${target} PRIVATE ${entries})
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
