# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes OUTPUT, a C++ file that holds every header of runtime/abi as text, so that pbc needs no files of its own
# at run time.  cmake -DINPUTS=a.h,b.h -DOUTPUT=abi_headers.cpp -P embed.cmake
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "// Made by compiler/body/embed.cmake.\n#include \"compiler/body/abi_headers.h\"\n\nnamespace pbc::body {\n\n")
string(APPEND text "const std::vector<std::pair<std::string, std::string>> &abiHeaders() {\n")
string(APPEND text "  static const std::vector<std::pair<std::string, std::string>> headers = {\n")
foreach(input IN LISTS inputs)
  get_filename_component(name "${input}" NAME)
  file(READ "${input}" content)
  string(APPEND text "      {\"pb/${name}\", R\"pbc_header(${content})pbc_header\"},\n")
endforeach()
string(APPEND text "  };\n  return headers;\n}\n\n} // namespace pbc::body\n")
file(WRITE "${OUTPUT}" "${text}")
