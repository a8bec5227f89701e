// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accumulation_scope.h"
#include "compiler/sema/affine.h"

namespace pbc::sema {

AccumulationScope::AccumulationScope(const syntax::Transform &header) {
  std::vector<syntax::Identifier> names;
  for (const auto *list : {&header.from, &header.to, &header.through})
    for (const auto &m : *list) {
      matrices.emplace(m.name.text, &m);
      if (list != &header.from)
        computed.insert(m.name.text);
      for (const auto &extent : m.extents)
        collectNames(*extent, names);
      if (m.version)
        collectNames(*m.version->first, names);
      if (m.version && m.version->last)
        collectNames(*m.version->last, names);
    }
  for (const auto &item : header.items)
    numbers.insert(item.name.text);
  for (const auto &clause : header.names)
    if (clause.kind == syntax::NameClause::Kind::Param)
      numbers.insert(clause.name.text);
  for (const auto &argument : header.templateArguments)
    numbers.insert(argument.name.text);
  for (const auto &let : header.lets)
    numbers.insert(let.name.text);
  for (const auto &name : names)
    if (!numbers.contains(name.text))
      sizes.insert(name.text);
}

const syntax::MatrixDecl *AccumulationScope::find(const std::string &matrix) const {
  const auto at = matrices.find(matrix);
  return at == matrices.end() ? nullptr : at->second;
}

} // namespace pbc::sema
