# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The files of `make install` and their folders. The aliases get a folder of their own: in the system's library folder
# they would replace other runtimes for every program on the machine.
if(NOT TARGET gossamer)
    return()
endif()
include(CMakePackageConfigHelpers)

set(private_dir ${CMAKE_INSTALL_LIBDIR}/gossamer)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Gossamer)

install(TARGETS gossamer EXPORT GossamerTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    file(MAKE_DIRECTORY \"\${folder}/gossamer\")
    file(CREATE_LINK libomp-gossamer.so \"\${folder}/libgossamer.so\" SYMBOLIC)
    foreach(alias ${GOSSAMER_ALIASES})
        file(CREATE_LINK ../libomp-gossamer.so \"\${folder}/gossamer/\${alias}\" SYMBOLIC)
    endforeach()")

if(TARGET gossamer_command)
    install(TARGETS gossamer_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET gossamer_audit)
    install(TARGETS gossamer_audit LIBRARY DESTINATION ${private_dir})
endif()

# find_package(Gossamer) gives Gossamer::omp.
set_target_properties(gossamer PROPERTIES EXPORT_NAME omp)
install(EXPORT GossamerTargets NAMESPACE Gossamer:: DESTINATION ${package_dir})
configure_package_config_file(cmake/GossamerConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/GossamerConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS private_dir)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/GossamerConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/GossamerConfig.cmake ${CMAKE_BINARY_DIR}/cmake/GossamerConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config finds the prefix from the .pc file's own folder, so an installation can be moved.
string(REGEX REPLACE "[^/]+" ".." up_from_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(cmake/gossamer.pc.in ${CMAKE_BINARY_DIR}/cmake/gossamer.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/gossamer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Users of gdb source this file.
install(FILES tools/gdb/gossamer-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer)

install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
