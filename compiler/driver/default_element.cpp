// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/default_element.h"

#include "runtime/device/library/entries.h"

#include <algorithm>
#include <set>

namespace pbc::driver {

namespace {

bool isTaken(const syntax::LibraryCall &call, sema::Element element) {
  using sema::Element;
  const pb::device::LibraryEntry *entry = pb::device::findEntry(call.entry.text);
  return !entry || element == Element::F64 || element == Element::F32 ||
         (entry->takesIntegers && element != Element::U8);
}

/// Whether one of the regions that the call names is of these matrices.
bool isOf(const syntax::LibraryCall &call, const syntax::Rule &rule, const std::set<std::string> &matrices) {
  for (const auto *regions : {&rule.outputs, &rule.inputs})
    for (const syntax::Region &r : *regions)
      if (r.name && matrices.contains(r.matrix.text) &&
          std::any_of(call.arguments.begin(), call.arguments.end(),
                      [&](const syntax::Identifier &a) { return a.text == r.name->text; }))
        return true;
  return false;
}

} // namespace

void setDefaultElement(syntax::Program &program, sema::Element element) {
  if (element == sema::Element{})
    return;
  for (syntax::Transform &t : program.transforms) {
    std::set<std::string> set;
    const auto in = [&](std::vector<syntax::MatrixDecl> &declarations) {
      for (syntax::MatrixDecl &m : declarations)
        if (!m.element) {
          m.element = syntax::Identifier{sema::name(element), m.name.span};
          set.insert(m.name.text);
        }
    };
    in(t.from), in(t.to), in(t.through);
    for (syntax::Let &let : t.lets)
      let.defaultElement = syntax::Identifier{sema::name(element), let.name.span};
    for (syntax::Rule &r : t.rules)
      std::erase_if(r.library,
                    [&](const syntax::LibraryCall &c) { return !isTaken(c, element) && isOf(c, r, set); });
    for (syntax::Rule &r : t.rules)
      in(r.locals);
  }
}

} // namespace pbc::driver
