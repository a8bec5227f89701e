#include "tuner/space/configuration.h"

#include <fmt/format.h>

namespace pbc::tuner {

Configuration Configuration::defaults(const ProgramSpace &space) {
  Configuration result;
  result.selectors_.assign(space.sites.size(), Selector(0));
  for (const Tunable &tunable : space.tunables)
    result.tunables_.push_back(tunable.clamp(tunable.initial));
  return result;
}

Configuration Configuration::withSelector(int site, Selector selector) const {
  Configuration result = *this;
  result.selectors_.at(site) = std::move(selector);
  return result;
}

Configuration Configuration::withTunable(int tunable, double value) const {
  Configuration result = *this;
  result.tunables_.at(tunable) = value;
  return result;
}

bool Configuration::fits(const ProgramSpace &space) const {
  if (selectors_.size() != space.sites.size() || tunables_.size() != space.tunables.size())
    return false;
  for (std::size_t i = 0; i < selectors_.size(); ++i)
    for (const Level &level : selectors_[i].levels())
      if (level.use < 0 || level.use >= static_cast<int>(space.sites[i].alternatives.size()))
        return false;
  for (std::size_t i = 0; i < tunables_.size(); ++i)
    if (space.tunables[i].clamp(tunables_[i]) != tunables_[i])
      return false;
  return true;
}

std::string Configuration::key() const {
  std::string result;
  for (const Selector &selector : selectors_) {
    for (const Level &level : selector.levels())
      result += level.below == kNoLimit ? fmt::format("{};", level.use)
                                        : fmt::format("{}<{}:", level.use, level.below);
  }
  for (double value : tunables_)
    result += fmt::format("|{}", value);
  return result;
}

int Configuration::complexity() const {
  int levels = 0;
  for (const Selector &selector : selectors_)
    levels += static_cast<int>(selector.levels().size()) - 1;
  return levels;
}

} // namespace pbc::tuner
