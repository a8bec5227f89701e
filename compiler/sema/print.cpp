// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/check.h"
#include <fmt/format.h>

namespace pbc::sema {

namespace {

std::string view(const Binding &b) {
  if (b.isCell)
    return "cell";
  return fmt::format("{}-d view", b.viewDims.size());
}

std::string extents(const std::vector<Affine> &list) {
  std::string out = "[";
  for (std::size_t d = 0; d < list.size(); ++d)
    out += (d ? ", " : "") + list[d].written;
  return out + "]";
}

void printRule(const Transform &t, const Rule &r, std::string &out) {
  out += fmt::format("  rule {}  priority {}", r.label, r.priority);
  if (!r.freeVariables.empty())
    out += fmt::format("  for [{}]", fmt::join(r.freeVariables, ", "));
  out += r.returnStyle ? "  returns\n" : "\n";
  for (const auto &b : r.outputs)
    out += fmt::format("    writes {}  {}{}\n", written(t, b), view(b), b.name.empty() ? "" : " " + b.name);
  for (const auto &b : r.inputs)
    out += fmt::format("    reads  {}  {} {}\n", written(t, b), view(b), b.name);
  for (const auto &l : r.locals)
    out += fmt::format("    using  {} : {} {}\n", l.name, extents(l.extents), name(l.element));
  for (const auto &c : r.where)
    out += fmt::format("    where  {}\n", written(c));
  if (r.library)
    out += fmt::format("    gpu    {}\n", r.library->entry);
}

} // namespace

std::string written(const Structure &s) {
  std::vector<std::string> words;
  if (s.stored != Structure::Half::All) {
    const char *half = s.stored == Structure::Half::Lower ? "lower" : "upper";
    words.push_back(s.isMirrored ? fmt::format("symmetric {}", half) : fmt::format("{}_triangular", half));
  } else if (s.isMirrored) {
    words.emplace_back("symmetric");
  }
  for (const auto &[is, word] : {std::pair(s.isUnit, "unit_diagonal"), {s.isTransposed, "transposed"}})
    if (is)
      words.emplace_back(word);
  if (s.band)
    words.push_back(fmt::format("banded({}, {})", s.band->first.written, s.band->second.written));
  if (s.isUnchecked)
    words.emplace_back("unchecked");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string print(const Module &m) {
  std::string out = fmt::format("module {}  main {}\n", m.name,
                                m.transforms.empty() ? "" : m.transforms[m.mainTransform].name);
  for (const auto &t : m.transforms) {
    out += fmt::format("transform {}  sizes [{}]\n", t.name, fmt::join(t.sizeVariables, ", "));
    static constexpr const char *roles[] = {"from", "to", "through"};
    for (const auto &matrix : t.matrices)
      out += fmt::format("  {} {} : {} {}{}\n", roles[static_cast<int>(matrix.role)], matrix.name,
                         extents(matrix.extents), name(matrix.element),
                         matrix.structure ? "  " + written(*matrix.structure) : "");
    for (const auto &k : t.tunables)
      out += fmt::format("  tunable {} {} in {} to {}\n", k.name, k.initial, k.minimum, k.maximum);
    for (const auto &r : t.rules)
      printRule(t, r, out);
    for (const auto &s : t.schedules)
      out += fmt::format("  schedule {} for {}{}\n{}", s.choice(), fmt::join(s.rules, " + "),
                         s.isOptional ? "  optional" : "", script::text(s.steps, "    "));
  }
  return out;
}

} // namespace pbc::sema
