// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The quantity that tuning minimises: time, energy, peak memory, or a product of them.
//
//   const Objective objective = Objective::parse("energy*time");    // the energy-delay product
//   objective.cost({0.5 s, 3 J}, byDefault {1 s, 4 J})  ->  0.375: the default costs 1
//   objective.inWords({0.5 s, 3 J})                     ->  "1.5 J s"
//
// Strategies see one number for a run, called seconds. With another objective they get the seconds that the
// default would take for the same cost (tuner/strategy/objective_evaluator.h), so that their limits and
// tolerances keep their meaning. The energy-delay product: cost-models.md 4.4.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pbc::tuner {

enum class Metric { Time, Energy, Memory };

inline constexpr std::array<Metric, 3> kMetrics{Metric::Time, Metric::Energy, Metric::Memory};

/// "time", "energy", "memory"
const char *nameOf(Metric);

/// The metrics of one run, or the typical ones of several runs.
struct Metrics {
  double seconds = 0;
  std::optional<double> joules; // of the whole machine
  std::optional<double> bytes;  // the most at once

  /// 0 if the metric was not measured.
  double of(Metric) const;
};

/// "31 ms", "1.2 J", "4.2 MB"
std::string inWords(Metric, double value);

class Objective {
public:
  Objective() = default; // time
  explicit Objective(std::vector<Metric> factors) : factors_(std::move(factors)) {}
  /// Names with `*` between them; throws TunerError.
  static Objective parse(const std::string &);

  std::string name() const;
  bool isTime() const { return factors_ == std::vector{Metric::Time}; }
  bool wants(Metric) const;
  /// The product, in SI units; nothing if a factor was not measured.
  std::optional<double> value(const Metrics &) const;
  /// The cost relative to that of the default: the product of ratios.
  double cost(const Metrics &, const Metrics &byDefault) const;
  /// A value with its unit.
  std::string inWords(double value) const;
  /// "as slow" or, for other objectives, "as much"; the opposites are "as fast" and "as economical".
  const char *asMuch() const { return isTime() ? "as slow" : "as much"; }
  const char *asLittle() const { return isTime() ? "as fast" : "as economical"; }

private:
  std::vector<Metric> factors_{Metric::Time};
};

/// Reads two metrics, "time,memory"; throws TunerError.
std::array<Metric, 2> parseFront(const std::string &);

} // namespace pbc::tuner
