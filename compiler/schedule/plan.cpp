// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/plan.h"
#include "compiler/choice/steps.h"
#include "compiler/schedule/components.h"
#include "compiler/schedule/copied_reads.h"
#include "compiler/schedule/flow.h"
#include "compiler/schedule/interleaved.h"
#include "compiler/schedule/order.h"
#include "compiler/schedule/slices.h"
#include "compiler/schedule/unread.h"
#include "compiler/schedule/versions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <set>

namespace pbc::schedule {

namespace {

class Planner {
public:
  Planner(const sema::Transform &t, const std::vector<body::Facts> &facts, const choice::Choices &choices,
          source::Diagnostics &diagnostics)
      : t_(t), facts_(facts), grid_(choices.grid), diagnostics_(diagnostics) {}

  /// Nothing if there is no legal order; reportCycle() then says why.
  std::optional<Plan> run(const choice::Alternative &alternative) {
    uses_.clear();
    for (const auto &use : alternative.uses)
      if (!use.domain.is_empty())
        addPeeled({use.rule, use.domain, use.overwritten});
    leaveOutUnread(t_, facts_, grid_, uses_);
    splitInterleaved();
    const int n = static_cast<int>(uses_.size());
    flow_.clear();
    for (int a = 0; a < n; ++a) {
      flow_.emplace_back();
      for (int b = 0; b < n; ++b)
        flow_[a].push_back(flow(t_, grid_, uses_[a], uses_[b]));
    }
    for (int a = 0; a < n; ++a)
      if (readsItself(a))
        return std::nullopt;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n && !uses_[a].overwritten.empty(); ++b)
        flow_[a][b] = flow_[a][b].unite(overwriting(t_, grid_, uses_[a], uses_[b]));
    readBeforeUpdates(t_, grid_, uses_, flow_);
    auto plan = assemble(alternative.name, withInterleaved(groupsOf(flow_)), false);
    if (!plan)
      return std::nullopt;
    if (auto sliced = byVersions(alternative.name, *plan))
      return sliced;
    return plan;
  }

  /// What points of the uses read and write, by access, without the versions of matrices.
  std::vector<Cells> cellsOf(const std::vector<RuleUse> &uses) const {
    std::vector<Cells> all;
    const auto add = [&](const RuleUse &use, int matrix, const isl::map &access, bool isWrite) {
      isl_map *cells = isl_map_intersect_domain(access.copy(), use.domain.copy());
      if (t_.matrices[matrix].isVersioned)
        cells =
            isl_map_project_out(cells, isl_dim_out, static_cast<unsigned>(t_.matrices[matrix].rank() - 1), 1);
      all.push_back({isl::manage(cells), isWrite});
    };
    for (const RuleUse &use : uses) {
      const sema::Rule &r = t_.rules[use.rule];
      const choice::Application &application = grid_.applications[use.rule];
      for (std::size_t k = 0; k < r.outputs.size(); ++k)
        add(use, r.outputs[k].matrix, application.writes[k], true);
      for (std::size_t k = 0; k < r.inputs.size(); ++k)
        add(use, r.inputs[k].matrix, application.reads[k], false);
    }
    return all;
  }

  /// Reports the first cycle that was found, as an error.
  void reportCycle() {
    if (!cycle_.empty())
      reportCycle(cycle_);
  }

  /// A combination of rules that has no order is not an alternative; a rule that has none by itself is a
  /// mistake, about which this warns.
  void warnOfUnusable() {
    if (cycle_.size() != 1)
      return;
    const auto &r = t_.rules[cycle_.front().rule];
    diagnostics_
        .warning(r.headerSpan,
                 fmt::format("the rule `{}` is never used: its cells need each other in a cycle", r.label))
        .help("other rules compute the same cells; correct or remove this one");
  }

private:
  /// Whether some of the rule's points `a` read what its points `b` write.
  bool needs(int rule, const isl::set &a, const isl::set &b) const {
    const auto &application = grid_.applications[rule];
    for (std::size_t o = 0; o < application.writes.size(); ++o)
      for (std::size_t i = 0; i < application.reads.size(); ++i)
        if (t_.rules[rule].outputs[o].matrix == t_.rules[rule].inputs[i].matrix &&
            !application.reads[i].intersect_domain(a).range().is_disjoint(
                application.writes[o].intersect_domain(b).range()))
          return true;
    return false;
  }

  /// Adds first the points at which a value of the rule's own matrix is outside of it, if they need none of
  /// the others; then the others, whose loop has no condition between one point and the next.
  void addPeeled(const RuleUse &use) {
    const auto &rule = t_.rules[use.rule];
    isl::set inside = use.domain;
    for (std::size_t i = 0; i < rule.inputs.size(); ++i)
      if (rule.inputs[i].otherwise &&
          std::any_of(rule.outputs.begin(), rule.outputs.end(),
                      [&](const auto &o) { return o.matrix == rule.inputs[i].matrix; }))
        inside = inside.intersect(grid_.applications[use.rule].reads[i].domain());
    const isl::set outside = poly::simplified(use.domain.subtract(inside));
    if (inside.is_empty() || outside.is_empty() || needs(use.rule, outside, inside))
      return uses_.push_back(use);
    for (const isl::set &part : {outside, poly::simplified(inside)}) {
      RuleUse one = use;
      one.domain = part;
      for (isl::map &o : one.overwritten)
        o = o.intersect_domain(part);
      uses_.push_back(one);
    }
  }

  /// Takes the points apart that only one of two rules has that otherwise write a matrix in turns.
  void splitInterleaved() {
    for (std::size_t a = 0; a < uses_.size(); ++a)
      for (std::size_t b = a + 1; b < uses_.size(); ++b) {
        const auto shared = almostInterleaved(t_, facts_, grid_, uses_[a], uses_[b]);
        if (!shared || !flow(t_, grid_, uses_[a], uses_[b]).is_empty() ||
            !flow(t_, grid_, uses_[b], uses_[a]).is_empty())
          continue;
        RuleUse alone = uses_[shared->isOfFirst ? a : b];
        alone.domain = shared->alone;
        uses_[a].domain = shared->first;
        uses_[b].domain = shared->second;
        uses_.push_back(std::move(alone));
      }
  }

  /// The groups, in their order, where rules that write a matrix in turns are one group.
  std::vector<std::vector<int>> withInterleaved(std::vector<std::vector<int>> groups) const {
    const auto isFree = [&](const std::vector<int> &group) {
      return group.size() > 1 || (flow_[group[0]][group[0]].is_empty() && !isUpdated(group[0]));
    };
    for (std::size_t first = 0; first < groups.size(); ++first)
      for (std::size_t second = first + 1; second < groups.size(); ++second) {
        if (needsOneOf(groups[second], groups[first]))
          break; // it, and all that need it, stay behind the first one
        if (groups[second].size() > 1 || !isFree(groups[first]) || !isFree(groups[second]) ||
            !std::all_of(groups[first].begin(), groups[first].end(), [&](int u) {
              return areInterleaved(t_, facts_, grid_, uses_[u], uses_[groups[second][0]]);
            }))
          continue;
        groups[second].insert(groups[second].begin(), groups[first].begin(), groups[first].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(first));
        --first;
        break;
      }
    return groups;
  }

  bool needsOneOf(const std::vector<int> &later, const std::vector<int> &earlier) const {
    return std::any_of(later.begin(), later.end(), [&](int b) {
      return std::any_of(earlier.begin(), earlier.end(), [&](int a) { return !flow_[a][b].is_empty(); });
    });
  }

  bool isUpdated(int u) const {
    return !updates(grid_.applications[uses_[u].rule], uses_[u].domain).is_empty();
  }

  std::optional<Plan> assemble(const std::string &name, const std::vector<std::vector<int>> &groups,
                               bool sliced) {
    Plan plan;
    plan.alternative = name;
    const std::size_t n = uses_.size();
    std::vector<int> groupOf(n, 0);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const int u : groups[g])
        groupOf[u] = static_cast<int>(g);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      auto step = stepOf(groups[g], sliced);
      if (!step)
        return std::nullopt;
      std::set<int> after;
      for (const int b : groups[g])
        for (std::size_t a = 0; a < n; ++a)
          if (groupOf[a] != static_cast<int>(g) && !flow_[a][b].is_empty())
            after.insert(groupOf[a]);
      step->after.assign(after.begin(), after.end());
      plan.steps.push_back(std::move(*step));
    }
    return plan;
  }

  /// A plan in which the rules of each versioned matrix that `plain` cannot fold take turns, version by version: with those
  /// that read it, or among themselves. Nothing if no matrix becomes foldable. Rules that call transforms stay where they
  /// are: they would force the loops of the others to run point by point.
  std::optional<Plan> byVersions(const std::string &name, const Plan &plain) {
    std::vector<int> unfolded;
    const std::vector<PlanOrder> ofPlain{PlanOrder(plain)};
    for (int m = 0; m < static_cast<int>(t_.matrices.size()); ++m)
      if (mayHaveSlots(t_, m, grid_) && !fewestSlots(t_, m, grid_, ofPlain).slots)
        unfolded.push_back(m);
    std::optional<Plan> best;
    std::ptrdiff_t mostFolded = 0;
    for (const bool withReaders : {true, false}) {
      Flow linked = flow_;
      for (const int m : unfolded)
        link(takingTurns(m, withReaders), linked);
      auto sliced = unfolded.empty() ? std::nullopt : assemble(name, groupsOf(linked), true);
      if (!sliced || callsInGroups(*sliced) > callsInGroups(plain))
        continue;
      const std::vector<PlanOrder> ofSliced{PlanOrder(*sliced)};
      const auto folded = std::count_if(unfolded.begin(), unfolded.end(), [&](int m) {
        return fewestSlots(t_, m, grid_, ofSliced).slots.has_value();
      });
      if (folded > mostFolded) {
        mostFolded = folded;
        best = std::move(sliced);
      }
    }
    return best;
  }

  /// Makes one group of the uses.
  static void link(const std::vector<int> &uses, Flow &linked) {
    for (const int a : uses)
      for (const int b : uses)
        if (linked[a][b].is_empty())
          linked[a][b] = isl::manage(isl_map_universe(isl_map_get_space(linked[a][b].get())));
  }

  /// The rules that write the matrix, and, if `withReaders`, those that compute versions from it.
  std::vector<int> takingTurns(int matrix, bool withReaders) const {
    std::vector<int> uses;
    for (int u = 0; u < static_cast<int>(uses_.size()); ++u) {
      const auto &r = t_.rules[uses_[u].rule];
      const auto isOfMatrix = [&](const sema::Binding &b) { return b.matrix == matrix; };
      if (!facts_[uses_[u].rule].callees.empty())
        continue;
      if (std::any_of(r.outputs.begin(), r.outputs.end(), isOfMatrix) ||
          (withReaders && std::any_of(r.inputs.begin(), r.inputs.end(), isOfMatrix) &&
           versionWritten(t_, grid_, uses_[u], true)))
        uses.push_back(u);
    }
    return uses;
  }

  /// How many uses run point by point because of calls in their step.
  static std::size_t callsInGroups(const Plan &plan) {
    std::size_t uses = 0;
    for (const Step &step : plan.steps)
      uses += step.callsTransforms ? step.uses.size() : 0;
    return uses;
  }

  bool readsItself(int u) {
    const isl::map self = flow_[u][u];
    const isl::map same = self.intersect(isl::manage(isl_map_identity(isl_map_get_space(self.get()))));
    if (same.is_empty())
      return false;
    const auto &r = t_.rules[uses_[u].rule];
    if (!reported_.insert(r.index).second)
      return true;
    for (const auto &input : r.inputs)
      for (const auto &output : r.outputs)
        if (input.matrix == output.matrix) {
          diagnostics_
              .error(input.span, fmt::format("to compute a cell of `{}` the rule reads that same cell",
                                             t_.matrices[input.matrix].name))
              .note(output.span, "it is computed here")
              .help(t_.matrices[output.matrix].before
                        ? fmt::format("`old {}` in the inputs means the values before the call",
                                      t_.matrices[output.matrix].name)
                        : "a body may update its output in place: read it through the output's name in "
                          "to(...)");
          return true;
        }
    return true;
  }

  static std::vector<std::vector<int>> groupsOf(const Flow &flow) {
    return stronglyConnected(static_cast<int>(flow.size()),
                             [&](int a, int b) { return !flow[a][b].is_empty(); });
  }

  std::optional<Step> stepOf(const std::vector<int> &group, bool sliced) {
    Step step;
    isl::union_map dependences = isl::manage(isl_union_map_empty(isl_set_get_space(grid_.context.get())));
    for (const int a : group) {
      step.uses.push_back(uses_[a]);
      if (const body::Facts &facts = facts_[uses_[a].rule]; !facts.callees.empty() && !facts.callsInPlace)
        step.callsTransforms = true;
      for (const int b : group)
        dependences = dependences.unite(isl::union_map(flow_[a][b]));
      dependences =
          dependences.unite(isl::union_map(updates(grid_.applications[uses_[a].rule], uses_[a].domain)));
    }
    std::optional<isl::schedule> order;
    if (group.size() > 1 && dependences.is_empty() && !sliced)
      order = interleavedOrder(step.uses);
    else if (group.size() > 1)
      order = slicedOrder(t_, grid_, step.uses, dependences, sliced);
    if (!order && !(sliced && group.size() > 1))
      order = orderOf(step.uses, dependences, grid_.context, cellsOf(step.uses));
    if (!order) {
      if (cycle_.empty() && !sliced)
        for (const int u : group)
          cycle_.push_back(uses_[u]);
      return std::nullopt;
    }
    step.order = *order;
    step.dependences = dependences;
    return step;
  }

  void reportCycle(const std::vector<RuleUse> &group) {
    const auto &first = t_.rules[group.front().rule];
    std::string path;
    for (const auto &u : group)
      path += "`" + t_.rules[u.rule].label + "` -> ";
    path += "`" + first.label + "`";
    auto &error = diagnostics_.error(
        first.headerSpan, group.size() == 1 ? fmt::format("the cells of `{}` form a cycle",
                                                          t_.matrices[first.outputs[0].matrix].name)
                                            : fmt::format("the rules form a cycle: {}", path));
    for (const auto &u : group) {
      const auto &r = t_.rules[u.rule];
      for (const auto &input : r.inputs)
        for (const auto &w : group) {
          const auto &writer = t_.rules[w.rule];
          const bool writes = std::any_of(writer.outputs.begin(), writer.outputs.end(),
                                          [&](const sema::Binding &o) { return o.matrix == input.matrix; });
          if (writes && !flow(t_, grid_, w, u).is_empty())
            error.note(input.span, fmt::format("`{}` reads `{}`, which `{}` computes", r.label,
                                               t_.matrices[input.matrix].name, writer.label));
        }
    }
    for (const auto &first : group)
      for (const auto &last : group)
        if (!first.overwritten.empty() && !overwriting(t_, grid_, first, last).is_empty())
          error.note(t_.rules[last.rule].outputs[0].span,
                     fmt::format("`{}` must run after `{}`, which also writes some of its cells",
                                 t_.rules[last.rule].label, t_.rules[first.rule].label));
    helpWithOld(group, error);
    error.help("no order of the cells computes each one before it is read: break the cycle with a rule that "
               "does not "
               "read them, or with a further matrix");
  }

  /// Where a matrix is updated in place, the values before may be what was meant.
  void helpWithOld(const std::vector<RuleUse> &group, source::Diagnostic &error) const {
    std::set<int> updated;
    for (const auto &use : group)
      for (const auto &input : t_.rules[use.rule].inputs)
        if (t_.matrices[input.matrix].before && updated.insert(input.matrix).second)
          error.help(fmt::format(
              "`{0}` in the inputs of a rule means its values after the call: write `old {0}` for "
              "those before it",
              t_.matrices[input.matrix].name));
  }

  const sema::Transform &t_;
  const std::vector<body::Facts> &facts_;
  const choice::Grid &grid_;
  source::Diagnostics &diagnostics_;
  std::vector<RuleUse> uses_;
  Flow flow_; // between uses: which must run after which
  std::vector<RuleUse> cycle_;
  std::set<int> reported_;
};

} // namespace

namespace {

TransformPlans plansOf(const sema::Transform &t, const std::vector<body::Facts> &facts,
                       choice::Choices &choices, source::Diagnostics &diagnostics) {
  Planner planner(t, facts, choices, diagnostics);
  TransformPlans plans;
  std::vector<choice::Alternative> legal;
  for (auto &alternative : choices.alternatives)
    if (auto plan = planner.run(alternative)) {
      plans.plans.push_back(std::move(*plan));
      legal.push_back(std::move(alternative));
    }
  if (legal.empty())
    planner.reportCycle();
  else
    planner.warnOfUnusable();
  choices.alternatives = std::move(legal);
  return plans;
}

} // namespace

std::vector<TransformPlans> plan(const sema::Module &module,
                                 const std::vector<std::vector<body::Facts>> &facts,
                                 std::vector<choice::Choices> &choices, poly::Context &,
                                 source::Diagnostics &diagnostics) {
  std::vector<TransformPlans> all;
  for (const auto &t : module.transforms)
    all.push_back(plansOf(t, facts[t.index], choices[t.index], diagnostics));
  return all;
}

TransformPlans plan(const sema::Transform &t, const std::vector<body::Facts> &facts,
                    choice::Choices &choices) {
  const source::SourceManager none;
  source::Diagnostics ignored(none);
  return plansOf(t, facts, choices, ignored);
}

bool isSameStep(const Step &a, const Step &b) {
  return a.callsTransforms == b.callsTransforms &&
         std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(),
                    [](const RuleUse &u, const RuleUse &v) {
                      return u.rule == v.rule &&
                             isl_set_plain_is_equal(u.domain.get(), v.domain.get()) == isl_bool_true;
                    }) &&
         isl_schedule_plain_is_equal(a.order.get(), b.order.get()) == isl_bool_true;
}

std::string stepName(const sema::Transform &t, const Step &step) {
  std::string name;
  std::set<std::string> seen;
  for (const RuleUse &use : step.uses)
    if (const sema::Rule &r = t.rules[use.rule]; !isCopy(r) && seen.insert(r.label).second)
      name += (name.empty() ? "" : "+") + r.label;
  return name;
}

const sema::Rule *libraryRule(const sema::Transform &t, const Step &step) {
  const sema::Rule *rule = step.uses.size() == 1 ? &t.rules[step.uses.front().rule] : nullptr;
  return rule && rule->library ? rule : nullptr;
}

} // namespace pbc::schedule
