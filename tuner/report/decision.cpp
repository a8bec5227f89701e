// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/decision.h"

#include "tuner/report/words.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace pbc::tuner {
namespace {

constexpr double kFewValues = 12, kParts = 8;

bool isEnumerated(const Tunable &tunable) {
  return tunable.integer && tunable.maximum - tunable.minimum < kFewValues;
}

double partOf(const Tunable &tunable) { return (tunable.maximum - tunable.minimum) / kParts; }

std::string number(const Tunable &tunable, double value) {
  return tunable.integer ? fmt::format("{}", std::llround(value)) : fmt::format("{:.4g}", value);
}

std::string range(const Tunable &tunable, double low, double high) {
  return low >= high ? number(tunable, low)
                     : fmt::format("{} to {}", number(tunable, low), number(tunable, high));
}

std::size_t mixed(std::size_t hash, std::size_t next) {
  return (hash ^ (next + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdULL;
}

} // namespace

std::string Decision::title(const ProgramSpace &space) const {
  return isSite ? space.sites[index].title() : space.tunables[index].title();
}

std::string Decision::doc(const ProgramSpace &space) const {
  return isSite ? space.sites[index].doc : space.tunables[index].doc;
}

std::string Decision::chosen(const ProgramSpace &space, const Configuration &configuration) const {
  if (isSite) {
    const Site &site = space.sites[index];
    return inWords(site, configuration.selectors()[index]).substr(site.title().size() + 2);
  }
  return number(space.tunables[index], configuration.tunables()[index]);
}

int Decision::classAt(const ProgramSpace &space, const Configuration &configuration, long n) const {
  if (isSite)
    return configuration.selectors()[index].select(n);
  const Tunable &tunable = space.tunables[index];
  const double value = configuration.tunables()[index];
  if (isEnumerated(tunable))
    return static_cast<int>(std::lround(value - tunable.minimum));
  if (tunable.logarithmic && tunable.minimum >= 0)
    return value < 1 ? 0 : 1 + static_cast<int>(std::floor(std::log2(value)));
  const double part = partOf(tunable);
  return part > 0 ? static_cast<int>(std::fmin(std::floor((value - tunable.minimum) / part), kParts - 1)) : 0;
}

std::string Decision::className(const ProgramSpace &space, int number_) const {
  if (isSite)
    return space.sites[index].alternatives[number_].name;
  const Tunable &tunable = space.tunables[index];
  if (isEnumerated(tunable))
    return number(tunable, tunable.minimum + number_);
  const double step = tunable.integer ? 1 : 0;
  if (tunable.logarithmic && tunable.minimum >= 0)
    return number_ == 0 ? range(tunable, tunable.minimum, tunable.integer ? 0 : 1)
                        : range(tunable, std::fmax(std::exp2(number_ - 1), tunable.minimum),
                                std::fmin(std::exp2(number_) - step, tunable.maximum));
  const double part = partOf(tunable), low = tunable.minimum + part * number_;
  return range(tunable, tunable.integer ? std::ceil(low) : low,
               number_ == kParts - 1 ? tunable.maximum
               : tunable.integer     ? std::ceil(low + part) - 1
                                     : low + part);
}

std::size_t Decision::hashUpTo(const Configuration &configuration, long n) const {
  std::size_t hash = mixed(isSite ? 1 : 2, static_cast<std::size_t>(index));
  if (!isSite)
    return mixed(hash, std::hash<double>()(configuration.tunables()[index]));
  const Selector &selector = configuration.selectors()[index];
  for (int level = 0; level <= selector.levelOf(n); ++level) {
    hash = mixed(hash, static_cast<std::size_t>(selector.levels()[level].use));
    hash = mixed(hash, static_cast<std::size_t>(selector.lowest(level)));
  }
  return hash;
}

std::vector<Decision> decisionsOf(const ProgramSpace &space) {
  std::vector<Decision> result;
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].isOpen())
      result.push_back({true, static_cast<int>(i)});
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].isOpen())
      result.push_back({false, static_cast<int>(i)});
  return result;
}

} // namespace pbc::tuner
