// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model codesign: which chip computes a workload fastest within an area.
#include "compiler/model/codesign/codesign_answer.h"
#include "compiler/model/command/command.h"
#include "compiler/model/machine/machine_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace pbc::model {
namespace {

struct CodesignOptions {
  std::string machine = "gtx980", units, lanes, model;
  std::vector<std::string> stencils, weights;
  std::vector<double> shared, area;
  std::vector<long> size;
  std::optional<long> steps;
  double registers = 2;
};

/// "2:32:2", "2:32" or "16".
Steps stepsOf(const std::string &option, const std::string &text, const Steps &otherwise) {
  if (text.empty())
    return otherwise;
  std::vector<int> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (numbers.size() < 3) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc())
      break;
    numbers.push_back(number);
    at = next;
    if (at == end || *at != ':')
      break;
    ++at;
  }
  if (numbers.empty() || at != end)
    throw Problem(fmt::format("\"{}\" is not a range for {}", text, option),
                  "give first:last:step, such as 2:32:2, or one number");
  return {numbers[0], numbers.size() > 1 ? numbers[1] : numbers[0], numbers.size() > 2 ? numbers[2] : 1};
}

DesignRanges rangesOf(const CodesignOptions &o) {
  DesignRanges ranges;
  ranges.units = stepsOf("--units", o.units, ranges.units);
  ranges.lanes = stepsOf("--lanes", o.lanes, ranges.lanes);
  if (!o.shared.empty())
    ranges.sharedKb = o.shared;
  if (o.area.size() > 2)
    throw Problem(fmt::format("--area has {} numbers", o.area.size()),
                  "give the least and the most, such as 200,650");
  if (o.area.size() == 2)
    ranges.leastArea = o.area[0];
  else if (o.area.size() == 1)
    ranges.leastArea = 0;
  if (!o.area.empty())
    ranges.mostArea = o.area.back();
  ranges.registersKb = o.registers;
  return ranges;
}

std::vector<StencilProblem> problemsOf(const Stencil &stencil, const CodesignOptions &o,
                                       const Machine &machine) {
  if (stencil.dimensions == 1)
    throw Problem(
        fmt::format("codesign is for stencils of two and three dimensions; {} has one", stencil.name),
        "pbc model time finds its tiles on one machine");
  const double iteration = iterationTime(machine, stencil);
  if (o.size.empty()) {
    if (o.steps)
      throw Problem("--steps without --size", "give both, or neither for the sizes that are published");
    return publishedSizes(stencil, iteration);
  }
  if (!o.steps)
    throw Problem("--size without --steps", "give both, or neither for the sizes that are published");
  if (o.size.size() != static_cast<size_t>(stencil.dimensions))
    throw Problem(fmt::format("--size has {} numbers, {} has {} dimensions", o.size.size(), stencil.name,
                              stencil.dimensions),
                  "give one for each dimension, and only stencils of as many with --stencil");
  StencilProblem problem{stencil, {1, 1, 1}, *o.steps, iteration};
  std::ranges::copy(o.size, problem.extents.begin());
  return {problem};
}

Workload workloadOf(const CodesignOptions &o, const Machine &machine) {
  std::vector<std::string> names = o.stencils;
  if (names.empty())
    for (const Stencil &stencil : namedStencils())
      if (stencil.dimensions > 1 && machine.iteration.contains(stencil.name) &&
          (o.size.empty() || o.size.size() == static_cast<size_t>(stencil.dimensions)))
        names.push_back(stencil.name);
  std::vector<std::vector<StencilProblem>> problems;
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(names.begin(), names.begin() + static_cast<long>(i), names[i]) ==
        names.begin() + static_cast<long>(i))
      problems.push_back(problemsOf(namedStencil(names[i]), o, machine));
  if (problems.empty())
    throw Problem(fmt::format("{} has no time of an iteration of such a stencil", machine.name),
                  "take --machine=gtx980");
  Workload workload = equallyFrequent(problems);
  if (o.weights.empty())
    return workload;
  std::map<std::string, double> weights;
  for (const std::string &text : o.weights) {
    const size_t equals = text.find('=');
    double weight = 0;
    const char *end = text.data() + text.size();
    const auto [rest, error] = equals == std::string::npos
                                   ? std::from_chars_result{text.data(), std::errc::invalid_argument}
                                   : std::from_chars(text.data() + equals + 1, end, weight);
    if (error != std::errc() || rest != end)
      throw Problem(fmt::format("\"{}\" is not a weight", text),
                    "give stencil=weight, such as --weights=Jacobi2D=3,Heat2D=1");
    if (!weights.insert({text.substr(0, equals), weight}).second)
      throw Problem(fmt::format("{} has two weights", text.substr(0, equals)), "leave one away");
  }
  return weighted(std::move(workload), weights);
}

ExistingChip existingChip(const Machine &machine) {
  const Chip chip = chipOf(machine);
  return {machine.name,
          {chip.units, chip.lanes, chip.sharedKb, chipArea(withoutCaches(chip)).total()},
          chipArea(chip).total()};
}

Answer answerOf(const CodesignOptions &o, const Common &common) {
  const Machine machine = findMachine(o.machine);
  CodesignQuestion q;
  q.basis = stencilMachine(machine);
  q.basisName = machine.name;
  q.ranges = rangesOf(o);
  q.workload = workloadOf(o, machine);
  if (common.printed && !o.model.empty() && timeModel(o.model) != TimeModel::Printed)
    throw Problem(fmt::format("--printed is --model=printed, and --model is {}", o.model), "leave one away");
  q.model = common.printed ? TimeModel::Printed : o.model.empty() ? TimeModel::Corrected : timeModel(o.model);
  for (const std::string &name : stencilsOf(q.workload))
    if (machine.iteration.at(name).spread >= 0.5)
      q.remarks.push_back(
          fmt::format("The time of an iteration of {} on {} is a guess.", name, machine.name));
  for (const char *name : {"gtx980", "titanx"})
    q.existing.push_back(existingChip(findMachine(name)));
  return answerCodesign(q);
}

} // namespace

void addCodesignCommand(CLI::App &parent, const Common &common, Question &question) {
  const auto options = std::make_shared<CodesignOptions>();
  CLI::App *app =
      parent.add_subcommand("codesign", "the chip that computes a workload fastest within an area");
  app->add_option("--area", options->area, "mm2: the most, or the least and the most; 200,650")
      ->delimiter(',');
  app->add_option("--stencil", options->stencils, "of the workload; all six with published sizes")
      ->delimiter(',');
  app->add_option("--weights", options->weights, "how often each occurs: Jacobi2D=3,Heat2D=1; equally")
      ->delimiter(',');
  app->add_option("--size", options->size, "extents, such as 8192,8192; the published sizes")->delimiter(',');
  app->add_option("--steps", options->steps, "steps of time, with --size");
  app->add_option("--units", options->units, "first:last:step; 2:32:2");
  app->add_option("--lanes", options->lanes, "of a unit, first:last:step; 32:2048:32");
  app->add_option("--shared", options->shared, "kB of a unit; 12,24,36,48,96,...,480")->delimiter(',');
  app->add_option("--registers", options->registers, "kB of a lane; 2");
  app->add_option("--machine", options->machine, "whose bandwidth, barrier, launch and iterations; gtx980");
  app->add_option("--model", options->model, "of time: corrected, balanced, uncontended or printed");
  app->callback([options, &common, &question] {
    question = [options, &common] { return answerOf(*options, common); };
  });
}

} // namespace pbc::model
