// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/undefined.h"
#include "compiler/build/find_libraries.h"
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace pbc::driver {

namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The last place where this name occurs as a word: if there are a declaration and a use, this is the use.
std::optional<source::Span> lastUse(const source::MappedText &in, const std::string &name) {
  const std::string &text = in.text;
  for (auto at = text.rfind(name); at != std::string::npos;
       at = at ? text.rfind(name, at - 1) : std::string::npos) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
      return in.locate(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end));
  }
  return std::nullopt;
}

source::Span placeOf(const std::string &name, const sema::Module &module) {
  for (const auto &t : module.transforms)
    for (const auto &r : t.rules)
      if (r.body)
        if (const auto at = lastUse(r.body->text, name))
          return *at;
  for (const auto *raw : module.rawBlocks)
    if (const auto at = lastUse(raw->text, name))
      return *at;
  return module.transforms[module.mainTransform].span;
}

} // namespace

bool explainUndefined(const std::string &linkerSays, const sema::Module &module, source::Diagnostics &d) {
  const std::string mark = "undefined symbol: ";
  std::set<std::string> symbols;
  std::istringstream lines(linkerSays);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(mark); at != std::string::npos)
      symbols.insert(line.substr(at + mark.size()));
  for (const std::string &symbol : symbols) {
    // For a C++ function the name without its parameters.
    std::string name = symbol.substr(0, symbol.find('('));
    if (const auto colon = name.rfind(':'); colon != std::string::npos)
      name = name.substr(colon + 1);
    auto &error = d.error(placeOf(name, module),
                          fmt::format("`{}` is used, but none of the libraries defines it", symbol));
    if (const auto *provider = build::provider(symbol))
      error.help(fmt::format("it has the form of {}: install {} (pbc then finds it), or name the library and "
                             "its folder: {} -LFOLDER",
                             provider->name, provider->package, provider->flag));
    else
      error.help("define it in a raw block, or name the library that has it and its folder: -lNAME -LFOLDER");
  }
  return !symbols.empty();
}

} // namespace pbc::driver
