// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks a rule's counterpart in a library for devices: `gpu cublas.gemm(c, a, b)`. The header is steps.h.
#include "compiler/sema/steps.h"
#include "runtime/device/library/entries.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::sema {

namespace {

using pb::device::kLibraryEntries;
using pb::device::LibraryEntry;

class LibraryChecker {
public:
  LibraryChecker(const Transform &t, const Rule &rule, const syntax::LibraryCall &call,
                 source::Diagnostics &d)
      : t_(t), rule_(rule), call_(call), d_(d) {}

  std::optional<LibraryUse> run() {
    const unsigned before = d_.errorCount();
    const LibraryEntry *entry = pb::device::findEntry(call_.entry.text);
    if (!entry) {
      unknownEntry();
      return std::nullopt;
    }
    if (static_cast<int>(call_.arguments.size()) != entry->count) {
      d_.error(call_.span, fmt::format("`{}` takes {} matrices, found {}", entry->name, entry->count,
                                       call_.arguments.size()))
          .help(about(*entry));
      return std::nullopt;
    }
    for (int k = 0; k < entry->count; ++k)
      argument(*entry, k);
    leftOut(*entry);
    if (d_.errorCount() != before)
      return std::nullopt;
    return use_;
  }

private:
  static std::string about(const LibraryEntry &entry) {
    std::string parameters;
    for (int k = 0; k < entry.count; ++k) {
      const std::string extents = entry.parameters[k].extents;
      parameters += fmt::format("{}{}[{}]", k ? ", " : "", entry.parameters[k].name,
                                fmt::join(extents.begin(), extents.end(), ", "));
    }
    return fmt::format("`{}({})` computes {}", entry.name, parameters, entry.computes);
  }

  void unknownEntry() {
    std::vector<std::string> names;
    for (const LibraryEntry &entry : kLibraryEntries)
      names.emplace_back(entry.name);
    auto &error = d_.error(call_.entry.span,
                           fmt::format("no library for devices has the entry `{}`", call_.entry.text));
    const std::string hint = nearest(call_.entry.text, names);
    error.help(!hint.empty() ? hint : fmt::format("there are {}", fmt::join(names, ", ")));
  }

  const Binding *find(const std::string &name) const {
    for (const auto *list : {&rule_.outputs, &rule_.inputs})
      for (const Binding &b : *list)
        if (b.name == name)
          return &b;
    return nullptr;
  }

  static bool isWhole(const Transform &t, const Binding &b) {
    const Matrix &m = t.matrices[static_cast<std::size_t>(b.matrix)];
    for (int d = 0; d < m.rank(); ++d)
      if (b.begin[d].written != "0" || b.end[d].written != m.extents[d].written)
        return false;
    return true;
  }

  void argument(const LibraryEntry &entry, int k) {
    const auto &wanted = entry.parameters[k];
    const Identifier &given = call_.arguments[static_cast<std::size_t>(k)];
    const Binding *b = find(given.text);
    if (!b) {
      std::vector<std::string> names;
      for (const auto *list : {&rule_.outputs, &rule_.inputs})
        for (const Binding &each : *list)
          names.push_back(each.name);
      auto &error = d_.error(given.span, fmt::format("the rule has no region `{}`", given.text));
      const std::string hint = nearest(given.text, names);
      error.help(!hint.empty() ? hint : fmt::format("its regions are {}", fmt::join(names, ", ")));
      return;
    }
    const Matrix &m = t_.matrices[static_cast<std::size_t>(b->matrix)];
    if (b->isOutput != wanted.isOutput)
      d_.error(given.span, fmt::format("`{}` {} `{}`, but the rule {} it", entry.name,
                                       wanted.isOutput ? "writes" : "reads", given.text,
                                       b->isOutput ? "writes" : "reads"))
          .note(b->span, fmt::format("`{}` is this region", given.text))
          .help(about(entry));
    else if (m.rank() != wanted.rank())
      d_.error(given.span,
               fmt::format("`{}` needs a matrix of {} dimension{} as `{}`; `{}` has {}", entry.name,
                           wanted.rank(), wanted.rank() == 1 ? "" : "s", wanted.name, m.name, m.rank()))
          .note(m.span, "declared here")
          .help(about(entry));
    else if (!isWhole(t_, *b))
      d_.error(given.span, fmt::format("`{}` is a part of `{}`: entries of libraries take whole matrices",
                                       given.text, m.name))
          .note(b->span, "this part")
          .help("make the part a matrix of a transform of its own, and call that");
    else
      element(entry, m, given), extents(entry, wanted, m, given);
    use_.matrices.push_back(b->matrix);
    use_.outputs += wanted.isOutput;
  }

  void element(const LibraryEntry &entry, const Matrix &m, const Identifier &given) {
    const bool isTaken = m.element == Element::F64 || m.element == Element::F32 ||
                         (entry.takesIntegers && m.element != Element::U8);
    if (!isTaken)
      d_.error(given.span, fmt::format("`{}` takes {}; `{}` is {}", entry.name,
                                       entry.takesIntegers ? "double, float, int or long" : "double or float",
                                       m.name, name(m.element)))
          .note(m.span, "declared here");
    else if (first_ && first_->element != m.element)
      d_.error(given.span, fmt::format("`{}` takes matrices of one type; `{}` is {}, `{}` is {}", entry.name,
                                       first_->name, name(first_->element), m.name, name(m.element)))
          .note(first_->span, "declared here")
          .note(m.span, "and here");
    if (!first_)
      first_ = &m;
  }

  /// Sizes that the entry requires to be equal must be written in the same way, because they are compared as
  /// text.
  void extents(const LibraryEntry &entry, const pb::device::EntryParameter &wanted, const Matrix &m,
               const Identifier &given) {
    for (int d = 0; d < m.rank(); ++d) {
      const char letter = wanted.extents[d];
      const Affine &found = m.extents[static_cast<std::size_t>(d)];
      const std::string first = letter >= '0' && letter <= '9'
                                    ? std::string(1, letter)
                                    : sizes_.emplace(letter, found.written).first->second;
      if (first == found.written)
        continue;
      auto &error =
          d_.error(given.span, fmt::format("`{}` needs {} as size {} of `{}`; `{}` has {}", entry.name, first,
                                           d + 1, wanted.name, m.name, found.written));
      error.note(m.span, "declared here").help(about(entry));
      return;
    }
  }

  /// Everything that the rule writes must be written by the entry.
  void leftOut(const LibraryEntry &entry) {
    for (const Binding &b : rule_.outputs)
      if (std::none_of(call_.arguments.begin(), call_.arguments.end(),
                       [&](const Identifier &a) { return a.text == b.name; }))
        d_.error(call_.span,
                 fmt::format("`{}` does not compute `{}`, which the rule does", entry.name, b.name))
            .note(b.span, "computed by the rule")
            .help(about(entry));
  }

  const Transform &t_;
  const Rule &rule_;
  const syntax::LibraryCall &call_;
  source::Diagnostics &d_;
  LibraryUse use_{call_.entry.text, {}, 0, call_.span};
  const Matrix *first_ = nullptr;
  std::map<char, std::string> sizes_; // by the entry's letter
};

} // namespace

std::optional<LibraryUse> checkLibrary(const Transform &t, const Rule &rule, const syntax::Rule &in,
                                       source::Diagnostics &d) {
  if (in.library.empty())
    return std::nullopt;
  if (in.library.size() > 1) {
    d.error(in.library[1].span, "the rule has two entries of libraries")
        .note(in.library[0].span, "the first one is here")
        .help("write two rules: which is faster, the tuner finds out");
    return std::nullopt;
  }
  for (const Binding &input : rule.inputs)
    if (const Matrix &m = t.matrices[static_cast<std::size_t>(input.matrix)];
        m.structure && m.structure->hides()) {
      d.error(in.library.front().span,
              fmt::format("`{}` is {}, and functions of libraries read its memory as it is", m.name,
                          written(*m.structure)))
          .note(m.structure->span, "the structure is here")
          .help("give the rule with the library's function to a transform without the structure");
      return std::nullopt;
    }
  return LibraryChecker(t, rule, in.library.front(), d).run();
}

} // namespace pbc::sema
