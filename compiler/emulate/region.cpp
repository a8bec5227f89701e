// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/region.h"
#include <algorithm>

namespace pbc::emulate {

const char *nameOf(Region::Kind kind) {
  switch (kind) {
  case Region::Kind::Any:
    return "";
  case Region::Kind::Copies:
    return "copies for the group";
  case Region::Kind::Loads:
    return "loads";
  case Region::Kind::Computing:
    return "computing";
  case Region::Kind::Stores:
    return "stores";
  case Region::Kind::Starts:
    return "starts";
  }
  return "";
}

int placeOf(const Region &region, std::vector<Region> &all) {
  const auto at = std::find(all.begin(), all.end(), region);
  const auto place = static_cast<int>(at - all.begin());
  if (at == all.end())
    all.push_back(region);
  return place;
}

} // namespace pbc::emulate
