// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/encoding.h"

#include <algorithm>

namespace pbc::tuner {

Encoding::Encoding(const ProgramSpace &space, long n) {
  for (long probe = std::max(n, 1L); probe >= 1; probe /= 2)
    probes_.push_back(probe);
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].isOpen()) {
      const int alternatives = static_cast<int>(space.sites[i].alternatives.size());
      sites_.push_back({i, alternatives});
      columns_ += probes_.size() * static_cast<std::size_t>(alternatives == 2 ? 1 : alternatives);
    }
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.isOpenAt(space.tunables[i], n))
      tunables_.push_back(i);
  columns_ += tunables_.size();
}

std::vector<float> Encoding::row(const Configuration &configuration) const {
  std::vector<float> values;
  values.reserve(columns_);
  for (const OpenSite &site : sites_)
    for (const long probe : probes_) {
      const int use = configuration.selectors()[site.index].select(probe);
      if (site.alternatives == 2) {
        values.push_back(static_cast<float>(use));
        continue;
      }
      for (int alternative = 0; alternative < site.alternatives; ++alternative)
        values.push_back(use == alternative ? 1.0F : 0.0F);
    }
  for (const std::size_t index : tunables_)
    values.push_back(static_cast<float>(configuration.tunables()[index]));
  return values;
}

} // namespace pbc::tuner
