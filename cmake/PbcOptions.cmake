# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# One interface target for how our own code is compiled, and two functions that keep the
# components' CMake files short.

set(PBC_LLVM_ROOT /usr/lib/llvm-19 CACHE PATH "where LLVM 19 is installed")

add_library(pbc_options INTERFACE)
# -Wno-restrict: g++ 12 warns about its own std::string operator+ (GCC bug 105651).
target_compile_options(pbc_options INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-restrict
  -ffunction-sections -fdata-sections)
# Several files of a component make one unit (tests, and all of the presets release, asan and lint): reading
# headers is most of the front end's time. g++ then takes their anonymous namespaces for those of a header.
target_compile_options(pbc_options INTERFACE -Wno-subobject-linkage)
# Clang compiles the presets asan and tsan, which are for what the sanitizers find: the warnings are those of g++.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(pbc_options INTERFACE -w -Wno-unknown-warning-option)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
# -O1 takes a third less of g++'s time than -O2, and most components parse, print or wait for Clang or a measurement. Those that
# search have -O2, and the runtime, which computes beside users' rules, has -O3 (runtime/CMakeLists.txt).
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
set(PBC_SEARCHING "/compiler/(choice|emulate|kernel|loop|poly|search)(/|$)")
# toml++ is a library of headers; its functions are compiled once, in runtime/config/toml_parser.cpp and
# tuner/space/toml_parser.cpp.
target_compile_definitions(pbc_options INTERFACE TOML_HEADER_ONLY=0)
# The version has one place, project(VERSION); sources include "pbc/version.h".
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${CMAKE_BINARY_DIR}/generated/pbc/version.h @ONLY)
target_include_directories(pbc_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(pbc_options INTERFACE $<$<CONFIG:Debug>:PB_TASK_CHECKS=1>)
if(PBC_VERIFY)
  target_compile_definitions(pbc_options INTERFACE PBC_VERIFY=1)
endif()
if(PBC_SANITIZE)
  target_compile_options(pbc_options INTERFACE -fsanitize=${PBC_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(pbc_options INTERFACE -fsanitize=${PBC_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # The macros by which g++ says that it sanitizes. Functions of other libraries are called through types of our own
    # (runtime/device/library), which -fsanitize=function takes for wrong.
    target_compile_options(pbc_options INTERFACE -fno-sanitize=function)
    if(PBC_SANITIZE MATCHES "address")
      target_compile_definitions(pbc_options INTERFACE __SANITIZE_ADDRESS__=1)
    endif()
    if(PBC_SANITIZE MATCHES "thread")
      target_compile_definitions(pbc_options INTERFACE __SANITIZE_THREAD__=1)
    endif()
  endif()
endif()
# Debian names the linker ld.lld-19; its unversioned name is in the folder of LLVM itself.
target_link_options(pbc_options INTERFACE -B${PBC_LLVM_ROOT}/bin -fuse-ld=lld -Wl,--gc-sections)

# pbc_component(NAME SOURCES a.cpp ... LINK lib ...): a static library of the project.
function(pbc_component name)
  cmake_parse_arguments(R "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${R_SOURCES})
  target_link_libraries(${name} PUBLIC pbc_options ${R_LINK})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "${PBC_SEARCHING}")
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
endfunction()

# pbc_test(NAME SOURCES a.cpp ... LINK lib ... [COSTLY Suite.Case ...]): a GoogleTest program whose cases ctest sees one by one. Their label
# is the folder below tests/ ("unit", "golden", ...); the target unit_tests builds all programs below tests/unit, runtime_unit_tests those
# of what runs, tunes and models programs, and compiler_unit_tests the others. Costly cases are in four parts (pbc_in_parts), by their names.
# Compiled for a short build, not for speed.
add_custom_target(runtime_unit_tests)
add_custom_target(compiler_unit_tests)
add_custom_target(unit_tests DEPENDS runtime_unit_tests compiler_unit_tests)
# Under a sanitizer a process takes longer to begin than most tests: some processes run all tests of a component.
set(PBC_TEST_SHARDS 0 CACHE STRING "processes for the tests of a component (0: one for each test)")
option(PBC_UNITY_TESTS "several files of a test program make one unit, whatever CMAKE_UNITY_BUILD says" ON)
function(pbc_test name)
  cmake_parse_arguments(R "" "" "SOURCES;LINK;COSTLY" ${ARGN})
  add_executable(${name} ${R_SOURCES})
  target_link_libraries(${name} PRIVATE pbc_options ${R_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${PBC_UNITY_TESTS})
  file(RELATIVE_PATH label ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" label "${label}")
  set(labels "${label}")
  if(label STREQUAL "unit")
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    set(half compiler)
    if(folder MATCHES "^(device|embed|runtime|task|tuner|model)$")
      set(half runtime)
    endif()
    add_dependencies(${half}_unit_tests ${name})
    list(APPEND labels unit-${half}) # of shards: gtest_discover_tests takes one label only
  endif()
  include(GoogleTest)
  if(PBC_TEST_SHARDS GREATER 0)
    math(EXPR last "${PBC_TEST_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}.shard${shard} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${name}.shard${shard} PROPERTIES TIMEOUT 600 LABELS "${labels}"
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${PBC_TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
      if(PBC_TEST_SHARDS EQUAL 4)
        pbc_in_parts(4 ${shard} ${name}.shard${shard})
      endif()
    endforeach()
    return()
  endif()
  # gtest_discover_tests takes one label only, so that costly cases have that of their part.
  foreach(case IN LISTS R_COSTLY)
    pbc_part_of(part 4 ${case})
    gtest_discover_tests(${name} TEST_FILTER "${case}" TEST_LIST ${name}_${case} DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 300 COST 20 LABELS part-${part}-of-4)
  endforeach()
  list(JOIN R_COSTLY ":" costly)
  gtest_discover_tests(${name} TEST_FILTER "-${costly}" DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 LABELS "${label}")
endfunction()

# pbc_in_parts(PARTS KEY TEST...): these tests cost much and are of a kind of which scripts/test runs one part of PARTS (2, 4, 8, 16, 24 or 40) for a
# commit: the label says which one, chosen by the key, so that tests with the same key run together (the first compiles for the
# others). A key that is a number is the part itself. `ctest` alone runs all of them; scripts/other-parts has the labels to leave out.
function(pbc_in_parts parts key)
  if(NOT parts MATCHES "^([248]|16|24|40)$")
    message(FATAL_ERROR "${parts} parts: scripts/other-parts knows 2, 4, 8, 16, 24 and 40")
  endif()
  pbc_part_of(part ${parts} ${key})
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY LABELS part-${part}-of-${parts})
  endforeach()
endfunction()

# pbc_part_of(VARIABLE PARTS KEY): the part that a key chooses.
function(pbc_part_of variable parts key)
  if(key MATCHES "^[0-9]+$")
    math(EXPR part "${key} % ${parts}")
  else()
    string(MD5 hash "${key}")
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR part "0x${hash} % ${parts}")
  endif()
  set(${variable} ${part} PARENT_SCOPE)
endfunction()

# pbc_test_files(VARIABLE PATTERN...): the files that tests are made of, found again by each build; there must be some.
function(pbc_test_files variable)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  if(NOT found)
    message(FATAL_ERROR "no file for the tests of ${CMAKE_CURRENT_SOURCE_DIR}: ${ARGN}")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# Adds every folder below this one that has a CMakeLists.txt; one without is searched one folder deeper.
# A new component is found by the next build, without a change anywhere else. PBC_COMPONENTS narrows the build while one works
# in one component: -DPBC_COMPONENTS="runtime/|tests/unit/runtime".
set(PBC_COMPONENTS "" CACHE STRING "regular expression: build only the components whose folder matches (empty: all)")
function(pbc_add_components)
  file(GLOB near CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  file(GLOB far CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */*/CMakeLists.txt)
  foreach(file IN LISTS near far)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(parent ${folder} DIRECTORY)
    file(RELATIVE_PATH component ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    if(PBC_COMPONENTS AND NOT component MATCHES "${PBC_COMPONENTS}")
      continue()
    endif()
    if("${parent}" STREQUAL "" OR NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${parent}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
