// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/library_product.h"
#include "compiler/body/abi_headers.h"
#include "compiler/driver/problems.h"
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

namespace fs = std::filesystem;

/// "fast" of "build/libfast.so.1".
std::string libraryName(const Options &options) {
  std::string name = fs::path(options.output).filename().string();
  name = name.substr(0, name.find('.'));
  if (name.starts_with("lib") && name.size() > 3)
    name = name.substr(3);
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  if (name.empty())
    throw Refusal(fmt::format("pbc: error: the file {} gives the library no name\nhelp: -o libNAME.so\n",
                              options.output));
  return name;
}

/// What all headers of libraries begin with.
std::string interfaceText(std::string_view header) {
  for (const auto &[name, text] : body::abiHeaders())
    if (name == header)
      return text;
  throw InternalError("the interface of libraries is not among the headers of the runtime");
}

} // namespace

emit::Library libraryOf(const Compilation &c) {
  emit::Library library{libraryName(c.options), {}};
  const auto isStandard = [&](source::FileId file) {
    return !c.standardFolder.empty() && file < c.sources.fileCount() &&
           c.sources.path(file).starts_with(c.standardFolder + "/");
  };
  for (const sema::Transform &t : c.module.transforms)
    library.isCallable.push_back(t.span.file == c.file || !isStandard(t.span.file));
  return library;
}

void addHeaders(Compilation &c) {
  const fs::path header = c.options.header.empty()
                              ? fs::path(c.options.output).parent_path() / (libraryName(c.options) + ".h")
                              : fs::path(c.options.header);
  const emit::Input input = inputOf(c);
  c.written.add(header.string(), {emit::libraryHeader(input, c.context, interfaceText("pb/pbc.h"))});
  c.written.add(
      fs::path(header).replace_extension(".hpp").string(),
      {emit::libraryCxxHeader(input, c.context, header.filename().string(), interfaceText("pb/pbc_cxx.h"))});
}

void addLibrary(const Compilation &c, build::LinkRequest &request) {
  request.kind = build::LinkRequest::Kind::SharedLibrary;
  const std::string &name = c.library->name;
  // A program that opens libraries when it runs need not know their names.
  request.extraArguments.insert(request.extraArguments.end(),
                                {"-soname", fs::path(c.options.output).filename().string(),
                                 fmt::format("--defsym=pbc_this_library=pbc_{}_library", name)});
  request.versionScript = fmt::format("{{ global: pbc_{}_*; pbc_this_library; local: *; }};\n", name);
}

} // namespace pbc::driver
