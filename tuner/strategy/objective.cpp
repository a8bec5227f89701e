// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/objective.h"

#include "tuner/space/program_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::tuner {
namespace {

struct Scale {
  double factor;
  const char *unit;
};

std::string scaled(double value, const std::vector<Scale> &scales) {
  for (const Scale &scale : scales)
    if (value >= scale.factor || &scale == &scales.back())
      return fmt::format("{:.3g} {}", value / scale.factor, scale.unit);
  return "";
}

Metric parseMetric(const std::string &name) {
  for (const Metric metric : kMetrics)
    if (name == nameOf(metric))
      return metric;
  throw TunerError(fmt::format("there is no objective '{}'\n"
                               "  help: time, energy, memory, or a product of them, as energy*time{}",
                               name,
                               name == "accuracy" ? "; accuracy is a constraint: a program that states "
                                                    "targets is tuned to meet each of them"
                                                  : ""));
}

std::vector<Metric> parseList(const std::string &text, char separator) {
  std::vector<Metric> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    list.push_back(parseMetric(text.substr(begin, end - begin)));
    if (std::count(list.begin(), list.end(), list.back()) > 1)
      throw TunerError(fmt::format("'{}' names {} twice", text, nameOf(list.back())));
    begin = end + 1;
  }
  return list;
}

} // namespace

const char *nameOf(Metric metric) {
  switch (metric) {
  case Metric::Time:
    return "time";
  case Metric::Energy:
    return "energy";
  case Metric::Memory:
    return "memory";
  }
  return "";
}

double Metrics::of(Metric metric) const {
  switch (metric) {
  case Metric::Time:
    return seconds;
  case Metric::Energy:
    return joules.value_or(0);
  case Metric::Memory:
    return bytes.value_or(0);
  }
  return 0;
}

std::string inWords(Metric metric, double value) {
  switch (metric) {
  case Metric::Time:
    return scaled(value, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}});
  case Metric::Energy:
    return scaled(value, {{1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}});
  case Metric::Memory:
    return scaled(value, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
  }
  return "";
}

Objective Objective::parse(const std::string &text) { return Objective(parseList(text, '*')); }

std::array<Metric, 2> parseFront(const std::string &text) {
  const std::vector<Metric> list = parseList(text, ',');
  if (list.size() != 2 || list[0] == list[1])
    throw TunerError(
        fmt::format("'{}' does not name two objectives\n  help: two different ones of time, energy and "
                    "memory, as --pareto=time,memory",
                    text));
  return {list[0], list[1]};
}

std::string Objective::name() const {
  std::vector<std::string> names;
  for (const Metric metric : factors_)
    names.emplace_back(nameOf(metric));
  return fmt::format("{}", fmt::join(names, "*"));
}

bool Objective::wants(Metric metric) const {
  return std::find(factors_.begin(), factors_.end(), metric) != factors_.end();
}

std::optional<double> Objective::value(const Metrics &metrics) const {
  if ((wants(Metric::Energy) && !metrics.joules) || (wants(Metric::Memory) && !metrics.bytes))
    return {};
  double product = 1;
  for (const Metric metric : factors_)
    product *= metrics.of(metric);
  return product;
}

double Objective::cost(const Metrics &metrics, const Metrics &byDefault) const {
  double product = 1;
  for (const Metric metric : factors_)
    product *= std::max(metrics.of(metric), 1e-12) / std::max(byDefault.of(metric), 1e-12);
  return product;
}

std::string Objective::inWords(double value) const {
  if (factors_.size() == 1)
    return tuner::inWords(factors_.front(), value);
  std::string unit;
  for (const Metric metric : factors_)
    unit += metric == Metric::Time ? " s" : metric == Metric::Energy ? " J" : " B";
  return fmt::format("{:.3g}{}", value, unit);
}

} // namespace pbc::tuner
