// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/alternatives.h"
#include "compiler/kernel/transform/transformation.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace pbc::compose {
namespace {

class Chooser {
public:
  Chooser(const std::string &script, const script::Script &base, const std::vector<Adapted> &adaptors,
          const Composition &composition, const Choosing &choosing)
      : script_(script), base_(base), adaptors_(adaptors), choosing_(choosing) {
    for (const Variant &variant : composition.variants)
      add(variant);
    // Those that may always run come first: a guard in front of the same loops would be of no use.
    for (const bool isGuarded : {false, true})
      for (const Open &open : open_)
        if (all_[open.index].why.empty() && !all_[open.index].guards.empty() == isGuarded)
          judge(open);
  }

  std::vector<Alternative> run() {
    leaveOutSubstitutes();
    leaveOutTheRest();
    return std::move(all_);
  }

private:
  void add(const Variant &variant) {
    std::string name = script_, provenance = script_;
    for (std::size_t k = 0; k < adaptors_.size(); ++k) {
      const std::size_t rule = variant.rules[k];
      if (adaptors_[k].rules[rule].isEmpty())
        continue;
      const std::string use = script::text(adaptors_[k].use);
      name += fmt::format("+{}.{}", use, rule + 1);
      provenance += fmt::format(" + {} rule {}", use, rule + 1);
    }
    ++variants_;
    if (!variant.why.empty())
      all_.push_back({.name = name, .provenance = provenance, .why = variant.why});
    for (std::size_t k = 0; k < variant.sequences.size(); ++k) {
      const Sequence &sequence = variant.sequences[k];
      Alternative one{.name = k == 0 ? name : fmt::format("{}/{}", name, k + 1),
                      .provenance = k == 0 ? provenance : fmt::format("{}, way {}", provenance, k + 1),
                      .steps = sequence.kept,
                      .leftOut = leftOut(variant, sequence)};
      decide(variant, one);
      open_.push_back({all_.size(), &sequence, sequence.sameAs < 0 ? count_ : sequence.sameAs, variants_});
      all_.push_back(std::move(one));
      ++count_;
    }
  }

  std::vector<LeftOut> leftOut(const Variant &variant, const Sequence &sequence) const {
    std::vector<LeftOut> out;
    for (const kernel::FailedStep &failed : sequence.omitted) {
      const std::size_t index = failed.index;
      const script::Step &step = index < sequence.mixed.size()
                                     ? sequence.mixed[index]
                                     : variant.memory[index - sequence.mixed.size()];
      const auto own = std::find(base_.begin(), base_.end(), step);
      out.push_back({step, failed.problem, std::nullopt});
      if (own != base_.end())
        out.back().ofScript = static_cast<std::size_t>(own - base_.begin());
    }
    return out;
  }

  void decide(const Variant &variant, Alternative &one) const {
    for (const script::Condition &condition : variant.conditions) {
      Decision decision = choosing_.decide(condition);
      if (decision.kind == Decision::Kind::Fails && one.why.empty())
        one.why = std::move(decision.why);
      const bool isNew = std::find(one.guards.begin(), one.guards.end(), condition) == one.guards.end();
      if (decision.kind == Decision::Kind::IsChecked && isNew)
        one.guards.push_back(condition);
    }
  }

  /// An alternative that is yet to be judged.
  struct Open {
    std::size_t index;
    const Sequence *sequence;
    int kernel;  // the number of the first sequence that makes it, as Sequence::sameAs counts them
    int variant; // of which it is a sequence
  };

  void judge(const Open &open) {
    Alternative &one = all_[open.index];
    // The same loops under another condition are of use where that one holds.
    const auto always = byKernel_.find({open.kernel, ""});
    const auto [first, isNew] =
        always != byKernel_.end()
            ? std::pair(always, false)
            : byKernel_.emplace(std::pair(open.kernel, script::guardText(one.guards)), one.name);
    if (!isNew) {
      one.sameAs = first->second;
      return;
    }
    one.why = keepsNone(one.steps) ? whyNone(one) : choosing_.whyNot(*open.sequence->kernel);
    if (one.why.empty())
      one.kernel = open.sequence->kernel;
  }

  static bool isOfTasks(const script::Step &step) {
    const kernel::Transformation *transformation = kernel::findTransformation(step.transformation);
    return transformation && transformation->stage == kernel::Stage::Tasks;
  }

  /// The cut into tasks alone says nothing of the loops, unless the script says no more.
  bool keepsNone(const script::Script &steps) const {
    const bool hasMore = !std::all_of(base_.begin(), base_.end(), isOfTasks);
    return !base_.empty() && std::none_of(steps.begin(), steps.end(), [&](const script::Step &step) {
      return std::find(base_.begin(), base_.end(), step) != base_.end() && (!hasMore || !isOfTasks(step));
    });
  }

  static std::string whyNone(const Alternative &one) {
    std::string why;
    for (const LeftOut &left : one.leftOut)
      why += fmt::format("{}`{}`: {}", why.empty() ? "" : "; ", script::text(left.step), left.problem.what);
    return why;
  }

  /// How many steps of the script are not in it.
  static std::size_t missing(const Alternative &one) {
    return static_cast<std::size_t>(std::count_if(one.leftOut.begin(), one.leftOut.end(),
                                                  [](const LeftOut &l) { return l.ofScript.has_value(); }));
  }

  /// The first step of the script that `one` lacks and `other` has, if a later step takes its place in `one` that `other` could do without.
  /// Null if there is none, or `other` lacks an earlier step, too.
  const script::Step *replacedIn(const Alternative &one, const Alternative &other) const {
    const auto has = [](const Alternative &a, const script::Step &step) {
      return std::find(a.steps.begin(), a.steps.end(), step) != a.steps.end();
    };
    const script::Step *first = nullptr;
    for (const script::Step &step : base_) {
      const bool here = has(one, step), there = has(other, step);
      if (here && !there)
        return first;
      if (!here && there && !first)
        first = &step;
    }
    return nullptr;
  }

  /// Of the ways to mix the same steps, those in which a step was refused that applies in another way, so that a later step of the script, for
  /// loops where it does not apply, took its place.
  void leaveOutSubstitutes() {
    for (const Open &open : open_)
      for (const Open &better : open_) {
        Alternative &one = all_[open.index];
        const Alternative &other = all_[better.index];
        if (!one.kernel || !other.kernel || open.variant != better.variant)
          continue;
        const script::Step *step = replacedIn(one, other);
        if (!step)
          continue;
        one.kernel.reset();
        one.why = fmt::format(
            "`{}` applies if the steps are mixed as in `{}`, and here another step takes its place",
            script::text(*step), other.name);
      }
  }

  void leaveOutTheRest() {
    std::vector<Alternative *> kept;
    for (Alternative &one : all_)
      if (one.kernel)
        kept.push_back(&one);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Alternative *a, const Alternative *b) { return missing(*a) < missing(*b); });
    for (std::size_t k = choosing_.most; k < kept.size(); ++k) {
      kept[k]->kernel.reset();
      kept[k]->why =
          fmt::format("no more than {} alternatives are made of one schedule, and those that keep more "
                      "of its steps come first",
                      choosing_.most);
    }
  }

  const std::string &script_;
  const script::Script &base_;
  const std::vector<Adapted> &adaptors_;
  const Choosing &choosing_;
  std::vector<Alternative> all_;
  std::vector<Open> open_;
  int variants_ = 0;
  int count_ = 0; // of sequences, as Sequence::sameAs counts them
  // The name of the first alternative, by the first sequence with its kernel and its guard.
  std::map<std::pair<int, std::string>, std::string> byKernel_;
};

} // namespace

std::vector<Alternative> alternatives(const std::string &script, const script::Script &base,
                                      const std::vector<Adapted> &adaptors, const Composition &composition,
                                      const Choosing &choosing) {
  return Chooser(script, base, adaptors, composition, choosing).run();
}

} // namespace pbc::compose
