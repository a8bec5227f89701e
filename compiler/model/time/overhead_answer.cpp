// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/overhead_answer.h"

#include "compiler/model/pareto.h"
#include "compiler/model/time/overhead.h"
#include "compiler/model/time/tile_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

/// A tile with the values that do not depend on the time of an iteration.
struct FactoredTile {
  Tile tile;
  StencilTime time; // its seconds of computing are for iterations of one second
  Overhead overhead;

  double face() const { // what should be large according to 8.5
    return static_cast<double>(tile.space[0]) + static_cast<double>(tile.time) / 2;
  }
};

/// The problem with iterations of one second, so that the computed times are counts of iterations.
StencilProblem ofOneSecond(StencilProblem p) {
  p.iteration = 1;
  return p;
}

FactoredTile factored(const StencilMachine &m, const StencilProblem &p, const Tile &tile, long resident) {
  const StencilTime t = feasibleTime(m, p, tile, {}, resident);
  return {tile, t, overheadOf(m, p, tile, t)};
}

/// The time of an iteration from which on computing a slice takes as long as transferring it (c = m').
double boundFrom(const StencilMachine &m, const FactoredTile &f) {
  const double barriers = static_cast<double>(f.tile.time) * m.barrier;
  return std::max(0.0, f.time.transfer - barriers) / (f.time.compute - barriers);
}

void addFigures(Answer &a, const TimeQuestion &q, const FactoredTile &f) {
  const StencilProblem p = ofOneSecond(q.problem);
  a.figure("over the ideal time", f.overhead.factor(), "times", "derived, 1.11");
  if (q.mode == Mode::Printed)
    a.figure("overhead as printed", printedOverhead(p, f.tile), "iterations", "8.5 as printed");
  a.figure("bound by computing from an iteration of", boundFrom(q.machine, f), "s", "1.11");
  a.figure("face of the hexagon (tS1 + tT / 2)", f.face(), "", "8.5");
  a.figure("wavefronts", f.time.wavefronts, "", "A.3");
  a.figure("tiles in a wavefront", f.time.width, "", "A.6");
  a.figure("tiles on a unit at once (k)", f.time.resident, "", "A.12");
  a.figure("rounds of a wavefront", f.time.rounds, "", "A.7");
  a.figure("fast memory of a tile", f.time.tileWords, "words", "A.20");
  a.figure("slices of a tile", f.time.slices, "", "A.17, A.24");
  a.figure("time of the traffic alone", trafficTime(q.machine, f.time), "s", "1.3");
  a.figure("launches", f.overhead.launches, "s", "A.2");
}

void addFactors(Answer &a, const FactoredTile &f) {
  AnswerTable table{"Factors over the ideal time", {"lost to", "factor", "what would lower it"}, {}};
  const Overhead &o = f.overhead;
  table.rows = {{"steps beyond the last (q_t)", o.time, "a height that divides the number of steps"},
                {"units without a tile (q_s)", o.wavefront, "another base (tS1) or k"},
                {"slices beyond the border (q_2)", o.fringe, "slices that end at the border; a lower tile"},
                {"lanes without a point (q_v)", o.lanes, "rows whose points are a multiple of the lanes"}};
  a.tables.push_back(table);
  const auto worst =
      std::ranges::max_element(table.rows, {}, [](const auto &row) { return row[1].template get<double>(); });
  if ((*worst)[1].get<double>() > 1.001)
    a.explain(fmt::format("Most is lost to {}, a factor of {:.4g}: {}.", (*worst)[0].get<std::string>(),
                          (*worst)[1].get<double>(), (*worst)[2].get<std::string>()));
}

void addRemarks(Answer &a, const TimeQuestion &q) {
  a.explain("The factors need no time of an iteration; barriers, first transfers and launches come on top, "
            "and transfers that computing does not hide. --iteration=SECONDS gives times.");
  for (const std::string &remark : q.remarks)
    a.explain(remark);
}

std::string titleOf(const TimeQuestion &q, const std::string &what) {
  const Stencil &s = q.problem.stencil;
  return fmt::format("{} of {}, {}, {}, on {}{}", what, s.name, sidesText(s, q.problem.extents),
                     plural(q.problem.steps, "step"), q.machine.name,
                     q.mode == Mode::Printed ? " (ranked as printed)" : "");
}

void addPlot(Answer &a, const TimeQuestion &q, const Tile &tile) {
  const StencilProblem p = ofOneSecond(q.problem);
  PlotSeries factor{"model", {}, true};
  for (Tile t{tile.space, 2}; residency(q.machine, p.stencil, t) > 0 && t.time <= 2 * p.steps; t.time += 2)
    factor.points.emplace_back(
        static_cast<double>(t.time),
        factored(q.machine, p, t, residency(q.machine, p.stencil, t)).overhead.factor());
  a.plots.push_back({fmt::format("{} on {}: factor over the ideal time", p.stencil.name, q.machine.name),
                     "height tT [steps]",
                     "times the ideal time",
                     false,
                     true,
                     {factor}});
}

/// Compares tiles: by (8.5) as printed, or by the factor, then the face.
bool isBetter(Mode mode, const FactoredTile &a, const FactoredTile &b) {
  constexpr double kRounding = 1e-12;
  const double x = a.overhead.factor(), y = b.overhead.factor();
  if (mode == Mode::Corrected && std::abs(x - y) > kRounding * y)
    return x < y;
  return a.face() > b.face();
}

} // namespace

Answer overheadOfTile(const TimeQuestion &q, const Tile &tile, long resident) {
  const StencilProblem p = ofOneSecond(q.problem);
  const long k = stencilTime(q.machine, p, tile, {}, resident).resident; // checks the tile
  const FactoredTile f = factored(q.machine, p, tile, k);
  Answer a(titleOf(q, fmt::format("Overhead of a tile of {}", tileText(p.stencil, tile))));
  addFigures(a, q, f);
  addFactors(a, f);
  addRemarks(a, q);
  addPlot(a, q, tile);
  return a;
}

Answer leastOverheads(const TimeQuestion &q, const TileSearchSettings &settings, std::size_t shown) {
  const StencilProblem p = ofOneSecond(q.problem);
  check(p);
  std::vector<FactoredTile> all;
  const long step = forEachFeasibleTile(q.machine, p, [&](const Tile &tile) {
    const long most = residency(q.machine, p.stencil, tile);
    if (settings.resident <= most)
      all.push_back(factored(q.machine, p, tile, settings.resident > 0 ? settings.resident : most));
  });
  if (all.empty())
    throw noTile(q.machine, p.stencil, settings.resident);
  const auto better = [&](const FactoredTile &x, const FactoredTile &y) { return isBetter(q.mode, x, y); };
  std::iter_swap(all.begin(), std::ranges::min_element(all, better));
  Answer a(titleOf(q, "Tiles of least overhead"));
  a.figure("best tile", tileText(p.stencil, all.front().tile), "", "1.11");
  addFigures(a, q, all.front());
  a.figure("feasible tiles", all.size(), "", "A.32");
  addFactors(a, all.front());
  // The least factor often belongs to tiles that are only compute-bound with a slow iteration; the front
  // shows those between.
  std::vector<TwoCosts> costs;
  for (const FactoredTile &f : all)
    costs.push_back({f.overhead.factor(), boundFrom(q.machine, f)});
  const std::vector<std::size_t> front = paretoFront(costs);
  AnswerTable table{"Candidates: no other tile has a smaller factor and suffices a shorter iteration",
                    {"tile", "k", "words", "factor", "face", "bound by computing from [s]"},
                    {}};
  const std::size_t rows = std::min(shown, front.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const FactoredTile &f = all[front[rows == 1 ? 0 : i * (front.size() - 1) / (rows - 1)]];
    table.rows.push_back({tileText(p.stencil, f.tile), f.time.resident, f.time.tileWords, f.overhead.factor(),
                          f.face(), boundFrom(q.machine, f)});
  }
  a.tables.push_back(table);
  if (step > 1)
    a.explain(fmt::format("Of tS1 every {}th value was looked at: all would be too many.", step));
  addRemarks(a, q);
  addPlot(a, q, all.front().tile);
  return a;
}

} // namespace pbc::model
