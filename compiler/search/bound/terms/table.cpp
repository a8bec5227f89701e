// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"

namespace pbc::search {

#define TERM(name) Term name##Term();
#include "compiler/search/bound/terms/list.inc"
#undef TERM

const std::vector<Term> &terms() {
  static const std::vector<Term> all = {
#define TERM(name) name##Term(),
#include "compiler/search/bound/terms/list.inc"
#undef TERM
  };
  return all;
}

} // namespace pbc::search
