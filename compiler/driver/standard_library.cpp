// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/standard_library.h"
#include "compiler/source/installed.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace pbc::driver {

namespace {

/// Calls `f` for each word of a C++ text, including those in comments: an additional word is harmless.
template <class F>
void eachWord(const std::string &text, F f) {
  const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isPart(text[end]))
      ++end;
    if (end > at)
      f(text.substr(at, end - at));
    at = end + 1;
  }
}

} // namespace

std::string standardFolder() { return source::installedFolder("PBC_STDLIB", "stdlib"); }

void leaveOutUnused(syntax::Program &program, const source::SourceManager &sources, const std::string &folder,
                    const std::string &mainName) {
  const auto isStandard = [&](const syntax::Transform &t) {
    const source::FileId file = t.name.span.file;
    return !folder.empty() && file < sources.fileCount() && sources.path(file).starts_with(folder + "/");
  };
  std::map<std::string, std::vector<const syntax::Transform *>> byName;
  std::vector<const syntax::Transform *> next;
  for (const syntax::Transform &t : program.transforms) {
    byName[t.name.text].push_back(&t);
    if (!isStandard(t))
      next.push_back(&t);
  }
  if (next.empty())
    return;
  std::set<std::string> used;
  const auto use = [&](const std::string &name) {
    if (const auto found = byName.find(name); found != byName.end() && used.insert(name).second)
      next.insert(next.end(), found->second.begin(), found->second.end());
  };
  use(mainName.substr(0, mainName.find('<')));
  while (!next.empty()) {
    const syntax::Transform &t = *next.back();
    next.pop_back();
    for (const syntax::NameClause &clause : t.names)
      use(clause.name.text);
    for (const syntax::Rule &rule : t.rules)
      eachWord(rule.body.text.text, use);
  }
  std::erase_if(program.transforms,
                [&](const syntax::Transform &t) { return isStandard(t) && !used.count(t.name.text); });
}

} // namespace pbc::driver
