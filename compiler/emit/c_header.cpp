// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/c_functions.h"
#include "compiler/emit/parts.h"
#include "pbc/version.h"
#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>

namespace pbc::emit {
namespace {

/// Text that a comment of C may hold.
std::string inComment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  for (std::size_t at = 0; (at = text.find("/*", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  return text;
}

/// "A[w, h]: double".
std::string described(const CArgument &a) {
  std::vector<std::string> extents;
  for (const sema::Affine &e : a.matrix->extents)
    extents.push_back(e.written);
  return fmt::format("{}{}: {}", a.name, extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", ")),
                     cType(a.matrix->element));
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

} // namespace

std::string cComment(const CFunction &f) {
  std::vector<std::string> from, to;
  for (const CArgument &a : f.arguments) {
    if (a.isUpdated())
      from.push_back(described(a));
    (a.isOutput() ? to : from).push_back(described(a));
  }
  std::string text = f.doc.empty() ? "" : f.doc + "\n";
  text +=
      fmt::format("{}: from {} to {}", f.transform->name,
                  from.empty() ? "nothing" : fmt::format("{}", fmt::join(from, ", ")), fmt::join(to, ", "));
  if (!f.accuracy.empty())
    text += fmt::format("\n{}: at {} this accurate; targets {}", f.accuracy,
                        f.transform->bins[1] < f.transform->bins[0] ? "most" : "least",
                        fmt::join(f.transform->bins, ", "));
  std::string out = "/* ";
  for (const char c : inComment(text))
    out += c == '\n' ? std::string("\n   ") : std::string(1, c);
  return out + " */\n";
}

std::string libraryHeader(const Input &in, poly::Context &context, const std::string &interface) {
  const std::string &name = in.library->name;
  std::string out = fmt::format("/* The functions of the library {0}, made by {1} from {2}.pbcc. */\n{3}\n"
                                "#ifndef PBC_{4}_H\n#define PBC_{4}_H\n\n"
                                "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
                                name, PBC_NAME_AND_VERSION, in.module.name, interface, upper(name));
  out += fmt::format(
      "/* Makes a context. If that fails, *context only serves to say why, and is to be destroyed; it is "
      "null where\n"
      "   memory is short. */\n"
      "int32_t pbc_{0}_create_for(int32_t abi_version, const pbc_options *options, pbc_context **context);\n"
      "static inline int32_t pbc_{0}_create(const pbc_options *options, pbc_context **context) {{\n"
      "  return pbc_{0}_create_for(PBC_ABI_VERSION, options, context);\n}}\n"
      "/* No call with the context may be under way. Null is allowed. */\n"
      "void pbc_{0}_destroy(pbc_context *context);\n"
      "/* Why the calling thread's last call with this context that failed did so. The text stays until this "
      "thread's\n"
      "   next call that fails. */\n"
      "const char *pbc_{0}_message(pbc_context *context);\n"
      "/* The values of all choices and tunables, as text of a configuration; it stays until the next such "
      "call. */\n"
      "const char *pbc_{0}_configuration(pbc_context *context);\n"
      "/* Frees memory that a function allocated; other arrays are left as they are. */\n"
      "void pbc_{0}_free(pbc_array *array);\n"
      "/* Tables of all functions, for programs that find them when they run. */\n"
      "const pbc_library *pbc_{0}_library(void);\n\n",
      name);
  for (const CFunction &f : cFunctions(in, context)) {
    const std::string parameters = cParameters(f);
    out += cComment(f) + fmt::format("int32_t {}(pbc_context *context{}{});\n\n", f.symbol,
                                     parameters.empty() ? "" : ", ", parameters);
  }
  return out + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

} // namespace pbc::emit
