// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/energy_answer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::model {
namespace {

std::string tileText(const EnergyRun &run) {
  if (run.code == EnergyCode::Jacobi2D)
    return fmt::format("{} x {} x {}", run.tile1, run.tile2, run.tileSteps);
  return fmt::format("{} x {} / {}", run.tile1, run.tileSteps, run.subTile);
}

std::string problemText(const EnergyRun &run) {
  switch (run.code) {
  case EnergyCode::Jacobi2D:
    return fmt::format("{}, {} x {}, {} steps", run.work.name, run.size1, run.size2, run.steps);
  case EnergyCode::Jacobi1D:
    return fmt::format("Jacobi1D, {}, {} steps", run.size1, run.steps);
  default:
    return fmt::format("SmithWaterman, {} x {}", run.size1, run.steps);
  }
}

/// What would have to change in the run so that it spends less on this.
std::string lever(const EnergyQuestion &q, Spent largest, double seconds, double total) {
  const EnergyRun &run = q.run;
  switch (largest) {
  case Spent::Static:
    return fmt::format("It falls with the time alone: a tenth less time saves {:.2g} J.",
                       q.costs[Spent::Static] * seconds / 10);
  case Spent::GlobalShared: {
    EnergyRun higher = run;
    higher.tileSteps *= 2;
    const double there = joules(spentByRun(higher, seconds, q.mode), q.costs);
    return fmt::format("Larger tiles move less: one of twice the height would take {:+.1f} % energy, if it "
                       "fits and is as fast.",
                       100 * (there / total - 1));
  }
  case Spent::SharedRegister:
    if (run.code == EnergyCode::Jacobi2D)
      return fmt::format(
          "Every iteration moves {:g} words between it and registers: only a kernel that keeps "
          "neighbours in registers would change it, no tile does.",
          run.work.sharedWords);
    return fmt::format("Larger sub-tiles keep more in registers: sS is {}.", run.subTile);
  default:
    return "That is the work itself: only fewer or cheaper operations would change it, no tile does.";
  }
}

double timeOf(const EnergyQuestion &q, const EnergyRun &run) {
  return q.machine ? predictedSeconds(*q.machine, run, q.iteration) : q.seconds;
}

/// Energy over the height of the tile, by kind; heights that do not fit are left out.
Plot energyOverHeight(const EnergyQuestion &q) {
  Plot plot{
      "Energy of " + problemText(q.run), "height of the tile tT [steps]", "energy [J]", true, false, {}};
  PlotSeries total{"total", {}, true}, standing{"static power", {}, true}, global{"global memory", {}, true},
      shared{"shared memory", {}, true}, operations{"operations", {}, true};
  for (int64_t height = 2; height <= std::max<int64_t>(512, 2 * q.run.tileSteps); height *= 2) {
    EnergyRun run = q.run;
    run.tileSteps = height;
    try {
      const double seconds = timeOf(q, run);
      const Spendings spent = spentByRun(run, seconds, q.mode);
      const auto x = static_cast<double>(height);
      const auto part = [&](Spent kind) { return spent[kind] * q.costs[kind]; };
      total.points.emplace_back(x, joules(spent, q.costs));
      standing.points.emplace_back(x, part(Spent::Static));
      global.points.emplace_back(x, part(Spent::GlobalShared));
      shared.points.emplace_back(x, part(Spent::SharedRegister));
      operations.points.emplace_back(x, part(Spent::FloatAdd) + part(Spent::FloatMultiply) +
                                            part(Spent::IntegerAdd) + part(Spent::IntegerMaximum));
    } catch (const Problem &) {
      continue; // too high for the machine's memory
    }
  }
  plot.series = {total, standing, global, shared, operations};
  return plot;
}

std::vector<nlohmann::ordered_json> pointRow(const std::string &what, const EnergyPoint &p) {
  return {what, tileText(p.run), p.seconds, p.joules, p.product(), p.joules / p.seconds};
}

} // namespace

Answer energyOfRun(const EnergyQuestion &q) {
  const double seconds = timeOf(q, q.run);
  const Spendings tile = spentByTile(q.run), spent = spentByRun(q.run, seconds, q.mode);
  const double total = joules(spent, q.costs), standing = spent[Spent::Static] * q.costs[Spent::Static];
  Answer answer(fmt::format("Energy of {}, tile {}, with the costs of {}", problemText(q.run),
                            tileText(q.run), q.costsName));
  answer.figure("energy", total, "J", "B.1");
  answer.figure("static", standing, "J", "Pstat Talg");
  answer.figure("dynamic", total - standing, "J", "Ntiles Etile");
  answer.figure("time", seconds, "s", q.machine ? fmt::format("predicted on {}", q.machine->name) : "given");
  answer.figure("mean power", total / seconds, "W");
  answer.figure("energy-delay product", total * seconds, "J s", "cost-models.md 4.4");
  answer.figure("tiles", tilesOf(q.run, q.mode), "",
                q.run.code == EnergyCode::Jacobi2D ? "B.5" : "cost-models.md 2.2");
  answer.figure("of a tile", joules(tile, q.costs), "J",
                q.run.code == EnergyCode::Jacobi2D ? "B.6" : "cost-models.md 2.3");
  AnswerTable table{
      "Where it goes", {"spent on", "of a tile", "cost of one [J; W]", "energy [J]", "share [%]"}, {}};
  Spent largest = Spent::Static;
  for (size_t i = 0; i < kSpents; ++i) {
    const auto kind = static_cast<Spent>(i);
    const double energy = spent[kind] * q.costs[kind];
    if (energy > spent[largest] * q.costs[largest])
      largest = kind;
    if (spent[kind] > 0)
      table.rows.push_back(
          {wordsFor(kind),
           kind == Spent::Static ? nlohmann::ordered_json() : nlohmann::ordered_json(tile[kind]),
           q.costs[kind], energy, total > 0 ? 100 * energy / total : 0});
  }
  answer.tables.push_back(table);
  answer.explain(fmt::format("Most energy goes into {}: {} of it. {}", wordsFor(largest),
                             percentText(total > 0 ? spent[largest] * q.costs[largest] / total : 0),
                             lever(q, largest, seconds, total)));
  if (q.run.code == EnergyCode::Jacobi1D && q.run.sharedFactor == 4)
    answer.explain("Words from shared memory are counted four times, as the source prints it and as its "
                   "costs were fitted; "
                   "--kappa=1 is what the counts give.");
  answer.explain("Synchronisation, the host and transfers to the device are not in it.");
  for (const std::string &remark : q.remarks)
    answer.explain(remark);
  answer.plots.push_back(energyOverHeight(q));
  return answer;
}

Answer energyOverTiles(const EnergyQuestion &q) {
  const EnergyFront found = energyFront(*q.machine, q.costs, q.run, q.iteration, q.mode);
  const EnergyPoint &fastest = found.points[found.fastest], &least = found.points[found.leastEnergy];
  const EnergyPoint &product = found.points[found.leastProduct];
  Answer answer(fmt::format("Time and energy of {} over its tiles, on {} with the costs of {}",
                            problemText(q.run), q.machine->name, q.costsName));
  answer.figure("tiles tried", found.points.size());
  answer.figure("on the Pareto front", found.front.size(), "", "cost-models.md 2.5");
  const std::vector<std::string> columns = {"",           "tile",          "time [s]",
                                            "energy [J]", "product [J s]", "power [W]"};
  AnswerTable best{"Best tiles", columns, {}};
  best.rows = {pointRow("fastest", fastest), pointRow("least energy", least),
               pointRow("least energy-delay product", product)};
  AnswerTable front{"Pareto front: no other tile is faster and takes less energy", columns, {}};
  for (const size_t i : found.front)
    front.rows.push_back(pointRow("", found.points[i]));
  answer.tables = {best, front};

  if (found.front.size() == 1)
    answer.explain("The fastest tile also takes least energy: there is nothing to trade.");
  else
    answer.explain(fmt::format(
        "The fastest tile takes {} more energy than the most frugal one, which takes {} more time.",
        percentText(fastest.joules / least.joules - 1), percentText(least.seconds / fastest.seconds - 1)));
  const double standing = q.costs[Spent::Static] * least.seconds / least.joules;
  const Spendings spent = spentByRun(least.run, least.seconds, q.mode);
  const double global = spent[Spent::GlobalShared] * q.costs[Spent::GlobalShared] / least.joules;
  answer.explain(fmt::format(
      "Of the most frugal tile's energy static power takes {}, which falls with the time, and "
      "global memory {}, which falls with larger tiles; the operations cost nearly the same with all "
      "tiles. With less static power, time and energy would part further.",
      percentText(standing), percentText(global)));
  for (const std::string &remark : q.remarks)
    answer.explain(remark);

  Plot plot{answer.title, "time [s]", "energy [J]", false, false, {}};
  PlotSeries all{"tiles within 50 % of the fastest", {}}, line{"Pareto front", {}, true};
  for (const EnergyPoint &p : found.points)
    if (p.seconds <= 1.5 * fastest.seconds)
      all.points.emplace_back(p.seconds, p.joules);
  for (const size_t i : found.front)
    line.points.emplace_back(found.points[i].seconds, found.points[i].joules);
  plot.title = fmt::format("Time and energy of {} over its tiles", problemText(q.run));
  plot.series = {all, line};
  answer.plots.push_back(plot);
  return answer;
}

Answer energyFit(const EnergyFit &fit, const std::vector<EnergyMeasurement> &runs, const std::string &file) {
  Answer answer(fmt::format("Energy costs from the measurements in {}", file));
  for (size_t i = 0; i < kSpents; ++i) {
    const auto kind = static_cast<Spent>(i);
    if (std::ranges::find(fit.undetermined, kind) == fit.undetermined.end())
      answer.figure(nameOf(kind), fit.costs[kind], kind == Spent::Static ? "W" : "J", wordsFor(kind));
  }
  const auto hasJacobi1D = std::ranges::any_of(
      runs, [](const EnergyMeasurement &m) { return m.run.code == EnergyCode::Jacobi1D; });
  if (hasJacobi1D)
    answer.figure("kappa", fit.sharedFactor, "", "cost-models.md 2.3");
  AnswerTable table{
      "How well they predict", {"code", "training", "error [%]", "test", "error of the test [%]"}, {}};
  for (const FitRow &row : fit.rows)
    table.rows.push_back({row.code, row.training, 100 * row.trainingError, row.test,
                          row.test ? nlohmann::ordered_json(100 * row.testError) : nlohmann::ordered_json()});
  answer.tables.push_back(table);
  const FitRow &all = fit.rows.back();
  answer.explain(fmt::format(
      "Errors are roots of mean squared relative errors. The costs minimise the sum of absolute errors over "
      "the {} runs of the training; the {} of the test had no part in it.",
      all.training, all.test));
  const auto worst =
      std::max_element(fit.rows.begin(), fit.rows.end() - 1,
                       [](const FitRow &a, const FitRow &b) { return a.testError < b.testError; });
  if (all.testError > 2 * all.trainingError && all.testError > 0.02)
    answer.explain("The test is much worse than the training: measure more runs, or take a larger share of "
                   "them with --training.");
  else if (worst->testError > 0.1)
    answer.explain(fmt::format(
        "{} is predicted worst: the model lacks something that these runs spend energy on.", worst->code));
  if (!fit.undetermined.empty()) {
    std::vector<std::string> names;
    for (const Spent kind : fit.undetermined)
      names.emplace_back(nameOf(kind));
    answer.explain(fmt::format(
        "Not to be told from these runs, and left at 0: {}. They never occur, or always in the same "
        "proportion to others, which then have their energy too.",
        fmt::join(names, ", ")));
  }
  Plot plot{"Predicted and measured energy", "measured [J]", "predicted [J]", true, true, {}};
  for (const EnergyCode code : {EnergyCode::SmithWaterman, EnergyCode::Jacobi1D, EnergyCode::Jacobi2D}) {
    PlotSeries series{nameOf(code), {}};
    for (EnergyMeasurement m : runs) {
      m.run.sharedFactor = fit.sharedFactor;
      if (m.run.code == code)
        series.points.emplace_back(m.joules, joules(spentByRun(m.run, m.seconds), fit.costs));
    }
    if (!series.points.empty())
      plot.series.push_back(series);
  }
  PlotSeries exact{"equal", {}, true};
  const auto [low, high] = std::ranges::minmax_element(runs, {}, &EnergyMeasurement::joules);
  exact.points = {{low->joules, low->joules}, {high->joules, high->joules}};
  plot.series.push_back(exact);
  answer.plots.push_back(plot);
  return answer;
}

} // namespace pbc::model
