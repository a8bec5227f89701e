// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/codesign/codesign_answer.h"

#include "compiler/model/time/overhead.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

using Row = std::vector<nlohmann::ordered_json>;

std::string designText(const Design &d) {
  return fmt::format("{} units of {} lanes with {:g} kB", d.units, d.lanes, d.sharedKb);
}

std::string tileText(const Tile &tile, int dimensions) {
  std::string out;
  for (int d = 0; d < dimensions; ++d)
    out += fmt::format("{} x ", tile.space[static_cast<size_t>(d)]);
  return out + std::to_string(tile.time);
}

/// Codesign's tables and sentences, each made by a function from what was computed once.
class Report {
public:
  explicit Report(const CodesignQuestion &q)
      : q_(q), codesign_(q.basis, designsIn(q.ranges), q.workload, q.model),
        seconds_(codesign_.seconds(q.workload)), front_(codesign_.front(seconds_)),
        best_(codesign_.best(seconds_)), iterations_(meanIterations(q.workload)) {}

  Answer answer() {
    const auto &designs = codesign_.designs();
    const Design &best = designs[best_];
    Answer a(fmt::format("Codesign: {} problem{} of {} on {} designs of {:g} to {:g} mm2, time model {}",
                         q_.workload.size(), q_.workload.size() == 1 ? "" : "s",
                         stencils().size() == 1 ? stencils().front()
                                                : fmt::format("{} stencils", stencils().size()),
                         designs.size(), q_.ranges.leastArea, q_.ranges.mostArea, nameOf(q_.model)));
    a.figure("best units", best.units, "", "C.18");
    a.figure("best lanes of a unit", best.lanes);
    a.figure("best shared memory", best.sharedKb, "kB");
    a.figure("its area", best.area, "mm2", "C.6 without caches");
    a.figure("its performance", giga(seconds_[best_]), "10^9 iterations/s", "mean problem");
    a.figure("designs on the Pareto front", front_.size(), "", "cost-models.md 4.2");
    a.figure("pairs of design and tile", codesign_.tried());
    a.tables = {frontTable(), sensitivity(), existing(), areaShares(), tiles()};
    std::erase_if(a.tables, [](const AnswerTable &t) { return t.rows.empty(); });
    explain(a);
    a.plots.push_back(plot());
    return a;
  }

private:
  double giga(double seconds) const { return iterations_ / seconds / 1e9; }
  std::vector<std::string> stencils() const {
    std::vector<std::string> out;
    for (const WorkloadCase &c : q_.workload)
      if (c.frequency > 0 && std::ranges::find(out, c.problem.stencil.name) == out.end())
        out.push_back(c.problem.stencil.name);
    return out;
  }

  AnswerTable frontTable() const {
    AnswerTable t{"Pareto front: no smaller design is as fast",
                  {"area [mm2]", "units", "lanes", "shared [kB]", "10^9 iterations/s"},
                  {}};
    for (const size_t i : front_) {
      const Design &d = codesign_.designs()[i];
      t.rows.push_back({d.area, d.units, d.lanes, d.sharedKb, giga(seconds_[i])});
    }
    return t;
  }

  /// The best chip for each stencil alone, and what one chip for all loses: sums over stored minima.
  AnswerTable sensitivity() const {
    AnswerTable t{"Sensitivity: the best design if a stencil were the whole workload",
                  {"stencil", "area [mm2]", "units", "lanes", "shared [kB]", "10^9 iterations/s",
                   "the design for all is slower by [%]"},
                  {}};
    if (stencils().size() < 2)
      return t;
    for (const std::string &name : stencils()) {
      const Workload alone = weighted(q_.workload, {{name, 1}});
      const std::vector<double> seconds = codesign_.seconds(alone);
      const size_t best = codesign_.best(seconds);
      const Design &d = codesign_.designs()[best];
      t.rows.push_back({name, d.area, d.units, d.lanes, d.sharedKb,
                        meanIterations(alone) / seconds[best] / 1e9,
                        100 * (seconds[best_] / seconds[best] - 1)});
    }
    return t;
  }

  AnswerTable existing() {
    AnswerTable t{"Chips that exist, by the same models",
                  {"chip", "area [mm2]", "10^9 iterations/s", "best design no larger", "faster by [%]",
                   "area without caches [mm2]", "best no larger than that", "faster than it by [%]"},
                  {}};
    for (const ExistingChip &chip : q_.existing) {
      const Codesign alone(q_.basis, {chip.design}, q_.workload, q_.model);
      const double seconds = alone.seconds(q_.workload)[0];
      if (!std::isfinite(seconds))
        continue;
      Row row{chip.name, chip.fullArea, giga(seconds)};
      for (const double area : {chip.fullArea, chip.design.area}) {
        if (area == chip.design.area)
          row.emplace_back(area);
        try {
          const size_t best = codesign_.best(seconds_, area);
          row.emplace_back(designText(codesign_.designs()[best]));
          row.emplace_back(100 * (seconds / seconds_[best] - 1));
        } catch (const Problem &) { // the chip is smaller than the budget
          row.insert(row.end(), {nullptr, nullptr});
        }
      }
      t.rows.push_back(std::move(row));
      existingPoints_.push_back({chip.name, {{chip.design.area, giga(seconds)}}, false});
    }
    return t;
  }

  AnswerTable areaShares() const {
    AnswerTable t{"Area of the best design", {"part", "area [mm2]", "share [%]"}, {}};
    const ChipArea area = chipArea(chipOf(codesign_.designs()[best_], q_.ranges.registersKb));
    for (const ChipArea::Part &part : area.parts())
      if (part.area > 0)
        t.rows.push_back({part.name, part.area, 100 * part.area / area.total()});
    return t;
  }

  /// The problem of a stencil with the longest time on the best design.
  size_t longestOf(const std::string &stencil) const {
    size_t longest = q_.workload.size();
    for (size_t c = 0; c < q_.workload.size(); ++c)
      if (q_.workload[c].problem.stencil.name == stencil && q_.workload[c].frequency > 0 &&
          (longest == q_.workload.size() ||
           codesign_.minimum(c, best_).seconds > codesign_.minimum(longest, best_).seconds))
        longest = c;
    return longest;
  }

  /// What adds most to the ideal time of a problem on the best design.
  std::string largestLoss(size_t workloadCase) const {
    const StencilProblem &p = q_.workload[workloadCase].problem;
    const StencilMachine machine = machineOf(codesign_.designs()[best_], q_.basis);
    const Tile &tile = *codesign_.tile(workloadCase, best_);
    const Overhead o = overheadOf(machine, p, tile, stencilTime(machine, p, tile));
    const std::array<std::pair<const char *, double>, 7> losses = {{{"steps beyond the last", o.time - 1},
                                                                    {"units without a tile", o.wavefront - 1},
                                                                    {"borders of tiles", o.fringe - 1},
                                                                    {"idle lanes", o.lanes - 1},
                                                                    {"barriers", o.barriers / o.ideal},
                                                                    {"transfers", o.transfers / o.ideal},
                                                                    {"launches", o.launches / o.ideal}}};
    const auto *most = std::ranges::max_element(losses, {}, &std::pair<const char *, double>::second);
    return most->first;
  }

  /// Of each stencil the problem that takes longest on the best design.
  AnswerTable tiles() const {
    AnswerTable t{"Tiles on the best design, of each stencil's largest problem",
                  {"stencil", "size", "steps", "tile", "time [s]", "of the ideal time [%]"},
                  {}};
    if (q_.model != TimeModel::Printed)
      t.columns.emplace_back("most is lost to");
    for (const std::string &name : stencils()) {
      const size_t longest = longestOf(name);
      const StencilProblem &p = q_.workload[longest].problem;
      const double seconds = codesign_.minimum(longest, best_).seconds;
      const StencilMachine machine = machineOf(codesign_.designs()[best_], q_.basis);
      t.rows.push_back({name, p.extents[0], p.steps,
                        tileText(*codesign_.tile(longest, best_), p.stencil.dimensions), seconds,
                        100 * idealTime(machine, p) / seconds});
      if (q_.model != TimeModel::Printed)
        t.rows.back().emplace_back(largestLoss(longest));
    }
    return t;
  }

  void explain(Answer &a) const {
    const Design &best = codesign_.designs()[best_];
    const ChipArea area = chipArea(chipOf(best, q_.ranges.registersKb));
    a.explain(fmt::format("{} of the best design's area computes (lanes and their registers), {} is shared "
                          "memory, {} is what each "
                          "unit brings along.",
                          percentText((area.lanes + area.registers) / area.total()),
                          percentText(area.shared / area.total()),
                          percentText(area.overhead / area.total())));
    double ideal = 0;
    for (const WorkloadCase &c : q_.workload)
      ideal += c.frequency * idealTime(machineOf(best, q_.basis), c.problem);
    const double reached = ideal / seconds_[best_];
    if (reached > 1)
      a.explain(fmt::format(
          "Its lanes would do {:.2f} times what they can: the printed model forgets parts of the work.",
          reached));
    else
      a.explain(
          fmt::format("Its lanes do {} of what they can. {}", percentText(reached), whatWouldHelp(reached)));
    explainNeighbour(a);
    explainCost(a);
    if (q_.model == TimeModel::Printed)
      a.explain("This model is only for comparison with what is published: --model=corrected is the one to "
                "believe.");
    for (const std::string &remark : q_.remarks)
      a.explain(remark);
    a.explain(fmt::format("Bandwidth, barrier, launch and the times of iterations are those of {} for all "
                          "designs; registers and "
                          "power are no limits here.",
                          q_.basisName));
  }

  std::string whatWouldHelp(double reached) const {
    if (reached > 0.95)
      return "Computing dominates: only more lanes, which is more area, would be faster.";
    std::string slowest; // the stencil with the largest part of the time
    double most = 0;
    for (const std::string &name : stencils()) {
      double sum = 0;
      for (size_t c = 0; c < q_.workload.size(); ++c)
        if (q_.workload[c].problem.stencil.name == name)
          sum += q_.workload[c].frequency * codesign_.minimum(c, best_).seconds;
      if (sum > most) {
        most = sum;
        slowest = name;
      }
    }
    if (q_.model == TimeModel::Printed)
      return fmt::format("Most of the time, {}, goes into {}.", percentText(most / seconds_[best_]), slowest);
    const std::string loss = largestLoss(longestOf(slowest));
    const std::string help = loss == "transfers" ? "a faster memory would help, or larger tiles"
                             : loss == "idle lanes"
                                 ? "units of fewer lanes, or rows of tiles that fit them, would help"
                             : loss == "borders of tiles" ? "larger problems would help, or lower tiles"
                             : loss == "barriers" ? "more work between barriers would help: wider tiles"
                             : loss == "launches" ? "higher tiles, thus fewer wavefronts, would help"
                                                  : "larger problems would help, or fewer units";
    return fmt::format("Most of the time, {}, goes into {}, where most is lost to {}: {}.",
                       percentText(most / seconds_[best_]), slowest, loss, help);
  }

  /// What a tenth more performance would cost.
  void explainCost(Answer &a) const {
    if (front_.size() < 2)
      return;
    const double wanted = seconds_[best_] * 1.1;
    for (const size_t i : front_)
      if (seconds_[i] <= wanted) {
        const Design &d = codesign_.designs()[i];
        if (i != best_)
          a.explain(fmt::format("The last {} of the performance cost {:.0f} mm2: {} have {:.1f} mm2.",
                                percentText(1 - seconds_[best_] / seconds_[i]),
                                codesign_.designs()[best_].area - d.area, designText(d), d.area));
        return;
      }
  }

  /// The best design with other sizes of shared memory: shows whether the memory matters.
  void explainNeighbour(Answer &a) const {
    const Design &best = codesign_.designs()[best_];
    size_t least = best_;
    for (size_t i = 0; i < codesign_.designs().size(); ++i) {
      const Design &d = codesign_.designs()[i];
      if (d.units == best.units && d.lanes == best.lanes && d.sharedKb < best.sharedKb &&
          (least == best_ || d.sharedKb < codesign_.designs()[least].sharedKb))
        least = i;
    }
    if (least != best_)
      a.explain(fmt::format(
          "With {:g} kB of shared memory instead of {:g} it would be {} slower and {:.1f} mm2 smaller.",
          codesign_.designs()[least].sharedKb, best.sharedKb,
          percentText(seconds_[least] / seconds_[best_] - 1), best.area - codesign_.designs()[least].area));
  }

  Plot plot() const {
    Plot p{fmt::format("Area and performance of {} designs", codesign_.designs().size()),
           "area [mm²]",
           "10⁹ iterations/s",
           false,
           false,
           {}};
    PlotSeries all{"designs", {}}, line{"Pareto front", {}, true};
    for (size_t i = 0; i < codesign_.designs().size(); ++i)
      if (std::isfinite(seconds_[i]))
        all.points.emplace_back(codesign_.designs()[i].area, giga(seconds_[i]));
    for (const size_t i : front_)
      line.points.emplace_back(codesign_.designs()[i].area, giga(seconds_[i]));
    p.series = {all, line};
    for (PlotSeries chip : existingPoints_) {
      chip.name += " without caches";
      p.series.push_back(chip);
    }
    return p;
  }

  const CodesignQuestion &q_;
  Codesign codesign_;
  std::vector<double> seconds_; // of the mean problem, for each design
  std::vector<size_t> front_;
  size_t best_;
  double iterations_;
  std::vector<PlotSeries> existingPoints_;
};

} // namespace

Answer answerCodesign(const CodesignQuestion &q) { return Report(q).answer(); }

} // namespace pbc::model
