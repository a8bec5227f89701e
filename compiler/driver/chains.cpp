// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/chains.h"
#include "compiler/kernel/chain.h"
#include "compiler/kernel/lift.h"
#include "compiler/schedule/private_matrices.h"
#include "compiler/search/chain/chain_facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

/// Steps [begin, end) of a plan, and the temporaries that only they use.
struct ChainSteps {
  std::size_t begin, end;
  std::set<int> temporaries;
};

class PlanChains {
public:
  PlanChains(Compilation &c, const sema::Transform &t, const schedule::Plan &plan)
      : c_(c), t_(t), plan_(plan) {
    for (const schedule::Step &step : plan.steps) {
      uses_.emplace_back();
      for (const schedule::RuleUse &use : step.uses)
        for (const auto *bindings :
             {&t.rules[std::size_t(use.rule)].inputs, &t.rules[std::size_t(use.rule)].outputs})
          for (const sema::Binding &binding : *bindings)
            uses_.back().insert(binding.matrix);
    }
  }

  std::vector<ChainSteps> found() const {
    std::vector<ChainSteps> all;
    for (int m = 0; m < int(t_.matrices.size()); ++m) {
      const sema::Matrix &matrix = t_.matrices[std::size_t(m)];
      if (matrix.role != sema::Role::Through || matrix.rank() == 0)
        continue;
      ChainSteps own{plan_.steps.size(), 0, {m}};
      for (std::size_t s = 0; s < plan_.steps.size(); ++s)
        if (uses_[s].contains(m)) {
          own.begin = std::min(own.begin, s);
          own.end = s + 1;
        }
      if (own.begin + 1 < own.end)
        merge(all, own);
    }
    std::erase_if(all, [&](const ChainSteps &chain) { return !isPossible(chain); });
    return all;
  }

  /// Nothing if it is no chain after all.
  std::optional<kernel::Scheduled> kernelOf(const ChainSteps &chain) const {
    std::vector<kernel::Scheduled> kernels;
    std::vector<std::string> names;
    for (std::size_t s = chain.begin; s < chain.end; ++s) {
      const schedule::Step &step = plan_.steps[s];
      kernels.push_back(kernel::lift(t_, step, c_.facts[t_.index], c_.choices[t_.index].grid, c_.context,
                                     schedule::privateMatrices(t_, c_.plans[t_.index], step), {}, &c_.sources)
                            .kernel);
      if (const std::string name = schedule::stepName(t_, step); std::ranges::count(names, name) == 0)
        names.push_back(name);
    }
    kernel::Outcome made =
        kernel::chained(kernels, fmt::format("{}.{}", t_.name, fmt::join(names, "+")), chain.temporaries);
    if (!made.kernel || !search::isChain(*made.kernel))
      return std::nullopt;
    return std::move(made.kernel);
  }

private:
  /// Chains with steps in common are one.
  static void merge(std::vector<ChainSteps> &all, ChainSteps added) {
    for (std::size_t at = 0; at < all.size();)
      if (all[at].begin < added.end && added.begin < all[at].end) {
        added.begin = std::min(added.begin, all[at].begin);
        added.end = std::max(added.end, all[at].end);
        added.temporaries.insert(all[at].temporaries.begin(), all[at].temporaries.end());
        all.erase(all.begin() + std::ptrdiff_t(at));
        at = 0;
      } else {
        ++at;
      }
    all.push_back(std::move(added));
  }

  bool isPossible(const ChainSteps &chain) const {
    for (std::size_t s = chain.begin; s < chain.end; ++s) {
      if (plan_.steps[s].callsTransforms)
        return false;
      for (const schedule::RuleUse &use : plan_.steps[s].uses)
        if (!c_.facts[t_.index][std::size_t(use.rule)].liftable)
          return false;
      for (const int m : uses_[s])
        if (t_.matrices[std::size_t(m)].isVersioned)
          return false;
    }
    return true;
  }

  Compilation &c_;
  const sema::Transform &t_;
  const schedule::Plan &plan_;
  std::vector<std::set<int>> uses_; // by step: matrices
};

} // namespace

std::vector<kernel::Scheduled> chainsOf(Compilation &c) {
  std::vector<kernel::Scheduled> all;
  for (const sema::Transform &t : c.module.transforms)
    for (const schedule::Plan &plan : c.plans[t.index].plans) {
      const PlanChains chains(c, t, plan);
      for (const ChainSteps &steps : chains.found())
        if (std::optional<kernel::Scheduled> made = chains.kernelOf(steps);
            made && std::ranges::count(all, made->name, &kernel::Scheduled::name) == 0)
          all.push_back(std::move(*made));
    }
  return all;
}

} // namespace pbc::driver
