# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Two names that the static archives of Clang and lld ask for and that we do not want to link:
# clangCodeGen names the Polly extension that Debian builds in (whose optimiser nobody needs here), and lld
# initialises every target that LLVM was built with, of which only X86 and NVPTX are linked.

file(STRINGS ${PBC_LLVM_ROOT}/include/llvm/Config/Targets.def targets REGEX "^LLVM_TARGET\\(")
set(text [[
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "off", [](llvm::PassBuilder &) {}};
}

extern "C" {
]])
foreach(target IN LISTS targets)
  string(REGEX REPLACE "^LLVM_TARGET\\((.*)\\)" "\\1" target "${target}")
  if(NOT target MATCHES "^(X86|NVPTX)$")
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND text "void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
string(APPEND text "}\n")
set(stubs ${CMAKE_BINARY_DIR}/generated/llvm_stubs.cpp)
file(GENERATE OUTPUT ${stubs} CONTENT "${text}")
add_library(pbc_llvm_stubs STATIC ${stubs})
target_include_directories(pbc_llvm_stubs SYSTEM PRIVATE ${PBC_LLVM_ROOT}/include)

# LLVM's headers poison the memory of its allocators where they see AddressSanitizer; the archives, compiled without it,
# do not unpoison it again. As a whole archive: libasan has a definition of its own.
if(PBC_SANITIZE MATCHES address)
  set(asan_options ${CMAKE_BINARY_DIR}/generated/asan_options.cpp)
  file(GENERATE OUTPUT ${asan_options}
    CONTENT "extern \"C\" const char *__asan_default_options() { return \"allow_user_poisoning=0\"; }\n")
  add_library(pbc_asan_options STATIC ${asan_options})
  target_link_libraries(pbc_llvm_stubs INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,pbc_asan_options>)
endif()
