// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/mixer.h"
#include <algorithm>

namespace pbc::compose {
namespace {

using Place = kernel::Mixing::Place;

bool isFirst(const script::Step &step) { return mixingOf(step).place == Place::First; }

/// The cut into tasks, which each make copies of their own. Items of a device do not: a launch in front of theirs does.
bool isOfTasks(const script::Step &step) {
  const kernel::Transformation *transformation = kernel::findTransformation(step.transformation);
  return transformation && transformation->stage == kernel::Stage::Tasks &&
         transformation->target != kernel::Target::Device;
}

/// Whether no step that must come first stands behind another one, but for the cut into tasks, which it cannot precede.
bool keepsItsPlaces(const script::Script &script) {
  const auto tasks = std::find_if_not(script.begin(), script.end(), isOfTasks),
             other = std::find_if_not(tasks, script.end(), isFirst);
  return std::none_of(other, script.end(), isFirst) &&
         (other == tasks || std::none_of(other, script.end(), isOfTasks));
}

class Mixer {
public:
  Mixer(const script::Script &base, const script::Script &added) : base_(base), added_(added) {}

  std::vector<script::Script> all() {
    extend(0, 0);
    return std::move(all_);
  }

private:
  /// `b` and `a` steps of the two scripts are in made_.
  void extend(std::size_t b, std::size_t a) {
    if (b == base_.size() && a == added_.size()) {
      if (keepsItsPlaces(made_))
        all_.push_back(made_);
      return;
    }
    if (a < added_.size()) {
      made_.push_back(added_[a]);
      extend(b, a + 1);
      made_.pop_back();
    }
    if (b < base_.size()) {
      made_.push_back(base_[b]);
      extend(b + 1, a);
      made_.pop_back();
    }
  }

  const script::Script &base_, &added_;
  script::Script made_;
  std::vector<script::Script> all_;
};

} // namespace

kernel::Mixing mixingOf(const script::Step &step) {
  const kernel::Transformation *transformation = kernel::findTransformation(step.transformation);
  return transformation ? transformation->mixing : kernel::Mixing{};
}

Parts split(const script::Script &script) {
  Parts parts;
  for (const script::Step &step : script)
    (mixingOf(step).place == Place::Memory ? parts.memory : parts.ordered).push_back(step);
  return parts;
}

std::vector<script::Script> mixed(const script::Script &base, const script::Script &added) {
  return Mixer(base, added).all();
}

} // namespace pbc::compose
