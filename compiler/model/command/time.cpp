// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model time: the time of a tiled stencil, or its best tiles.
#include "compiler/model/command/command.h"
#include "compiler/model/command/program_stencil.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/model/time/overhead_answer.h"
#include "compiler/model/time/time_answer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace pbc::model {
namespace {

const char *const kTable = "SmithWaterman";

struct TimeOptions {
  std::string program, stencil, kernel, machine;
  std::vector<long> size, tile, subtile;
  std::optional<long> steps, resident;
  std::optional<double> iteration;
  double within = 0.10;
  long candidates = 10;
  bool isCounted = false, isOverhead = false;
};

void checkCount(const std::string &option, std::size_t is, std::size_t wanted, const std::string &meaning) {
  if (is != wanted)
    throw Problem(fmt::format("{} must be {} numbers, not {}", option, wanted, is), meaning);
}

void checkGiven(const TimeOptions &o) {
  if (o.iteration && !(*o.iteration > 0 && *o.iteration <= 1))
    throw Problem(fmt::format("--iteration must be more than 0 and at most 1, not {}", *o.iteration),
                  "seconds of one iteration on one lane, such as 3.4e-8");
  if (o.resident && *o.resident < 1)
    throw Problem(fmt::format("--k must be at least 1, not {}", *o.resident), "without it as many as fit");
  if (o.candidates < 1)
    throw Problem(fmt::format("--candidates must be at least 1, not {}", o.candidates));
}

Answer answerTable(const TimeOptions &o, const Machine &machine, Mode mode) {
  checkCount("--size", o.size.size(), 2, "the lengths of both sequences");
  if (o.isOverhead)
    throw Problem("--overhead is of hexagonal tiles", "leave it away for SmithWaterman");
  if (o.steps)
    throw Problem("SmithWaterman has no --steps", "its time is the second sequence: --size=4096,4096");
  if (o.isCounted)
    throw Problem("of SmithWaterman wavefronts are always counted", "leave --counted away");
  const double iteration = o.iteration ? *o.iteration : iterationTime(machine, {.name = kTable});
  const TableQuestion q{stencilMachine(machine), kTable, o.size[0], o.size[1], iteration, mode};
  const auto shown = static_cast<std::size_t>(o.candidates);
  const long resident = o.resident.value_or(0);
  if (o.tile.empty() && !o.subtile.empty())
    throw Problem("--subtile is of one tile, and --tile is not there",
                  "give --tile, or leave --subtile away to compare all");
  if (o.tile.empty())
    return bestTables(q, {.within = o.within, .budget = shown, .resident = resident}, shown);
  checkCount("--tile", o.tile.size(), 2, "the sides of a tile of the table, tS,tT");
  const std::vector<long> subtile = o.subtile.empty() ? std::vector<long>{8, 8} : o.subtile;
  checkCount("--subtile", subtile.size(), 2, "the sides of what one lane computes alone, sS,sT");
  return timeOfTable(q, {o.tile[0], o.tile[1], subtile[0], subtile[1]}, resident);
}

const char *const kEstimatedFrom = "Jacobi2D"; // a program's iteration (program_stencil.h)

/// Whether times are requested and can be computed.
bool isTimed(const TimeOptions &o, const Machine &machine, const std::string &stencil) {
  return !o.isOverhead && (o.iteration || machine.iteration.contains(stencil));
}

void sayUntimed(TimeQuestion &q, const Machine &machine, bool isWanted) {
  if (!isWanted)
    q.remarks.push_back(fmt::format("How long an iteration of {} takes on {} is not known.",
                                    q.problem.stencil.name, machine.name));
}

Answer answerTime(const TimeOptions &o, const Common &common) {
  if (o.program.empty() == o.stencil.empty())
    throw Problem("give either a program or --stencil",
                  o.program.empty() ? "such as --stencil=Jacobi2D, or samples/heat.pbcc" : "not both");
  checkGiven(o);
  const Machine machine = findMachine(o.machine);
  if (o.stencil == kTable)
    return answerTable(o, machine, common.mode());
  if (!o.subtile.empty())
    throw Problem("--subtile is of SmithWaterman", "leave it away");
  TimeQuestion q{stencilMachine(machine), {}, common.mode(), {}};
  if (!o.program.empty()) {
    const KernelStencil k = stencilOfProgram(o.program, o.kernel, common.eachKernel);
    q.problem.stencil = k.stencil;
    std::string operations;
    for (const auto &[name, times] : k.stencil.operations)
      operations += fmt::format("{}{} {}", operations.empty() ? "" : ", ", times, name);
    q.remarks.push_back(
        fmt::format("{} of {} is a stencil of {} dimensions and radius {}, {} words a point; an "
                    "iteration reads {} cells and does {}.",
                    k.stencil.name, o.program, k.stencil.dimensions, k.stencil.radius, k.stencil.words,
                    k.reads, operations.empty() ? "no operation" : operations));
    if (!isTimed(o, machine, kEstimatedFrom))
      sayUntimed(q, machine, o.isOverhead);
    else
      q.problem.iteration = o.iteration ? *o.iteration : estimatedIteration(machine, k, q.remarks);
  } else {
    q.problem.stencil = namedStencil(o.stencil);
    if (!isTimed(o, machine, o.stencil))
      sayUntimed(q, machine, o.isOverhead);
    else
      q.problem.iteration = o.iteration ? *o.iteration : iterationTime(machine, q.problem.stencil);
  }
  const bool isTimedHere = q.problem.iteration > 0;
  const auto dimensions = static_cast<std::size_t>(q.problem.stencil.dimensions);
  checkCount("--size", o.size.size(), dimensions, "an extent for each dimension of space");
  std::ranges::copy(o.size, q.problem.extents.begin());
  if (!o.steps)
    throw Problem("--steps is missing", "steps of time, such as --steps=1024");
  q.problem.steps = *o.steps;
  if (const auto guess = machine.iteration.find(q.problem.stencil.name);
      isTimedHere && !o.iteration && guess != machine.iteration.end() && guess->second.spread >= 0.5)
    q.remarks.push_back(
        fmt::format("The time of an iteration on {} is a guess ({} s).", machine.name, guess->second.value));
  const auto shown = static_cast<std::size_t>(o.candidates);
  const TileSearchSettings settings{
      .within = o.within, .budget = shown, .resident = o.resident.value_or(0), .isCounted = o.isCounted};
  if (o.tile.empty())
    return isTimedHere ? bestTiles(q, settings, shown) : leastOverheads(q, settings, shown);
  checkCount("--tile", o.tile.size(), dimensions + 1, "tS1 to tS of the last dimension, then the height tT");
  Tile tile;
  std::copy(o.tile.begin(), o.tile.end() - 1, tile.space.begin());
  tile.time = o.tile.back();
  const long resident = o.resident.value_or(0);
  return isTimedHere ? timeOfTile(q, tile, resident) : overheadOfTile(q, tile, resident);
}

} // namespace

void addTimeCommand(CLI::App &parent, const Common &common, Question &question) {
  const auto options = std::make_shared<TimeOptions>();
  CLI::App *app = parent.add_subcommand("time", "how long a tiled stencil runs, and its best tiles");
  CLI::Option *program =
      app->add_option("program", options->program, "a .pbcc file, for the stencil that its largest rule is");
  app->add_option("--stencil", options->stencil, "Jacobi2D, Heat3D, ..., or SmithWaterman");
  app->add_option("--kernel", options->kernel, "which of the program's kernels, such as HeatStep.Inside")
      ->needs(program);
  app->add_option("--machine", options->machine, "gtx980, titanx, k20c, h100, h200, or a machine's file")
      ->required();
  app->add_option("--size", options->size, "extents of space, such as 4096,4096")->delimiter(',')->required();
  app->add_option("--steps", options->steps, "steps of time");
  CLI::Option *tile = app->add_option("--tile", options->tile,
                                      "sides of a tile and its height, such as 8,64,16; without: the best")
                          ->delimiter(',');
  app->add_option("--subtile", options->subtile, "what a lane computes alone, of SmithWaterman: 8,8")
      ->delimiter(',');
  app->add_option("--k", options->resident, "tiles on a unit at once; without: as many as fit");
  CLI::Option *iteration =
      app->add_option("--iteration", options->iteration, "seconds of one iteration on one lane");
  CLI::Option *overhead = app->add_flag("--overhead", options->isOverhead,
                                        "factors over the ideal time, for which no time of an iteration is "
                                        "needed; so it is anyway where that is not known")
                              ->excludes(iteration);
  // A tile that is given is not searched for.
  app->add_option("--within", options->within, "candidates: up to this part above the best; 0.1")
      ->excludes(tile, overhead);
  app->add_flag("--counted", options->isCounted, "rank tiles with each wavefront counted, not approximated")
      ->excludes(tile, overhead);
  app->add_option("--candidates", options->candidates, "how many of them are shown; 10")->excludes(tile);
  app->callback([options, &common, &question] {
    question = [options, &common] { return answerTime(*options, common); };
  });
}

} // namespace pbc::model
