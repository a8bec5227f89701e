// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/labels.h"
#include <fmt/format.h>
#include <map>
#include <set>

namespace pbc::sema {

namespace {

const syntax::Identifier *writtenLabel(const syntax::Rule &rule) {
  const syntax::Identifier *label = nullptr;
  for (const auto &flag : rule.flags)
    if (flag.kind == syntax::Flag::Kind::Label)
      label = &*flag.name;
  return label;
}

} // namespace

std::vector<std::string> labelsOf(const std::string &transform, const std::vector<syntax::Rule> &rules,
                                  source::Diagnostics &d) {
  std::set<std::string> wanted;
  for (const syntax::Rule &rule : rules)
    if (const auto *label = writtenLabel(rule))
      wanted.insert(label->text);
  std::map<std::string, source::Span> taken;
  std::vector<std::string> labels(rules.size());
  const auto give = [&](std::size_t r, const std::string &name, source::Span where) {
    const auto first = taken.find(name);
    labels[r] = name;
    for (int number = 2; taken.count(labels[r]) || (number > 2 && wanted.count(labels[r])); ++number)
      labels[r] = fmt::format("{}_{}", name, number);
    taken.emplace(labels[r], where);
    if (first != taken.end())
      d.warning(where, fmt::format("two rules of `{}` are called `{}`: this one is `{}`", transform, name,
                                   labels[r]))
          .note(first->second, "the other one is here")
          .help("configurations name rules by their labels: give each its own");
  };
  // Written labels are given first, so that the names of rules without a label do not take them.
  for (std::size_t r = 0; r < rules.size(); ++r)
    if (const auto *label = writtenLabel(rules[r]))
      give(r, label->text, label->span);
  for (std::size_t r = 0; r < rules.size(); ++r)
    if (!writtenLabel(rules[r]))
      give(r, fmt::format("rule{}", r), rules[r].headerSpan);
  return labels;
}

} // namespace pbc::sema
