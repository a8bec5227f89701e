// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/compose.h"
#include "compiler/compose/mixer.h"
#include "compiler/compose/placements.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <isl/printer.h>
#include <isl/schedule.h>
#include <map>

namespace pbc::compose {
namespace {

/// Runs steps on the kernel one by one. What a prefix makes is kept, because sequences begin alike.
class Filter {
public:
  explicit Filter(const kernel::Scheduled &start) {
    begun_.emplace("", kernel::StepOutcome{kernel::withLabels(start), {}});
  }

  /// The kernel after `steps`, to which `step` is added.
  const kernel::StepOutcome &after(const script::Script &steps, const script::Step &step) {
    const std::string key = script::line(steps), whole = key + "; " + script::text(step);
    if (const auto known = begun_.find(whole); known != begun_.end())
      return known->second;
    return begun_.emplace(whole, kernel::run(step, kernelAfter(steps))).first->second;
  }

  /// All of the steps apply.
  const kernel::Scheduled &kernelAfter(const script::Script &steps) {
    if (steps.empty())
      return *begun_.at("").kernel;
    const script::Script before(steps.begin(), steps.end() - 1);
    return *after(before, steps.back()).kernel;
  }

  bool allApply(const script::Script &steps) {
    script::Script done;
    for (const script::Step &step : steps) {
      if (!after(done, step).kernel)
        return false;
      done.push_back(step);
    }
    return true;
  }

private:
  std::map<std::string, kernel::StepOutcome> begun_; // by the steps
};

class Composer {
public:
  Composer(const kernel::Scheduled &kernel, const script::Script &base, const std::vector<Adapted> &adaptors)
      : filter_(kernel), script_(base), base_(split(base)),
        isForDevices_(kernel.schedule.target == kernel::Target::Device), adaptors_(adaptors) {}

  CompositionOutcome run() {
    std::vector<std::size_t> rules(adaptors_.size(), 0);
    do {
      if (std::string why = add(rules); !why.empty())
        return {std::nullopt, why};
    } while (next(rules));
    return {std::move(made_), ""};
  }

private:
  /// The next combination of rules; false after the last one.
  bool next(std::vector<std::size_t> &rules) const {
    for (std::size_t k = rules.size(); k-- > 0;) {
      if (++rules[k] < adaptors_[k].rules.size())
        return true;
      rules[k] = 0;
    }
    return false;
  }

  std::string add(const std::vector<std::size_t> &rules) {
    Variant variant{.rules = rules};
    script::Script added, rest; // the copies with which rules begin come in front of all else
    for (std::size_t k = 0; k < rules.size(); ++k) {
      const script::AdaptorRule &rule = adaptors_[k].rules[rules[k]];
      const auto behind = std::find_if(rule.steps.begin(), rule.steps.end(), [](const script::Step &step) {
        return mixingOf(step).place != kernel::Mixing::Place::First;
      });
      added.insert(added.end(), rule.steps.begin(), behind);
      rest.insert(rest.end(), behind, rule.steps.end());
      variant.conditions.insert(variant.conditions.end(), rule.conditions.begin(), rule.conditions.end());
    }
    added.insert(added.end(), rest.begin(), rest.end());
    const Parts parts = split(added);
    PlacementOutcome memory = joined(base_.memory, parts.memory);
    variant.why = memory.why;
    variant.memory = std::move(memory.steps);
    if (variant.why.empty())
      for (const script::Script &sequence : mixed(base_.ordered, parts.ordered)) {
        if (++count_ > kMostSequences)
          return fmt::format("there are more than {} ways to mix the steps", kMostSequences);
        variant.sequences.push_back(filtered(sequence, variant.memory));
      }
    if (variant.why.empty() && variant.sequences.empty())
      variant.why = "copies of whole matrices come first, and a rule has one behind other steps";
    made_.variants.push_back(std::move(variant));
    return "";
  }

  Sequence filtered(const script::Script &sequence, const script::Script &memory) {
    Sequence made{.mixed = sequence};
    for (std::size_t k = 0; k < sequence.size(); ++k) {
      const kernel::StepOutcome &outcome = filter_.after(made.kept, sequence[k]);
      if (outcome.kernel)
        made.kept.push_back(sequence[k]);
      else
        made.omitted.push_back({k, outcome.problem});
    }
    for (std::size_t k = 0; k < memory.size(); ++k)
      place(made, memory[k], sequence.size() + k);
    made.kernel = filter_.kernelAfter(made.kept);
    const int number = static_cast<int>(count_) - 1;
    const auto [same, isNewScript] = byScript_.emplace(script::line(made.kept), number);
    const int first =
        isNewScript ? byKernel_.emplace(keyOf(*made.kernel), number).first->second : same->second;
    same->second = first;
    if (first != number)
      made.sameAs = first;
    return made;
  }

  /// Adds a step about memory as far behind as it applies, but in front of those that say how loops are realised: these cut loops into
  /// cases, of which each would need a copy of its own. For devices, a copy of the script stays in front of what it has behind it, too: whole
  /// strips are separated from the others where all items of the group come to the same ones.
  void place(Sequence &made, const script::Step &step, std::size_t index) {
    std::optional<kernel::StepProblem> problem;
    const auto own = isForDevices_ ? std::find(script_.begin(), script_.end(), step) : script_.end();
    const auto realising = std::find_if(made.kept.begin(), made.kept.end(), [&](const script::Step &other) {
      return kernel::findTransformation(other.transformation)->stage == kernel::Stage::Points ||
             std::find(own, script_.end(), other) != script_.end();
    });
    for (std::size_t at = static_cast<std::size_t>(realising - made.kept.begin()) + 1; at-- > 0;) {
      const script::Script before(made.kept.begin(), made.kept.begin() + static_cast<std::ptrdiff_t>(at));
      const kernel::StepOutcome &outcome = filter_.after(before, step);
      if (!outcome.kernel) {
        if (!problem)
          problem = outcome.problem; // that of the first attempt says most
        continue;
      }
      script::Script whole = before;
      whole.push_back(step);
      whole.insert(whole.end(), made.kept.begin() + static_cast<std::ptrdiff_t>(at), made.kept.end());
      if (filter_.allApply(whole)) {
        made.kept = std::move(whole);
        return;
      }
    }
    made.omitted.push_back(
        {index, problem.value_or(kernel::StepProblem{"the steps behind it would not apply", "", {}})});
  }

  Filter filter_;
  const script::Script &script_;
  const Parts base_;
  const bool isForDevices_;
  const std::vector<Adapted> &adaptors_;
  Composition made_;
  std::size_t count_ = 0; // of sequences
  // The sequence that was the first to keep these steps, or to make this kernel. isl may write the same kernel in several ways.
  std::map<std::string, int> byScript_, byKernel_;
};

std::string textOf(const isl::schedule &tree) {
  char *text = isl_schedule_to_str(tree.get());
  std::string out = text;
  std::free(text);
  return out;
}

/// The simpler schedule; that without its realisations is the same as none.
std::string plainTextOf(const kernel::Schedule &schedule) {
  if (!schedule.plain)
    return "";
  const auto bare = [](const isl::schedule &s) {
    return textOf(kernel::splitBands(kernel::withoutLabels(s)));
  };
  std::string plain = bare(*schedule.plain);
  return plain == bare(kernel::withoutRealisations(schedule.tree)) ? "" : plain;
}

} // namespace

std::string keyOf(const kernel::Scheduled &kernel) {
  std::string key = textOf(kernel.schedule.tree);
  for (const kernel::Statement &s : kernel.statements) {
    key += "\n" + poly::text(s.domain) + s.op;
    for (const kernel::Access &a : s.accesses)
      key += fmt::format(" {} {}", kernel.buffers[static_cast<std::size_t>(a.buffer)].name,
                         poly::text(a.relation));
  }
  return key;
}

std::string wholeKeyOf(const kernel::Scheduled &kernel) {
  return keyOf(kernel) + "\n" + kernel::printWithoutLoops(kernel) + plainTextOf(kernel.schedule);
}

CompositionOutcome compose(const kernel::Scheduled &kernel, const script::Script &base,
                           const std::vector<Adapted> &adaptors) {
  return Composer(kernel, base, adaptors).run();
}

std::string provenance(const std::string &script, const Variant &variant,
                       const std::vector<Adapted> &adaptors) {
  std::string all = script;
  for (std::size_t k = 0; k < adaptors.size(); ++k)
    all += fmt::format(" + {} rule {}", script::text(adaptors[k].use), variant.rules[k] + 1);
  return all;
}

std::vector<std::pair<const Variant *, const Sequence *>> distinct(const Composition &composition) {
  std::vector<std::pair<const Variant *, const Sequence *>> all;
  for (const Variant &variant : composition.variants)
    for (const Sequence &sequence : variant.sequences)
      if (sequence.sameAs < 0)
        all.emplace_back(&variant, &sequence);
  return all;
}

std::vector<Unused> unusedRules(const Composition &composition, const std::vector<Adapted> &adaptors,
                                std::size_t adaptor) {
  std::map<std::size_t, std::string> why;
  for (const Variant &variant : composition.variants) {
    const std::size_t rule = variant.rules[adaptor];
    const script::Script &steps = adaptors[adaptor].rules[rule].steps;
    if (steps.empty())
      continue;
    const auto isOfRule = [&](const script::Step &step) {
      return std::find(steps.begin(), steps.end(), step) != steps.end();
    };
    std::string &reason = why[rule];
    if (!variant.why.empty())
      reason = variant.why;
    for (const Sequence &sequence : variant.sequences) {
      if (std::any_of(sequence.kept.begin(), sequence.kept.end(), isOfRule))
        return {};
      for (const kernel::FailedStep &failed :
           sequence.omitted) // the reason of the last sequence, whose loops are those of the script
        if (const script::Step &step = failed.index < sequence.mixed.size()
                                           ? sequence.mixed[failed.index]
                                           : variant.memory[failed.index - sequence.mixed.size()];
            isOfRule(step))
          reason = fmt::format("`{}`, {}", script::text(step), failed.problem.what);
    }
  }
  std::vector<Unused> all;
  for (auto &[rule, reason] : why)
    all.push_back({rule, std::move(reason)});
  return all;
}

} // namespace pbc::compose
