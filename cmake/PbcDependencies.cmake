# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every package that the project uses, found once. Why LLVM, isl and ANTLR are linked statically:
# docs/decisions/0002-static-llvm.md.

find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)

# isl, statically: Polly's archive, whose numbers are machine words as long as they fit (docs/decisions/0043-isl-of-polly.md). The headers
# are those of libisl-dev, which has the C++ ones.
find_library(PBC_ISL_LIBRARY libPollyISL.a PATHS ${PBC_LLVM_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
add_library(pbc_isl INTERFACE)
target_link_libraries(pbc_isl INTERFACE ${PBC_ISL_LIBRARY})

# LLVM, Clang and LLD 19 from their archives.
execute_process(COMMAND ${PBC_LLVM_ROOT}/bin/llvm-config --link-static --libfiles x86 nvptx passes irreader
    option frontendopenmp frontendhlsl frontenddriver windowsdriver coverage lto target mc asmparser
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives UNIX_COMMAND "${llvm_archives}")
list(FILTER llvm_archives EXCLUDE REGEX "Polly|LLVMExtensions") # nobody calls Polly
file(GLOB clang_archives ${PBC_LLVM_ROOT}/lib/libclang[A-Z]*.a)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(Z3_LIBRARY z3 REQUIRED)
include(PbcLlvmStubs)
add_library(pbc_llvm INTERFACE)
target_include_directories(pbc_llvm SYSTEM INTERFACE ${PBC_LLVM_ROOT}/include)
target_link_libraries(pbc_llvm INTERFACE pbc_llvm_stubs
  -Wl,--start-group ${clang_archives} ${PBC_LLVM_ROOT}/lib/liblldELF.a ${PBC_LLVM_ROOT}/lib/liblldCommon.a
  ${llvm_archives} -Wl,--end-group
  -Wl,--as-needed ZLIB::ZLIB ${ZSTD_LIBRARY} ${Z3_LIBRARY} ${CMAKE_DL_LIBS} rt m)

# The grammar: ANTLR 4.7.2 makes the parser, runtime 4.9 runs it.
find_package(antlr4-runtime CONFIG REQUIRED)
find_program(ANTLR4_TOOL antlr4 REQUIRED)
