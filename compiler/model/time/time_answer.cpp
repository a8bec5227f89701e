// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/time_answer.h"

#include "compiler/model/time/overhead.h"
#include "compiler/model/time/tile_text.h"
#include "compiler/model/time/whole.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <tuple>

namespace pbc::model {
namespace {

std::string inMicroseconds(double seconds) { return fmt::format("{:.4g} us", 1e6 * seconds); }

/// A part of the total time, and advice about it.
struct TimePart {
  std::string name;
  double seconds;
  std::string advice;
  std::optional<double> factor; // relative to the sum of the parts before it; needs no time of an iteration
};

/// Answers questions about one tile.
class TileExplainer {
public:
  TileExplainer(const TimeQuestion &q, const Tile &tile, const StencilTime &time)
      : q_(q), machine_(q.machine), problem_(q.problem), tile_(tile), time_(time),
        overhead_(overheadOf(q.machine, q.problem, tile, time)) {}

  void addFigures(Answer &a) const {
    const bool corrected = q_.mode == Mode::Corrected;
    a.figure("time", time_.total, "s", problem_.stencil.dimensions == 1 ? "A.7" : "A.18, A.31");
    if (corrected) {
      a.figure("time, last groups not full", balancedTime(machine_, problem_, tile_, time_.resident), "s",
               "derived, 1.7");
      a.figure("time, wavefronts counted", countedTime(machine_, problem_, tile_, time_.resident), "s",
               "A.2");
    }
    a.figure("ideal time", overhead_.ideal, "s", "8.3");
    if (!corrected)
      a.figure("overhead as printed", printedOverhead(problem_, tile_), "s", "8.5");
    a.figure("time of the traffic alone", trafficTime(machine_, time_), "s", "1.3");
    a.figure("wavefronts", time_.wavefronts, "", "A.3");
    a.figure("tiles in a wavefront", time_.width, "", "A.6");
    a.figure("tiles on a unit at once (k)", time_.resident, "", "A.12");
    a.figure("rounds of a wavefront", time_.rounds, "", "A.7");
    a.figure("fast memory of a tile", time_.tileWords, "words", "A.20");
    a.figure("slices of a tile", time_.slices, "", "A.17, A.24");
    a.figure("moved by a slice", time_.movedWords, "words", "A.8, A.14, A.25");
    a.figure("transfer of a slice", time_.transfer, "s", "A.9, A.15, A.26");
    a.figure("computing of a slice", time_.compute, "s", "A.10, A.16, A.28");
  }

  void addParts(Answer &a) const {
    AnswerTable table{"Where the time goes", {"part", "time [s]", "share [%]", "factor"}, {}};
    for (const TimePart &p : parts())
      table.rows.push_back({p.name, p.seconds, 100 * p.seconds / time_.total,
                            p.factor ? nlohmann::ordered_json(*p.factor) : nlohmann::ordered_json()});
    a.tables.push_back(table);
  }

  void explain(Answer &a) const {
    if (q_.mode == Mode::Printed) {
      a.explain(time_.total < overhead_.ideal
                    ? fmt::format(
                          "The printed formulas lose iterations: this is {:.3g} of the ideal time, which no "
                          "machine can reach.",
                          time_.total / overhead_.ideal)
                    : "Printed formulas, for comparing with published tables only.");
      return;
    }
    a.explain(fmt::format(
        "{} takes {:.4g} times the ideal time.",
        overhead_.isComputeBound
            ? fmt::format("A slice computes for {} and transfers for {}: it is bound by computing and",
                          inMicroseconds(time_.compute), inMicroseconds(time_.transfer))
            : fmt::format("A slice transfers for {} and computes for {}: it is bound by memory and",
                          inMicroseconds(time_.transfer), inMicroseconds(time_.compute)),
        time_.total / overhead_.ideal));
    if (const double counted = countedTime(machine_, problem_, tile_, time_); counted > 1.05 * time_.total)
      a.explain(fmt::format(
          "Counted one by one, with the hexagons that borders cut, its wavefronts take {:.4g} s. With "
          "so few tiles for {}, rank tiles with --counted.",
          counted, plural(machine_.units, "unit")));
    std::vector<TimePart> lost = parts();
    const TimePart ideal = lost.front();
    lost.erase(lost.begin());
    const TimePart worst = *std::ranges::max_element(
        lost, [](const TimePart &x, const TimePart &y) { return x.seconds < y.seconds; });
    if (overhead_.isComputeBound && ideal.seconds > worst.seconds)
      a.explain(fmt::format(
          "What dominates are the iterations themselves, {} of the time: only more lanes, more units "
          "or a faster iteration than {} ns help much.",
          percentText(ideal.seconds / time_.total), fmt::format("{:.4g}", 1e9 * problem_.iteration)));
    if (worst.seconds > 0.001 * time_.total)
      a.explain(fmt::format("Of what is lost most is for {}, {} of the time: {}.", worst.name,
                            percentText(worst.seconds / time_.total), worst.advice));
  }

  void addPlot(Answer &a) const {
    Plot plot{fmt::format("{} on {}: time over the height of the tile", problem_.stencil.name, machine_.name),
              "height tT [steps]",
              "time [s]",
              false,
              true,
              {}};
    PlotSeries time{"model", {}, true}, traffic{"traffic alone", {}, true}, ideal{"ideal", {}, true};
    for (Tile t = withHeight(2); residency(machine_, problem_.stencil, t) > 0 && t.time <= 2 * problem_.steps;
         t = withHeight(t.time + 2)) {
      const long resident = residency(machine_, problem_.stencil, t);
      const StencilTime at = feasibleTime(machine_, problem_, t, timeForm(q_.mode), resident);
      const double height = static_cast<double>(t.time);
      time.points.emplace_back(height, at.total);
      traffic.points.emplace_back(height, trafficTime(machine_, at));
      ideal.points.emplace_back(height, overhead_.ideal);
    }
    plot.series = {time, traffic, ideal};
    a.plots.push_back(plot);
  }

private:
  Tile withHeight(long height) const { return {tile_.space, height}; }

  /// The ideal time comes first; all parts add up to the total.
  std::vector<TimePart> parts() const {
    const Overhead &o = overhead_;
    std::vector<TimePart> all;
    if (q_.mode == Mode::Printed) {
      all.push_back({"computing, as printed", time_.total - o.transfers - o.barriers - o.launches, "", {}});
    } else if (o.isComputeBound || time_.resident == 1) {
      double soFar = o.ideal;
      all.push_back({"iterations", o.ideal, "", {}});
      const auto factor = [&](const char *name, double q, const std::string &advice) {
        const double lost = soFar * (q - 1);
        all.push_back(
            {name, lost < 1e-12 * time_.total ? 0 : lost, advice, q}); // a rest that is due to rounding is 0
        soFar *= q;
      };
      factor("steps beyond the last", o.time, "a height that divides the number of steps");
      factor("units without a tile", o.wavefront, unitAdvice());
      factor("slices beyond the border", o.fringe,
             "slices (tS2, tS3) that end nearer to the border, or a lower tile");
      factor("lanes without a point", o.lanes,
             fmt::format("rows whose points are a multiple of the {} lanes", machine_.lanes));
    } else {
      all.push_back({"computing that no transfer hides", o.computing, "", {}});
    }
    all.push_back({"barriers", o.barriers, "longer rows (tS1, tS2) need fewer of them", {}});
    all.push_back({"transfers", o.transfers, transferAdvice(), {}});
    all.push_back({"launches", o.launches, "higher tiles need fewer wavefronts", {}});
    return all;
  }

  std::string unitAdvice() const {
    const long places = time_.rounds * time_.resident * machine_.units;
    std::string advice =
        fmt::format("{} of {} tiles have room for {}, a wavefront has {}", plural(time_.rounds, "round"),
                    machine_.units * time_.resident, places, time_.width);
    long best = time_.resident;
    double least = time_.total;
    for (long k = 1; k <= residency(machine_, problem_.stencil, tile_); ++k)
      if (const double t = feasibleTime(machine_, problem_, tile_, {}, k).total; t < least)
        best = k, least = t;
    return best == time_.resident ? advice + "; a larger problem or another base (tS1) fills them better"
                                  : fmt::format("{}; with k = {} it takes {:.4g} s", advice, best, least);
  }

  std::string transferAdvice() const {
    if (overhead_.isComputeBound)
      return "the first transfer of a group waits for nothing; a higher k hides more";
    return fmt::format(
        "computing would hide them if the memory were {:.3g} times as fast; higher tiles move fewer "
        "words for an iteration",
        time_.transfer / time_.compute);
  }

  const TimeQuestion &q_;
  const StencilMachine &machine_;
  const StencilProblem &problem_;
  Tile tile_;
  StencilTime time_;
  Overhead overhead_;
};

std::string questionTitle(const TimeQuestion &q, const std::string &what) {
  const Stencil &s = q.problem.stencil;
  return fmt::format("{} of {}, {}, {}, on {}{}", what, s.name, sidesText(s, q.problem.extents),
                     plural(q.problem.steps, "step"), q.machine.name,
                     q.mode == Mode::Printed ? " (formulas as printed)" : "");
}

void addRemarks(const TimeQuestion &q, Answer &a) {
  for (const std::string &remark : q.remarks)
    a.explain(remark);
}

/// Heights from one subtile to the end of the table or the memory, each an eighth larger than the previous
/// one.
Plot tableOverHeight(const TableQuestion &q, const SubtiledTile &tile, double ideal) {
  PlotSeries time{"model", {}, true}, least{"ideal", {}, true};
  SubtiledTile t = tile;
  t.height = t.subHeight;
  // More wavefronts than these take long to count, and are slow anyway.
  while (roundedUp(q.columns, t.height) > 100'000)
    t.height *= 2;
  for (; t.height <= q.columns && 2 * (t.width + t.height) <= q.machine.blockWords;
       t.height += roundedUp(t.height, 8 * t.subHeight) * t.subHeight) {
    const double height = static_cast<double>(t.height);
    time.points.emplace_back(height,
                             tableTime(q.machine, q.rows, q.columns, t, q.iteration, 0, q.mode).total);
    least.points.emplace_back(height, ideal);
  }
  return {fmt::format("{} on {}: time over the height of the tile", q.name, q.machine.name),
          "height tT [places]",
          "time [s]",
          true,
          true,
          {time, least}};
}

} // namespace

Answer timeOfTile(const TimeQuestion &q, const Tile &tile, long resident) {
  const StencilTime time = stencilTime(q.machine, q.problem, tile, timeForm(q.mode), resident);
  Answer a(questionTitle(q, fmt::format("Time of a tile of {}", tileText(q.problem.stencil, tile))));
  const TileExplainer explainer(q, tile, time);
  explainer.addFigures(a);
  explainer.addParts(a);
  explainer.explain(a);
  explainer.addPlot(a);
  addRemarks(q, a);
  return a;
}

Answer bestTiles(const TimeQuestion &q, const TileSearchSettings &settings, std::size_t shown) {
  const TileSearchResult found = searchTiles(q.machine, q.problem, timeForm(q.mode), settings);
  const Stencil &stencil = q.problem.stencil;
  Answer a(questionTitle(q, "Best tiles"));
  a.figure("best tile", tileText(stencil, found.best.tile), "", "A.32");
  TileExplainer explainer(q, found.best.tile, found.best.time);
  explainer.addFigures(a);
  a.figure("feasible tiles", found.feasible, "", "A.32");
  a.figure(fmt::format("of these within {}", percentText(settings.within)), found.near, "", "1.10");
  explainer.addParts(a);
  AnswerTable table{"Candidates: the best, then those with more tiles on a unit and less fast memory first",
                    {"tile", "k", "words", "time [s]", "over the best [%]"},
                    {}};
  for (std::size_t i = 0; i < std::min(shown, found.candidates.size()); ++i) {
    const RankedTile &c = found.candidates[i];
    table.rows.push_back({tileText(stencil, c.tile), c.time.resident, c.time.tileWords, c.total,
                          100 * (c.total / found.best.total - 1)});
  }
  a.tables.push_back(table);
  explainer.explain(a);
  if (found.baseStep > 1)
    a.explain(fmt::format("Of tS1 every {}th value was looked at: all would be too many.", found.baseStep));
  if (settings.resident == 0 && found.best.time.resident > 1) {
    // A full group of k tiles is charged even if fewer are left.
    TileSearchSettings alone = settings;
    alone.resident = 1;
    const RankedTile single = searchTiles(q.machine, q.problem, timeForm(q.mode), alone).best;
    if (single.total < found.best.total)
      a.explain(
          fmt::format("One tile on a unit at a time (--k=1) may be faster: tile {} then takes {:.4g} s.",
                      tileText(stencil, single.tile), single.total));
  }
  a.explain("The model knows no registers: run the candidates and keep the fastest.");
  explainer.addPlot(a);
  addRemarks(q, a);
  return a;
}

Answer timeOfTable(const TableQuestion &q, const SubtiledTile &tile, long resident) {
  const TableTime t = tableTime(q.machine, q.rows, q.columns, tile, q.iteration, resident, q.mode);
  Answer a(fmt::format("Time of {}, {} x {}, in tiles of {} x {}, on {}{}", q.name, q.rows, q.columns,
                       tile.width, tile.height, q.machine.name,
                       q.mode == Mode::Printed ? " (formulas as printed)" : ""));
  const long widest = *std::ranges::max_element(t.widths);
  const long room = q.machine.units * t.resident;
  const double launches = static_cast<double>(t.widths.size()) * q.machine.launch;
  const double tiles = static_cast<double>(std::accumulate(t.widths.begin(), t.widths.end(), 0L));
  // The time if every round were full.
  const double full = tiles / static_cast<double>(room) * t.group;
  a.figure("time", t.total, "s", q.mode == Mode::Printed ? "A.7 as printed" : "A.2");
  a.figure("ideal time", t.ideal, "s", "8.3");
  a.figure("wavefronts", t.widths.size(), "", "1.8");
  a.figure("tiles of the widest", widest, "", "1.8");
  a.figure("tiles on a unit at once (k)", t.resident, "", "A.12");
  a.figure("transfer of a tile", t.transfer, "s", "A.9");
  a.figure("computing of a tile", t.compute, "s", "derived, 1.8");
  AnswerTable table{"Where the time goes", {"part", "time [s]", "share [%]"}, {}};
  const double computing = std::max(0.0, full - t.ideal);
  for (const auto &[name, seconds] : {std::pair("iterations", std::min(t.ideal, full)),
                                      {"lanes without a subtile, barriers, transfers", computing},
                                      {"units without a tile", t.total - launches - full},
                                      {"launches", launches}})
    table.rows.push_back({name, seconds, 100 * seconds / t.total});
  a.tables.push_back(table);
  const double idle = (t.total - launches - full) / t.total;
  if (idle > computing / t.total)
    a.explain(fmt::format(
        "Units without a tile dominate what is lost, {} of the time: wavefronts grow from 1 to {} tiles "
        "where {} have room. Smaller tiles make wider wavefronts.",
        percentText(idle), widest, room));
  else
    a.explain(fmt::format(
        "Lanes without a subtile dominate what is lost, {} of the time: a tile has at most {} subtiles "
        "at once for {} lanes. Larger tiles or smaller subtiles use more of them.",
        percentText(computing / t.total),
        std::min(roundedUp(tile.width, tile.subWidth), roundedUp(tile.height, tile.subHeight)),
        q.machine.lanes));
  a.plots.push_back(tableOverHeight(q, tile, t.ideal));
  return a;
}

Answer bestTables(const TableQuestion &q, const TileSearchSettings &settings, std::size_t shown) {
  if (!(settings.within >= 0))
    throw Problem(fmt::format("the part of the minimum must be 0 or more, not {}", settings.within));
  struct Timed {
    SubtiledTile tile;
    TableTime time;
  };
  std::vector<Timed> all;
  forEachRectangle(q.machine, q.rows, q.columns, 1, [&](const SubtiledTile &tile) {
    const long most =
        std::min(q.machine.blocksPerUnit, q.machine.unitWords / (2 * (tile.width + tile.height)));
    if (settings.resident <= most)
      all.push_back(
          {tile, tableTime(q.machine, q.rows, q.columns, tile, q.iteration, settings.resident, q.mode)});
  });
  if (all.empty())
    throw Problem(fmt::format("no tile of {} fits in the {} words that a block of {} may have", q.name,
                              q.machine.blockWords, q.machine.name),
                  "take smaller sequences, or ask for a smaller k");
  const auto best = std::ranges::min_element(all, {}, [](const Timed &t) { return t.time.total; });
  std::iter_swap(all.begin(), best);
  const double least = all.front().time.total;
  std::erase_if(all, [&](const Timed &t) { return t.time.total > least * (1 + settings.within); });
  // In the order of searchTiles.
  std::sort(all.begin() + 1, all.end(), [](const Timed &a, const Timed &b) {
    return std::tuple(-a.time.resident, a.time.tileWords, a.time.total) <
           std::tuple(-b.time.resident, b.time.tileWords, b.time.total);
  });
  const auto text = [](const SubtiledTile &t) {
    return fmt::format("{} x {} / {} x {}", t.width, t.height, t.subWidth, t.subHeight);
  };
  Answer a = timeOfTable(q, all.front().tile, settings.resident);
  a.figures.insert(a.figures.begin(), {"best tile / subtile", text(all.front().tile), "", "1.8"});
  a.figure(fmt::format("tiles within {}", percentText(settings.within)), all.size(), "", "1.10");
  AnswerTable table{"Candidates: the best, then those with more tiles on a unit and less fast memory first",
                    {"tile / subtile", "k", "words", "time [s]", "over the best [%]"},
                    {}};
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    table.rows.push_back({text(all[i].tile), all[i].time.resident, all[i].time.tileWords, all[i].time.total,
                          100 * (all[i].time.total / least - 1)});
  a.tables.push_back(table);
  return a;
}

} // namespace pbc::model
