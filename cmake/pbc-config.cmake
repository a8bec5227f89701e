# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# find_package(pbc): libraries and programs of .pbcc files in projects of C and C++.
#
#   find_package(pbc REQUIRED)
#   pbc_add_library(mm FILES mm.pbcc TUNED mm.cfg)       # libmm.so; STATIC: libmm.a
#   target_link_libraries(app PRIVATE mm)                # #include "mm.h", "mm.hpp"
#   pbc_add_executable(sort FILES sort.pbcc OPTIONS --cpu=multi)
#   pbc_add_configuration(mm.cfg FILES mm.pbcc TUNE --n=1000 --budget=5)
#
# FILES: the program, and after it files that it includes. TUNED: a configuration that is built in. OPTIONS: further ones
# of pbc. TUNE: options of `pbc tune`. PBC_STDLIB is the folder of the standard library.

get_filename_component(pbc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(PBC_EXECUTABLE "${pbc_prefix}/bin/pbc" CACHE FILEPATH "the compiler of .pbcc files")
set(PBC_STDLIB "${pbc_prefix}/share/pbc/stdlib")
set(PBC_INCLUDE_DIR "${pbc_prefix}/include") # pbc_cblas.h
unset(pbc_prefix)

# _pbc_command(TARGET OUTPUTS KIND ARGS...): the rule that makes the outputs, the first of which is the file that pbc is to
# write, and a target `TARGET_pbc` for it.
function(_pbc_command target outputs kind)
  cmake_parse_arguments(PARSE_ARGV 3 R "STATIC" "TUNED" "FILES;OPTIONS")
  if(R_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pbc: ${target}: no such argument: ${R_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT R_FILES)
    message(FATAL_ERROR "pbc: ${target} has no FILES")
  endif()
  set(files "")
  foreach(file IN LISTS R_FILES R_TUNED)
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files "${file}")
  endforeach()
  set(tuned "")
  if(R_TUNED)
    get_filename_component(tuned "${R_TUNED}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(tuned "--config=${tuned}")
  endif()
  list(GET files 0 program)
  list(GET outputs 0 output)
  add_custom_command(OUTPUT ${outputs} COMMAND ${PBC_EXECUTABLE} ${kind} ${program} -o ${output} ${tuned} ${R_OPTIONS}
    DEPENDS ${files} ${PBC_EXECUTABLE} COMMENT "pbc ${target}" VERBATIM)
  add_custom_target(${target}_pbc ALL DEPENDS ${outputs})
  if(R_TUNED)
    # Several libraries may have one configuration, which is then made before all of them.
    get_property(maker GLOBAL PROPERTY "PBC_MAKES ${tuned}")
    if(maker)
      add_dependencies(${target}_pbc ${maker})
    endif()
  endif()
endfunction()

function(pbc_add_library target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.pbc)
  file(MAKE_DIRECTORY ${folder})
  if("STATIC" IN_LIST ARGN)
    set(file ${folder}/lib${target}.a)
    _pbc_command(${target} "${file};${folder}/${target}.h;${folder}/${target}.hpp" --static ${ARGN})
    add_library(${target} STATIC IMPORTED GLOBAL)
    # What the runtime in the archive needs.
    find_package(Threads REQUIRED)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "png;z;stdc++;Threads::Threads;${CMAKE_DL_LIBS};m")
  else()
    set(file ${folder}/lib${target}.so)
    _pbc_command(${target} "${file};${folder}/${target}.h;${folder}/${target}.hpp" --shared ${ARGN})
    add_library(${target} SHARED IMPORTED GLOBAL)
  endif()
  add_dependencies(${target} ${target}_pbc)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${file} INTERFACE_INCLUDE_DIRECTORIES "${folder};${PBC_INCLUDE_DIR}")
endfunction()

# The configuration is made where it is first needed, and again when a file of the program has changed: FILE is relative to
# the folder of the build.
function(pbc_add_configuration file)
  cmake_parse_arguments(PARSE_ARGV 1 R "" "" "FILES;OPTIONS;TUNE")
  if(R_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pbc: ${file}: no such argument: ${R_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT R_FILES)
    message(FATAL_ERROR "pbc: ${file} has no FILES")
  endif()
  get_filename_component(name "${file}" NAME_WE)
  get_filename_component(file "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  set(sources "")
  foreach(source IN LISTS R_FILES)
    get_filename_component(source "${source}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources "${source}")
  endforeach()
  list(GET sources 0 source)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.tuned)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${file}
    COMMAND ${PBC_EXECUTABLE} ${source} -o ${folder}/${name} ${R_OPTIONS}
    COMMAND ${PBC_EXECUTABLE} tune ${folder}/${name} -o ${file} ${R_TUNE}
    DEPENDS ${sources} ${PBC_EXECUTABLE} COMMENT "pbc tune ${name}" VERBATIM)
  add_custom_target(${name}_tuned DEPENDS ${file})
  set_property(GLOBAL PROPERTY "PBC_MAKES --config=${file}" ${name}_tuned)
endfunction()

function(pbc_add_executable target)
  _pbc_command(${target} ${CMAKE_CURRENT_BINARY_DIR}/${target} "" ${ARGN})
endfunction()
