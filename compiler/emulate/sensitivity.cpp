// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/sensitivity.h"
#include <algorithm>
#include <cmath>

namespace pbc::emulate {
namespace {

constexpr double kFarFromOne = 0.2;  // bottleneck-analysis.md 3.7, "balanced/knee"
constexpr double kNegligible = 0.01; // regions share no more than this

/// Those that the trace's time can depend on.
std::vector<Parameter> parametersOf(const Emulation &emulation, const Outcome &outcome, double least) {
  std::vector<Parameter> all;
  for (std::size_t r = 0; r < outcome.uses.size(); ++r)
    if (outcome.uses[r].admissions > 0)
      for (const Mode mode : {Mode::Latency, Mode::Throughput}) {
        const int resource = static_cast<int>(r);
        const double used = mode == Mode::Throughput ? outcome.throughput(emulation.core(), resource)
                                                     : outcome.occupied(resource);
        if (used >= least)
          all.push_back({resource, mode});
      }
  all.push_back({Parameter::kIssue, Mode::Throughput});
  const auto &instructions = emulation.trace().instructions;
  if (emulation.core().barrier > 0 &&
      std::any_of(instructions.begin(), instructions.end(), [](const Instruction &i) { return i.isBarrier; }))
    all.push_back({Parameter::kBarrier, Mode::Latency});
  return all;
}

/// By region: whether an instruction of it uses the resource, itself or besides.
std::vector<bool> usersOf(const Trace &trace, int resource) {
  std::vector<bool> uses(trace.regions.size(), false);
  const auto isIt = [resource](const auto &part) { return part.resource == resource; };
  for (const Instruction &i : trace.instructions)
    if (!i.isBarrier && (i.resource == resource || std::any_of(i.nearer.begin(), i.nearer.end(), isIt) ||
                         std::any_of(i.needs.begin(), i.needs.end(), isIt)))
      uses[static_cast<std::size_t>(i.region)] = true;
  return uses;
}

class Analyser {
public:
  Analyser(const Emulation &emulation, const AnalysisOptions &options)
      : emulation_(emulation), options_(options), unchanged_(emulation.run()) {}

  Analysis all() const {
    Analysis made{unchanged_, {}};
    for (const Parameter &parameter : parametersOf(emulation_, unchanged_, options_.least))
      made.all.push_back(one(parameter, made));
    made.sumBackward = made.sum;
    if (std::abs(made.sum - 1) > kFarFromOne) {
      made.sumBackward = 0;
      for (Elasticity &e : made.all) {
        e.backward = std::max(0.0, change(e.parameter, 1 - options_.step, {}) / -options_.step);
        made.sumBackward += *e.backward;
      }
    }
    std::stable_sort(made.all.begin(), made.all.end(),
                     [](const Elasticity &a, const Elasticity &b) { return a.value > b.value; });
    return made;
  }

private:
  /// The relative change of the time.
  double change(const Parameter &parameter, double factor, std::optional<int> region) const {
    const auto before = static_cast<double>(unchanged_.time);
    return before > 0
               ? (static_cast<double>(emulation_.run(Change{parameter, factor, region}).time) - before) /
                     before
               : 0;
  }

  Elasticity one(const Parameter &parameter, Analysis &to) const {
    const double change = this->change(parameter, 1 + options_.step, {}) / options_.step;
    to.anomalies += change < 0 ? 1 : 0;
    Elasticity made{parameter, std::max(0.0, change), {}};
    to.sum += made.value;
    if (options_.regions && parameter.resource >= 0)
      made.byRegion = byRegion(parameter, made.value);
    if (options_.halves && made.value > kNegligible)
      made.halved = 1 + this->change(parameter, 0.5, {});
    return made;
  }

  /// Of all regions together it is `all`: where only one of them uses the resource, it has all of it.
  std::vector<double> byRegion(const Parameter &parameter, double all) const {
    const std::vector<bool> uses = usersOf(emulation_.trace(), parameter.resource);
    const bool isOne = std::count(uses.begin(), uses.end(), true) == 1;
    std::vector<double> found(uses.size(), 0);
    for (std::size_t k = 0; k < uses.size() && all > kNegligible; ++k)
      if (uses[k])
        found[k] =
            isOne ? all
                  : std::max(0.0, change(parameter, 1 + options_.step, static_cast<int>(k)) / options_.step);
    return found;
  }

  const Emulation &emulation_;
  const AnalysisOptions &options_;
  const Outcome unchanged_;
};

} // namespace

bool Analysis::isBalanced() const {
  return outcome.time > 0 && std::abs(sum - 1) > kFarFromOne && std::abs(sumBackward - 1) > kFarFromOne;
}

Analysis analyse(const Emulation &emulation, const AnalysisOptions &options) {
  return Analyser(emulation, options).all();
}

} // namespace pbc::emulate
