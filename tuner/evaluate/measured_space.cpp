// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/measured_space.h"

#include "tuner/write_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using nlohmann::json;

[[noreturn]] void refuseRecord(const std::string &where, const std::string &why) {
  throw TunerError(fmt::format("{}: is not a measured space: {}\n"
                               "  help: pbc tune PROGRAM --record=FILE writes one",
                               where, why));
}

/// A name that this version does not know becomes an ordinary error.
std::vector<Failure> failuresOf(const json &names) {
  std::vector<Failure> found;
  for (const json &name : names)
    found.push_back(failureNamed(name.get<std::string>()).value_or(Failure::Error));
  return found;
}

MeasuredSpace parse(const json &file, const std::string &where) {
  MeasuredSpace measured;
  measured.info = file.at("info").dump();
  measured.space = parseProgramSpace(measured.info);
  fixThreads(measured.space, 0);
  measured.fineness = {file.at("cutoffs").get<int>(), file.at("values").get<int>()};
  measured.noise = file.at("noise").get<double>();
  measured.machine = file.value("machine", "");
  measured.date = file.value("date", "");
  const std::vector<Failure> failures = failuresOf(file.at("failures"));
  for (const json &size : file.at("sizes")) {
    measured.sizes.push_back({size.at("name").get<std::string>(), size.at("n").get<long>(),
                              size.at("default_seconds").get<double>()});
    const double unit = size.at("unit").get<double>();
    if (!(unit > 0))
      refuseRecord(where, "a unit must be above 0");
    std::vector<MeasuredPoint> points;
    for (const long number : size.at("times").get<std::vector<long>>()) {
      if (number == 0 || -number > static_cast<long>(failures.size()))
        refuseRecord(where, fmt::format("a time of {}", number));
      points.push_back(number > 0 ? MeasuredPoint{static_cast<double>(number) * unit, {}}
                                  : MeasuredPoint{0, failures[static_cast<std::size_t>(-number - 1)]});
    }
    measured.points.push_back(std::move(points));
  }
  if (measured.sizes.empty())
    refuseRecord(where, "it has no size");
  const Grid grid = measured.grid();
  for (const auto &points : measured.points) {
    if (points.size() != grid.size())
      refuseRecord(where,
                   fmt::format("{} points, and the grid over its space has {}", points.size(), grid.size()));
    if (points[grid.nearest(Configuration::defaults(measured.space))].failure)
      refuseRecord(where, "the default was rejected");
  }
  return measured;
}

} // namespace

std::string toJson(const MeasuredSpace &measured) {
  std::vector<Failure> failures;
  const auto numberOf = [&](Failure kind) {
    if (std::find(failures.begin(), failures.end(), kind) == failures.end())
      failures.push_back(kind);
    return std::find(failures.begin(), failures.end(), kind) - failures.begin();
  };
  json sizes = json::array();
  for (std::size_t i = 0; i < measured.sizes.size(); ++i) {
    double least = 0;
    for (const MeasuredPoint &point : measured.points[i])
      if (!point.failure && (least == 0 || point.seconds < least))
        least = point.seconds;
    const double unit = least > 0 ? least / 1000 : 1e-9;
    json times = json::array();
    for (const MeasuredPoint &point : measured.points[i])
      times.push_back(point.failure ? -1L - numberOf(*point.failure)
                                    : std::max(std::lround(point.seconds / unit), 1L));
    sizes.push_back({{"name", measured.sizes[i].name},
                     {"n", measured.sizes[i].n},
                     {"default_seconds", measured.sizes[i].defaultSeconds},
                     {"unit", unit},
                     {"times", times}});
  }
  json names = json::array();
  for (const Failure kind : failures)
    names.push_back(nameOf(kind));
  const json file{{"info", json::parse(measured.info)},
                  {"machine", measured.machine},
                  {"date", measured.date},
                  {"cutoffs", measured.fineness.cutoffs},
                  {"values", measured.fineness.values},
                  {"noise", measured.noise},
                  {"failures", names},
                  {"sizes", sizes}};
  return file.dump() + "\n";
}

MeasuredSpace measuredSpaceFromJson(const std::string &text, const std::string &where) {
  try {
    return parse(json::parse(text), where);
  } catch (const json::exception &problem) {
    refuseRecord(where, problem.what());
  }
}

MeasuredSpace readMeasuredSpace(const std::string &path) {
  const std::string text = textOf(path);
  if (text.empty())
    refuseRecord(path, "it is not there, or empty");
  return measuredSpaceFromJson(text, path);
}

} // namespace pbc::tuner
