// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model energy: the energy of a tiled program, over its tiles, and costs from measurements.
#include "compiler/model/command/command.h"
#include "compiler/model/command/program_stencil.h"
#include "compiler/model/energy/energy_answer.h"
#include "compiler/model/machine/machine_file.h"
#include "tuner/write_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace pbc::model {
namespace {

struct EnergyOptions {
  std::string program, kernel, stencil, machine = "k20c", costs, calibrate, output;
  std::vector<int64_t> size, tile;
  std::optional<int64_t> steps;
  std::optional<int64_t> subTile;
  std::optional<double> seconds, iteration, kappa;
  double training = 0.1;
  uint64_t seed = 1;
};

constexpr const char *kCalibrated = "calibrated"; // the name of fitted costs in a machine file

std::string inWords(EnergyCode code, bool isTile) {
  if (code == EnergyCode::SmithWaterman)
    return isTile ? "two numbers, such as 256,256" : "the lengths of both sequences, such as 4096,4096";
  if (code == EnergyCode::Jacobi1D)
    return isTile ? "two numbers: points and steps, such as 256,64" : "one number, such as 65536";
  return isTile ? "three numbers: two extents and steps, such as 8,64,16" : "two numbers, such as 4096,4096";
}

/// The events of a point of a program's stencil, as far as there are costs for them.
PointWork workOf(const KernelStencil &k, std::vector<std::string> &remarks) {
  if (k.stencil.dimensions != 2)
    throw Problem(fmt::format("{} is a stencil of {} dimensions: energies are modelled for two",
                              k.stencil.name, k.stencil.dimensions),
                  "name another kernel with --kernel");
  PointWork work;
  work.name = k.stencil.name;
  work.radius = k.stencil.radius;
  work.words = static_cast<double>(k.stencil.words);
  work.sharedWords = (k.reads + 1) * k.numberWords;
  work.operations = Spendings();
  std::string others;
  for (const auto &[name, times] : k.stencil.operations) {
    const Spent kind = name == "fadd"   ? Spent::FloatAdd
                       : name == "iadd" ? Spent::IntegerAdd
                       : name == "imax" ? Spent::IntegerMaximum
                                        : Spent::FloatMultiply;
    work.operations[kind] += times;
    if (kind == Spent::FloatMultiply && name != "fmul")
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", times, name);
  }
  remarks.push_back(fmt::format(
      "An iteration of {} moves {:g} words between shared memory and registers, adds {:g} and multiplies "
      "{:g} numbers.",
      work.name, work.sharedWords, work.operations[Spent::FloatAdd], work.operations[Spent::FloatMultiply]));
  if (!others.empty())
    remarks.push_back(
        fmt::format("Nobody measured what these cost, so they are counted as multiplications: {}.", others));
  if (work.words > 1)
    remarks.push_back(
        "The costs are of operations on numbers of 4 bytes; those of its larger numbers cost more.");
  return work;
}

EnergyRun runOfOptions(const EnergyOptions &o) {
  EnergyRun run;
  run.code = energyCode(o.stencil);
  const size_t extents = run.code == EnergyCode::Jacobi1D ? 1 : 2;
  if (o.size.size() != extents)
    throw Problem(fmt::format("--size of {} has {} numbers", o.stencil, o.size.size()),
                  "give " + inWords(run.code, false));
  run.size1 = o.size[0];
  if (run.code == EnergyCode::SmithWaterman) {
    if (o.steps)
      throw Problem("SmithWaterman has no steps: its second sequence is the other extent",
                    "leave --steps away");
    run.steps = o.size[1];
  } else {
    if (!o.steps)
      throw Problem(fmt::format("how many steps of {}?", o.stencil), "give --steps=1024");
    run.steps = *o.steps;
    run.size2 = run.code == EnergyCode::Jacobi2D ? o.size[1] : 1;
  }
  run.sharedFactor = o.kappa.value_or(4);
  if (o.kappa && run.code != EnergyCode::Jacobi1D)
    throw Problem(fmt::format("--kappa is of Jacobi1D, not of {}", o.stencil), "leave it away");
  if (o.subTile && run.code == EnergyCode::Jacobi2D)
    throw Problem("--subtile is of Jacobi1D and SmithWaterman", "leave it away");
  const size_t sides = run.code == EnergyCode::Jacobi2D ? 3 : 2;
  if (!o.tile.empty() && o.tile.size() != sides)
    throw Problem(fmt::format("--tile of {} has {} numbers", o.stencil, o.tile.size()),
                  "give " + inWords(run.code, true));
  if (o.tile.empty()) { // any: all are tried
    if (o.subTile)
      throw Problem("--subtile is of one tile, and --tile is not there",
                    "give --tile, or leave --subtile away to compare all");
    run.tile1 = 1;
    run.tileSteps = 2;
  } else {
    run.subTile = o.subTile.value_or(8);
    run.tile1 = o.tile[0];
    run.tile2 = sides == 3 ? o.tile[1] : 1;
    run.tileSteps = o.tile[sides - 1];
  }
  check(run);
  return run;
}

/// Reads "regression", "k20c:bench", "file.toml:calibrated"; without a name, fitted costs are preferred to
/// those that were summed up.
void setCosts(EnergyQuestion &q, const EnergyOptions &o, const Machine &machine) {
  const size_t colon = o.costs.rfind(':');
  const Machine source = colon == std::string::npos ? machine : findMachine(o.costs.substr(0, colon));
  std::string name = colon == std::string::npos ? o.costs : o.costs.substr(colon + 1);
  if (name.empty())
    for (const char *each : {"bench", "regression", kCalibrated})
      if (source.energy.contains(each))
        name = each;
  if (name.empty() && !source.energy.empty())
    name = source.energy.begin()->first;
  q.costs = costsOf(source, name);
  q.costsName = fmt::format("{}, {}", source.name, name);
  if (source.name != machine.name)
    q.remarks.push_back(fmt::format("The costs are those of {}: another machine has others.", source.name));
}

void setTime(EnergyQuestion &q, const EnergyOptions &o, const Machine &machine,
             const std::optional<KernelStencil> &kernel) {
  if (o.seconds) {
    if (!(*o.seconds > 0 && *o.seconds < 1e12))
      throw Problem(fmt::format("a run of {} seconds", *o.seconds), "give the time that the program takes");
    q.seconds = *o.seconds;
    return;
  }
  q.machine = stencilMachine(machine);
  if (o.iteration) {
    if (!(*o.iteration > 0 && *o.iteration < 1e12))
      throw Problem(fmt::format("an iteration of {} seconds", *o.iteration),
                    "it is positive, such as 3.4e-8");
    q.iteration = *o.iteration;
    return;
  }
  if (kernel) {
    q.iteration = estimatedIteration(machine, *kernel, q.remarks);
    return;
  }
  const auto known = machine.iteration.find(o.stencil);
  if (known == machine.iteration.end())
    throw Problem(
        fmt::format("how long an iteration of {} takes on {} is not known", o.stencil, machine.name),
        "give it with --iteration=SECONDS, or the time of the whole run with --time=SECONDS");
  q.iteration = known->second.value;
  if (known->second.spread >= 0.5)
    q.remarks.push_back(
        fmt::format("The time rests on a guess: an iteration of {} s on {}.", q.iteration, machine.name));
}

Answer answerFit(const EnergyOptions &o) {
  const std::vector<EnergyMeasurement> runs = readEnergyMeasurements(o.calibrate);
  const EnergyFit fit = fitEnergy(runs, {.training = o.training, .seed = o.seed, .sharedFactor = o.kappa});
  Answer answer = energyFit(fit, runs, o.calibrate);
  if (!o.output.empty()) {
    if (!o.output.ends_with(".toml"))
      throw Problem(fmt::format("the file of a machine ends in .toml, not {}", o.output),
                    "such as -o own.toml");
    Machine machine = findMachine(o.machine);
    for (size_t i = 0; i < kSpents; ++i)
      machine.energy[kCalibrated][nameOf(static_cast<Spent>(i))] = fit.costs.values()[i];
    tuner::writeAtomically(o.output, machineText(machine));
    answer.explain(
        fmt::format("{} is the description of {} with these costs as \"{}\": --machine={} uses them.",
                    o.output, machine.name, kCalibrated, o.output));
  }
  return answer;
}

Answer answerEnergy(EnergyOptions o, const Common &common) {
  if (!o.calibrate.empty()) {
    if (common.printed)
      throw Problem("costs are found with the corrected counts", "leave --printed away");
    return answerFit(o);
  }
  if (!o.output.empty())
    throw Problem("--output is of --calibrate",
                  "leave it away, or give measurements with --calibrate=FILE.csv");
  if (!o.program.empty() && !o.stencil.empty())
    throw Problem("both a program and --stencil", "leave one away");
  if (o.stencil.empty())
    o.stencil = nameOf(EnergyCode::Jacobi2D);
  const Machine machine = findMachine(o.machine);
  EnergyQuestion q;
  q.mode = common.mode();
  q.run = runOfOptions(o);
  std::optional<KernelStencil> kernel;
  if (!o.program.empty()) {
    kernel = stencilOfProgram(o.program, o.kernel, common.eachKernel);
    q.run.work = workOf(*kernel, q.remarks);
    if (o.tile.empty())
      q.run.tile1 = q.run.work.radius;
    check(q.run);
  }
  setCosts(q, o, machine);
  setTime(q, o, machine, kernel);
  if (!o.tile.empty())
    return energyOfRun(q);
  if (o.seconds)
    throw Problem("--time is of one tile, and --tile is not there",
                  "give --tile, or leave --time away to compare all tiles");
  return energyOverTiles(q);
}

} // namespace

void addEnergyCommand(CLI::App &parent, const Common &common, Question &question) {
  const auto options = std::make_shared<EnergyOptions>();
  CLI::App *app =
      parent.add_subcommand("energy", "the energy of a tiled program, and the tiles that take least");
  CLI::Option *program = app->add_option(
      "program", options->program, "a .pbcc file, for the two-dimensional stencil that its largest rule is");
  app->add_option("--kernel", options->kernel, "which of the program's kernels, such as HeatStep.Inside")
      ->needs(program);
  app->add_option("--stencil", options->stencil, "Jacobi2D, Jacobi1D or SmithWaterman; Jacobi2D");
  app->add_option("--size", options->size, "extents, such as 4096,4096")->delimiter(',');
  app->add_option("--steps", options->steps, "steps of time");
  app->add_option("--tile", options->tile, "such as 8,64,16; without: all tiles are compared")
      ->delimiter(',');
  app->add_option("--subtile", options->subTile, "side of what a lane keeps in registers (not Jacobi2D); 8");
  app->add_option("--machine", options->machine, "k20c, or a machine's file");
  app->add_option("--costs", options->costs, "\"regression\", \"bench\", or another machine's: k20c:bench");
  CLI::Option *time =
      app->add_option("--time", options->seconds, "seconds that the run takes; without: predicted");
  app->add_option("--iteration", options->iteration, "seconds of an iteration on a lane, to predict the time")
      ->excludes(time);
  app->add_option("--kappa", options->kappa,
                  "factor of Jacobi1D's words from shared memory: 4 is printed, 1 is derived");
  CLI::Option *calibrate = app->add_option("--calibrate", options->calibrate,
                                           "finds the costs from measured runs: a CSV file (docs/models.md)");
  // The measured runs decide these.
  for (const char *of : {"program", "--stencil", "--size", "--steps", "--tile", "--subtile", "--costs",
                         "--time", "--iteration"})
    calibrate->excludes(app->get_option(of));
  app->add_option("--training", options->training, "share of the runs to find them from; 0.1")
      ->needs(calibrate);
  app->add_option("--seed", options->seed, "of the choice of these runs; 1")
      ->needs(calibrate)
      ->check(
          [](const std::string &seed) { return seed.rfind('-', 0) == 0 ? "a seed is not negative" : ""; });
  app->add_option("-o,--output", options->output, "writes the machine's file with the found costs");
  app->callback([options, &common, &question] {
    question = [options, &common] { return answerEnergy(*options, common); };
  });
}

} // namespace pbc::model
