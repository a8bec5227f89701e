// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times below which no run of a program stays, from the bounds of its rules (`pbc explain FILE --json --n=...`).
//
//   LowerBounds bounds(space, {n256, n512}, {parseBounds(json, "Blur"), ...});
//   bounds.of(configuration, 1)     1.1 ms, by compute: 1.7e7 additions of doubles in rule `down`
//
// A configuration runs the rules of the alternative that the main transform takes at the size, each once. What they need of the same unit
// adds up; of other bounds the largest one counts, because rules may overlap. Rules that run on a device, and transforms that are called,
// count 0. Invariant: a bound holds for each run with these choices, as long as the machine's rates are right; a limit that a run refutes is
// left out from then on. Source: lower-bound-search.md, section 9.5.
#pragma once
#include "tuner/space/configuration.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pbc::tuner {

/// The bounds of the alternatives of one transform at one size.
struct TransformBounds {
  struct OnCores {
    int cores = 1; // together
    double seconds = 0;
    std::string limit, of;  // "compute", "additions of doubles"
    bool addsUp = false;    // with the same of other rules
    std::string derivation; // two sentences
    std::string remedy;
  };
  /// What a model says of the rule's own schedule on one core, where it was asked (`pbc explain --why`).
  struct Prediction {
    std::string why; // it is not predicted; a sentence
    std::string verdict;
    double seconds = 0;
    std::vector<std::pair<std::string, double>> elasticities; // of "memory throughput", the greatest first
    std::string script; // one that is predicted to be faster; "" for none
    double timesAsFast = 1;
    /// Seconds of other schedules of the program, `cpu:wide`, that are predicted.
    std::vector<std::pair<std::string, double>> schedules = {};
    /// Of the greatest elasticity, what comes from "line 12", the greatest share first.
    std::vector<std::pair<std::string, double>> lines = {};
  };
  struct Step {
    std::string name;        // as in its entry `place_NAME`
    std::vector<OnCores> on; // with the least number of cores first
    std::string why;         // if there are none
    std::optional<Prediction> prediction = {};
  };
  struct Alternative {
    std::string name;
    std::vector<Step> steps;
  };
  std::vector<Alternative> alternatives;
};

/// Reads what `pbc explain --json --n=...` prints of a transform. `hashes`: of the texts of all transforms. Throws
/// TunerError for another text.
TransformBounds parseBounds(const std::string &json, const std::string &transform,
                            std::map<std::string, std::string> *hashes = nullptr);
/// As text that parseBounds() reads, without what it does not keep.
std::string toJson(const TransformBounds &, const std::string &transform);

/// Of an alternative's bounds, the largest.
struct LowerBound {
  double seconds = 0; // 0: there is none
  std::string limit, derivation, remedy;
  std::string steps; // "down", "across and down"
};

/// Of one alternative, with the choices of a configuration for a size `n`; `without`: limits that do not count.
LowerBound lowerBound(const TransformBounds::Alternative &, const ProgramSpace &, const Configuration &,
                      long n, const std::set<std::string> &without = {});
/// The alternative that the main transform takes for a size `n`; null: it is not among them.
const TransformBounds::Alternative *chosenAlternative(const TransformBounds &, const ProgramSpace &,
                                                      const Configuration &, long n);

class LowerBounds {
public:
  struct Size {
    std::string name;
    long n = 0;
    TransformBounds bounds;
  };
  LowerBounds(const ProgramSpace &space, std::vector<Size> sizes)
      : space_(space), sizes_(std::move(sizes)), best_(sizes_.size(), 0) {}

  LowerBound of(const Configuration &, int size) const;
  const TransformBounds &at(int size) const { return sizes_[static_cast<std::size_t>(size)].bounds; }
  /// A run was so fast. What it refutes is left out, and a sentence about it is added.
  void measured(const Configuration &, int size, double seconds);
  const std::vector<std::string> &refutations() const { return refutations_; }
  /// "Blur with down at n=256, n=512: not below 3 ms (compute), and the best takes 1 ms": alternatives that cannot win.
  std::vector<std::string> hopeless() const;

private:
  const ProgramSpace &space_;
  std::vector<Size> sizes_;
  std::vector<double> best_; // seconds, by size; 0: not known
  std::set<std::string> refuted_;
  std::vector<std::string> refutations_;
};

} // namespace pbc::tuner
