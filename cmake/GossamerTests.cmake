# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# These functions make programs of a layer's unit tests, models and microbenchmarks. src/CMakeLists.txt calls
# gossamer_layer_checks once for each layer.

if(CMAKE_CROSSCOMPILING)
    # A distribution's GoogleTest library is for the host; other targets build it from its sources.
    if(EXISTS /usr/src/googletest/CMakeLists.txt)
        set(INSTALL_GTEST OFF)
        set(BUILD_GMOCK OFF)
        add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
        if(NOT TARGET GTest::gtest_main)
            add_library(GTest::gtest_main ALIAS gtest_main)
        endif()
    else()
        message(FATAL_ERROR "Cross-built unit tests need GoogleTest's sources in /usr/src/googletest (package googletest)")
    endif()
else()
    find_package(GTest REQUIRED)
    find_package(benchmark QUIET)
endif()
include(GoogleTest)

# A program made of its own sources and the object files of the given layers.
function(gossamer_add_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${GOSSAMER_TEST_DIR})
    target_link_libraries(${name} PRIVATE gossamer_common ${arg_LIBRARIES})
    foreach(layer IN LISTS arg_LAYERS)
        target_sources(${name} PRIVATE $<TARGET_OBJECTS:gossamer_${layer}>)
    endforeach()
endfunction()

# layers: this layer and those below it that have sources.
function(gossamer_layer_checks layer)
    cmake_parse_arguments(arg "" "" "TESTS;MODELS;MODEL_SUPPORT;BENCHMARKS;LAYERS" ${ARGN})
    if(arg_TESTS)
        gossamer_add_program(${layer}_test SOURCES ${arg_TESTS} ${arg_MODEL_SUPPORT} LAYERS ${arg_LAYERS} LIBRARIES GTest::gtest_main)
        gtest_discover_tests(${layer}_test TEST_PREFIX "${layer}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
            PROPERTIES LABELS unit TIMEOUT 120)
    endif()
    if(CMAKE_CROSSCOMPILING OR GOSSAMER_SANITIZE STREQUAL thread)
        return()  # the models' checker switches stacks without telling ThreadSanitizer
    endif()
    foreach(source IN LISTS arg_MODELS)
        get_filename_component(name ${source} NAME_WE)
        gossamer_add_program(${name} SOURCES ${source} ${arg_MODEL_SUPPORT} LAYERS ${arg_LAYERS})
        add_test(NAME model/${name} COMMAND ${name})
        set_tests_properties(model/${name} PROPERTIES LABELS model TIMEOUT 900)
    endforeach()
    if(TARGET benchmark::benchmark_main)
        foreach(source IN LISTS arg_BENCHMARKS)
            get_filename_component(name ${source} NAME_WE)
            gossamer_add_program(${name} SOURCES ${source} LAYERS ${arg_LAYERS} LIBRARIES benchmark::benchmark_main)
        endforeach()
    endif()
endfunction()
