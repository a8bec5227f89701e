// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/fuse.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/touched_cells.h"
#include "compiler/poly/poly.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

constexpr std::size_t kMost = 32; // loops that write the matrices of a group (ThroughTiles::kMost)

constexpr const char *kNoFormula = "which cells of it a tile needs has no formula";

/// The reason why a matrix stays whole.
struct Refused {
  std::string why;
};

/// What a step touches, by its rules' headers; also for steps that are not kernels.
struct Touched {
  std::set<int> read, written;
};

Touched touchedBy(const sema::Transform &t, const schedule::Step &step) {
  Touched all;
  for (const auto &use : step.uses) {
    for (const auto &o : t.rules[use.rule].outputs)
      all.written.insert(o.matrix);
    for (const auto &i : t.rules[use.rule].inputs)
      all.read.insert(i.matrix);
  }
  return all;
}

/// How one coordinate of all the cells that a kernel writes of one matrix depends on its task dimensions.
struct Coordinate {
  TileProducer::Dimension::Kind kind = TileProducer::Dimension::Kind::All;
  int task = -1;
  std::optional<isl::aff> offset = {}; // over the parameters
};

/// A function of parameters only, made from one of points.
isl::aff constantPart(const isl::aff &f) {
  isl_aff *c = f.copy();
  for (int d = 0, n = static_cast<int>(isl_aff_dim(c, isl_dim_in)); d < n; ++d)
    c = isl_aff_set_coefficient_si(c, isl_dim_in, d, 0);
  return isl::manage(isl_aff_project_domain_on_params(c));
}

bool sameFunction(const isl::aff &a, const isl::aff &b) {
  const isl::pw_aff one = isl::manage(isl_pw_aff_from_aff(a.copy()));
  const isl::pw_aff other = isl::manage(isl_pw_aff_from_aff(b.copy()));
  return isl_pw_aff_is_equal(one.get(), other.get()) == isl_bool_true;
}

int taskDimensionOf(const Scheduled &kernel, const Statement &s, int variable) {
  for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
    if (kernel.schedule.taskDimensions[k].name == s.dimensions[static_cast<std::size_t>(variable)])
      return static_cast<int>(k);
  return -1;
}

/// Coordinate `d` of the cells that the access touches.
Coordinate coordinateOf(const Scheduled &kernel, const Statement &s, const Access &a, int d) {
  using Kind = TileProducer::Dimension::Kind;
  if (isl_map_is_single_valued(a.relation.get()) != isl_bool_true)
    return {};
  const isl::pw_multi_aff place = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
  const auto f = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(place.get(), d)));
  if (!f || isl_aff_dim(f->get(), isl_dim_div) > 0)
    return {};
  int variable = -1;
  for (int v = 0; v < static_cast<int>(s.dimensions.size()); ++v) {
    if (isl_aff_involves_dims(f->get(), isl_dim_in, static_cast<unsigned>(v), 1) != isl_bool_true)
      continue;
    isl_val *factor = isl_aff_get_coefficient_val(f->get(), isl_dim_in, v);
    const bool isOne = isl_val_is_one(factor) == isl_bool_true;
    isl_val_free(factor);
    if (variable >= 0 || !isOne || v >= s.freeCount)
      return {};
    variable = v;
  }
  if (variable < 0)
    return {Kind::Fixed, -1, constantPart(*f)};
  if (const int task = taskDimensionOf(kernel, s, variable); task >= 0)
    return {Kind::Moves, task, constantPart(*f)};
  // A variable may have a single value, as on an edge.
  const isl::set values = a.relation.intersect_domain(instances(kernel, s)).range();
  const auto low = formula(poly::dimMin(values, static_cast<unsigned>(d))),
             high = formula(poly::dimMax(values, static_cast<unsigned>(d)));
  if (low && high && sameFunction(*low, *high))
    return {Kind::Fixed, -1, low};
  return {};
}

bool agree(const Coordinate &a, const Coordinate &b) {
  return a.kind == b.kind && a.task == b.task &&
         (a.kind == TileProducer::Dimension::Kind::All || sameFunction(*a.offset, *b.offset));
}

/// How a coordinate of the cells that the kernel writes of `matrix` depends on its points.
Coordinate written(const Scheduled &kernel, int matrix, int d) {
  std::vector<Coordinate> all;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (a.isWrite && kernel.buffers[a.buffer].matrix == matrix)
        all.push_back(coordinateOf(kernel, s, a, d));
  const bool isOne = !all.empty() && std::all_of(all.begin(), all.end(),
                                                 [&](const Coordinate &c) { return agree(c, all.front()); });
  return isOne ? all.front() : Coordinate{};
}

/// Whether the limits pb__low0, .. of a step's own points occur in the function; they must not.
bool involvesLimits(const isl::aff &f) {
  for (int p = 0, n = static_cast<int>(isl_aff_dim(f.get(), isl_dim_param)); p < n; ++p)
    if (std::string(isl_aff_get_dim_name(f.get(), isl_dim_param, p)).starts_with("pb__") &&
        isl_aff_involves_dims(f.get(), isl_dim_param, static_cast<unsigned>(p), 1) == isl_bool_true)
      return true;
  return false;
}

bool startsAnywhere(const Scheduled &kernel) {
  return kernel.schedule.taskOrder == TaskOrder::Any && !kernel.schedule.taskDimensions.empty();
}

TileProducer producerOf(const sema::Transform &t, const Scheduled &kernel, int step, int matrix) {
  using Kind = TileProducer::Dimension::Kind;
  const std::string &name = t.matrices[matrix].name;
  if (!startsAnywhere(kernel))
    throw Refused{"the points that write it run in an order of their own, or as one task"};
  TileProducer p{step, matrix, {}, {}};
  const int rank = t.matrices[matrix].rank();
  for (int d = 0; d < rank; ++d) {
    Coordinate c = written(kernel, matrix, d);
    if (c.kind != Kind::All && involvesLimits(*c.offset))
      c = {};
    // Cells of its own matrix that it reads must lie in the box that its points write.
    for (const Statement &s : kernel.statements)
      for (const Access &a : s.accesses)
        if (!a.isWrite && kernel.buffers[a.buffer].matrix == matrix && c.kind != Kind::All &&
            !agree(c, coordinateOf(kernel, s, a, d)))
          throw Refused{fmt::format("the points that write {0} read other cells of {0}", name)};
    p.dimensions.push_back({c.kind, c.task, {}});
    if (c.kind != Kind::All)
      p.dimensions.back().offset = isl::manage(isl_pw_aff_from_aff(c.offset->copy()));
  }
  if (std::none_of(p.dimensions.begin(), p.dimensions.end(),
                   [](const auto &d) { return d.kind == Kind::Moves; }))
    throw Refused{"the points that write it cannot be limited to a part of it"};
  return p;
}

class Fuser {
public:
  Fuser(const sema::Transform &t, const schedule::Plan &plan,
        const std::vector<std::optional<Scheduled>> &kernels)
      : t_(t), kernels_(kernels) {
    for (const auto &step : plan.steps) {
      touched_.push_back(touchedBy(t, step));
      ruleCount_.push_back(step.uses.size());
    }
    for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
      if (t.matrices[m].role == sema::Role::Through && t.matrices[m].rank() > 0 &&
          !stepsThat(&Touched::written, m).empty())
        open_.insert(m);
  }

  Fusion run() {
    for (const int m : std::set<int>(open_))
      refuseFor(m, writersObstacle(m));
    for (const int m : std::set<int>(open_))
      refuseFor(m, readersObstacle(m));
    // If a matrix stays whole, the steps that write it become consumers.
    std::map<int, int> consumers;
    for (bool changed = true; changed;) {
      changed = false;
      consumers = roots();
      for (const int m : std::set<int>(open_))
        changed |= refuseFor(m, consumersObstacle(consumers.at(m)));
      if (!changed)
        changed = breakLargest(consumers);
    }
    std::map<int, std::vector<int>> matricesOf;
    for (const auto &[m, consumer] : consumers)
      matricesOf[consumer].push_back(m);
    for (const auto &[consumer, matrices] : matricesOf)
      out_.groups.push_back(group(consumer, matrices));
    return out_;
  }

private:
  bool refuseFor(int matrix, const std::string &why) {
    if (why.empty())
      return false;
    out_.refused.emplace_back(matrix, why);
    open_.erase(matrix);
    return true;
  }

  std::vector<int> stepsThat(std::set<int> Touched::*what, int matrix) const {
    std::vector<int> steps;
    for (int s = 0; s < static_cast<int>(touched_.size()); ++s)
      if ((touched_[static_cast<std::size_t>(s)].*what).count(matrix))
        steps.push_back(s);
    return steps;
  }

  bool writesOpen(int step) const {
    const auto &w = touched_[static_cast<std::size_t>(step)].written;
    return std::any_of(w.begin(), w.end(), [&](int m) { return open_.count(m) > 0; });
  }

  /// The steps that read the matrix without writing it.
  std::vector<int> readers(int matrix) const {
    std::vector<int> steps;
    for (const int s : stepsThat(&Touched::read, matrix))
      if (!touched_[static_cast<std::size_t>(s)].written.count(matrix))
        steps.push_back(s);
    return steps;
  }

  /// For each open matrix, the one step for whose tiles it is computed; -1 if there is none, or more than
  /// one.
  std::map<int, int> roots() const {
    std::map<int, int> known;
    // Rules that compute two matrices piece by piece from each other have no such step.
    const std::function<int(int)> root = [&](int matrix) {
      const auto [at, isNew] = known.emplace(matrix, -1);
      if (!isNew)
        return at->second;
      int only = -1;
      for (const int s : readers(matrix)) {
        const int r = writesOpen(s) ? root(*touched_[static_cast<std::size_t>(s)].written.begin()) : s;
        if (r < 0 || (only >= 0 && r != only))
          return -1;
        only = r;
      }
      return known[matrix] = only;
    };
    for (const int m : open_)
      root(m);
    return known;
  }

  /// Why the matrix must exist as a whole because of the steps that write it; "" if they allow fusing.
  std::string writersObstacle(int m) const try {
    if (t_.matrices[m].isVersioned)
      return "it has versions";
    for (const int s : stepsThat(&Touched::written, m)) {
      const auto &kernel = kernels_[static_cast<std::size_t>(s)];
      const Touched &touched = touched_[static_cast<std::size_t>(s)];
      if (!kernel)
        return "a rule that writes it calls transforms";
      if (ruleCount_[static_cast<std::size_t>(s)] > 1)
        return "rules that need each other's results write it";
      if (touched.written.size() > 1)
        return "the rule that writes it has another output";
      if (std::any_of(touched.read.begin(), touched.read.end(),
                      [&](int r) { return t_.matrices[r].isVersioned; }))
        return "the rule that writes it reads a matrix with versions";
      (void)producerOf(t_, *kernel, s, m);
    }
    return "";
  } catch (const Refused &r) {
    return r.why;
  } catch (const isl::exception &) {
    return kNoFormula;
  }

  /// The same because of one of the steps that read it.
  std::string readersObstacle(int m) const try {
    for (const int s : readers(m))
      if (const auto &kernel = kernels_[static_cast<std::size_t>(s)]; !kernel)
        return "a rule that reads it calls transforms";
      else if (const auto cells = cellsRead(*kernel, m))
        (void)boxAround(*kernel, m, *cells);
    return readers(m).empty() ? "nothing else reads it" : "";
  } catch (const isl::exception &) {
    return kNoFormula;
  }

  /// The same because of the consumer.
  std::string consumersObstacle(int consumer) const {
    if (consumer < 0)
      return "several loops read it";
    if (!startsAnywhere(*kernels_[static_cast<std::size_t>(consumer)]))
      return "the loop that reads it has an order of its own, or is one task";
    return "";
  }

  /// Removes a matrix from the middle of a group that is too large, if there is one.
  bool breakLargest(const std::map<int, int> &consumers) {
    std::map<int, std::vector<int>> steps; // the steps that write, by consumer, and the matrices of each
    for (const auto &[m, consumer] : consumers)
      steps[consumer].insert(steps[consumer].end(), stepsThat(&Touched::written, m).size(), m);
    for (const auto &[consumer, matrices] : steps)
      if (matrices.size() > kMost)
        return refuseFor(matrices[matrices.size() / 2], "too many loops would share its tiles");
    return false;
  }

  std::vector<CellsBox> readsOf(int step, const TileGroup &g) const {
    std::vector<CellsBox> all;
    const auto &touched = touched_[static_cast<std::size_t>(step)];
    for (const int m : g.matrices)
      if (touched.read.count(m) && !touched.written.count(m)) {
        const Scheduled &kernel = *kernels_[static_cast<std::size_t>(step)];
        if (const auto cells = cellsRead(kernel, m))
          all.push_back(boxAround(kernel, m, *cells));
      }
    return all;
  }

  TileGroup group(int consumer, const std::vector<int> &matrices) const {
    TileGroup g{consumer, matrices, {}, {}};
    g.reads = readsOf(consumer, g);
    for (int s = 0; s < static_cast<int>(touched_.size()); ++s) {
      const auto &written = touched_[static_cast<std::size_t>(s)].written;
      if (written.empty() ||
          std::find(g.matrices.begin(), g.matrices.end(), *written.begin()) == g.matrices.end())
        continue;
      TileProducer p = producerOf(t_, *kernels_[static_cast<std::size_t>(s)], s, *written.begin());
      p.reads = readsOf(s, g);
      g.producers.push_back(std::move(p));
    }
    return g;
  }

  const sema::Transform &t_;
  const std::vector<std::optional<Scheduled>> &kernels_;
  std::vector<Touched> touched_;       // by step
  std::vector<std::size_t> ruleCount_; // by step
  std::set<int> open_;                 // matrices without an obstacle so far
  Fusion out_;
};

} // namespace

Fusion fuse(const sema::Transform &t, const schedule::Plan &plan,
            const std::vector<std::optional<Scheduled>> &kernels) {
  return Fuser(t, plan, kernels).run();
}

namespace {

std::string print(const sema::Transform &t, const CellsBox &r) {
  std::string cells;
  for (const Interval &i : r.cells)
    cells += fmt::format("{}{} : {}", cells.empty() ? "" : ", ", poly::cxx(i.low), poly::cxx(i.high));
  return fmt::format("{}[{}]{}", t.matrices[r.matrix].name, cells,
                     r.condition ? " if " + poly::cxxCondition(*r.condition) : "");
}

std::string print(const TileProducer::Dimension &d) {
  using Kind = TileProducer::Dimension::Kind;
  switch (d.kind) {
  case Kind::Moves:
    return fmt::format("d{} + {}", d.task, poly::cxx(*d.offset));
  case Kind::Fixed:
    return poly::cxx(*d.offset);
  case Kind::All:
    return "all";
  }
  return "";
}

std::string print(const sema::Transform &t, const std::vector<CellsBox> &reads) {
  std::vector<std::string> all;
  for (const CellsBox &r : reads)
    all.push_back(print(t, r));
  return poly::join(all);
}

} // namespace

std::string print(const sema::Transform &t, const Fusion &fusion) {
  std::string out;
  for (const TileGroup &g : fusion.groups) {
    out += fmt::format("// tiles of step {}: reads {}\n", g.consumer, print(t, g.reads));
    for (const TileProducer &p : g.producers) {
      std::vector<std::string> dimensions;
      for (const auto &d : p.dimensions)
        dimensions.push_back(print(d));
      out += fmt::format("//   step {}: writes {}[{}]{}\n", p.step, t.matrices[p.matrix].name,
                         poly::join(dimensions), p.reads.empty() ? "" : ", reads " + print(t, p.reads));
    }
  }
  for (const auto &[m, why] : fusion.refused)
    out += fmt::format("// no tiles of {}: {}\n", t.matrices[m].name, why);
  return out;
}

} // namespace pbc::kernel
