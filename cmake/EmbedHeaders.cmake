# cmake -DOUTPUT=x.cpp -DHEADERS=a.h,b.h -P EmbedHeaders.cmake: the texts of the headers as C++
# (compiler/build/embedded_headers.h).

set(text "#include \"compiler/build/embedded_headers.h\"\n\n"
  "const std::vector<std::pair<std::string, std::string>> &pbc::build::abiHeaders() {\n"
  "  static const std::vector<std::pair<std::string, std::string>> headers = {\n")
string(CONCAT text ${text})
string(REPLACE "," ";" headers "${HEADERS}")
foreach(header IN LISTS headers)
  get_filename_component(name "${header}" NAME)
  file(READ "${header}" body)
  string(APPEND text "    {\"pb/${name}\", R\"pb_text(${body})pb_text\"},\n")
endforeach()
string(APPEND text "  };\n  return headers;\n}\n")
file(WRITE "${OUTPUT}" "${text}")
