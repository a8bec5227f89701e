// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/costs.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::model {
namespace {

struct SpentWords {
  const char *name, *words;
};
constexpr std::array<SpentWords, kSpents> kSpentWords = {{{"static", "static power"},
                                                          {"global_shared", "global memory"},
                                                          {"shared_register", "shared memory"},
                                                          {"fadd", "floating additions"},
                                                          {"fmul", "floating multiplications"},
                                                          {"iadd", "integer additions"},
                                                          {"imax", "integer maxima"}}};

} // namespace

const char *nameOf(Spent kind) { return kSpentWords[static_cast<size_t>(kind)].name; }
const char *wordsFor(Spent kind) { return kSpentWords[static_cast<size_t>(kind)].words; }

double joules(const Spendings &counts, const Spendings &costs) {
  double sum = 0;
  for (size_t i = 0; i < kSpents; ++i)
    sum += counts.values()[i] * costs.values()[i];
  return sum;
}

Spendings costsOf(const Machine &machine, const std::string &name) {
  if (machine.energy.empty())
    throw Problem(fmt::format("the description of {} has no energy figures", machine.name),
                  "take those of another machine with --costs=k20c:bench, or measure: pbc model energy "
                  "--calibrate=FILE.csv");
  const auto table = machine.energy.find(name);
  if (table == machine.energy.end()) {
    std::vector<std::string> there;
    for (const auto &[key, figures] : machine.energy)
      there.push_back(key);
    throw Problem(fmt::format("{} has no energy figures named \"{}\"", machine.name, name),
                  fmt::format("it has: {}", fmt::join(there, ", ")));
  }
  Spendings costs;
  for (size_t i = 0; i < kSpents; ++i) {
    const auto figure = table->second.find(kSpentWords[i].name);
    if (figure == table->second.end())
      throw Problem(
          fmt::format("the energy figures \"{}\" of {} lack \"{}\"", name, machine.name, kSpentWords[i].name),
          "add it to the machine file; 0 if it costs nothing");
    if (!std::isfinite(figure->second) || figure->second < 0)
      throw Problem(fmt::format("the energy figure \"{}\" of {} is {}", kSpentWords[i].name, machine.name,
                                figure->second),
                    "costs are finite and not negative");
    costs.values()[i] = figure->second;
  }
  return costs;
}

} // namespace pbc::model
