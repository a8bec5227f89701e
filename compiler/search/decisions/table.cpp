// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/decision.h"

namespace pbc::search {

#define DECISION(name) Decision name##Decision();
#include "compiler/search/decisions/list.inc"
#undef DECISION

const std::vector<Decision> &decisions() {
  static const std::vector<Decision> all = {
#define DECISION(name) name##Decision(),
#include "compiler/search/decisions/list.inc"
#undef DECISION
  };
  return all;
}

} // namespace pbc::search
