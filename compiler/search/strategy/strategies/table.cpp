// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/frontier.h"
#include <algorithm>

namespace pbc::search {

#define STRATEGY(name) Strategy name##Strategy();
#include "compiler/search/strategy/strategies/list.inc"
#undef STRATEGY

const std::vector<Strategy> &strategies() {
  static const std::vector<Strategy> all = {
#define STRATEGY(name) name##Strategy(),
#include "compiler/search/strategy/strategies/list.inc"
#undef STRATEGY
  };
  return all;
}

const Strategy *findStrategy(std::string_view name) {
  const auto &all = strategies();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Strategy &s) { return s.name == name; });
  return at == all.end() ? nullptr : &*at;
}

} // namespace pbc::search
