// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/lift.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/iteration_points.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/lift_body.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/tree.h"
#include "compiler/schedule/copied_reads.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

// Exact dependences of typical kernels take some ten thousands of operations. If the first budget is
// exceeded, bodies are not lifted; if kDependenceBudget is exceeded, too, the plan's dependences are used.
constexpr unsigned long kStatementBudget = 400'000;

struct LiftedRule {
  std::string tuple; // of its points
  std::vector<Block> blocks;
  std::vector<int> locals; // buffers
};

void collect(const Block &b, const Kernel &kernel, isl::union_set &all) {
  if (b.statement >= 0)
    all = all.unite(isl::union_set(kernel.statements[b.statement].domain));
  for (const Block &inner : b.body)
    collect(inner, kernel, all);
}

isl::union_set instances(const Block &b, const Kernel &kernel) {
  isl::union_set all = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get())));
  collect(b, kernel, all);
  return all;
}

void collectStatements(const Block &b, std::vector<int> &all) {
  if (b.statement >= 0)
    all.push_back(b.statement);
  for (const Block &inner : b.body)
    collectStatements(inner, all);
}

// { S1[i, k] -> [k]; S2[i, k] -> [k] } for the statements of a loop.
isl_multi_union_pw_aff *loopSchedule(const Block &loop, const Kernel &kernel) {
  std::vector<int> statements;
  collectStatements(loop, statements);
  isl_union_pw_aff *all = nullptr;
  for (int index : statements) {
    const Statement &s = kernel.statements[index];
    int d = s.freeCount;
    while (s.dimensions[d] != loop.iterator)
      ++d;
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.domain.get()));
    isl_union_pw_aff *one =
        isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, d)));
    all = all ? isl_union_pw_aff_union_add(all, one) : one;
  }
  return isl_multi_union_pw_aff_from_union_pw_aff(all);
}

// Inserts the program order of `blocks` at `node`, a leaf; returns the node at the same position.
isl::schedule_node graft(const isl::schedule_node &node, const std::vector<Block> &blocks,
                         const Scheduled &kernel) {
  if (blocks.size() > 1) {
    isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(node.get()), 0);
    for (const Block &b : blocks)
      filters = isl_union_set_list_add(filters, instances(b, kernel).release());
    isl::schedule_node n = isl::manage(isl_schedule_node_insert_sequence(node.copy(), filters));
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (blocks[k].statement >= 0)
        continue;
      isl_schedule_node *filter = isl_schedule_node_child(n.release(), static_cast<int>(k));
      isl::schedule_node leaf = isl::manage(isl_schedule_node_child(filter, 0));
      n = isl::manage(isl_schedule_node_ancestor(graft(leaf, {blocks[k]}, kernel).release(), 2));
    }
    return n;
  }
  if (blocks.empty() || blocks.front().statement >= 0)
    return node;
  const Block &loop = blocks.front();
  isl::schedule_node n =
      isl::manage(isl_schedule_node_insert_partial_schedule(node.copy(), loopSchedule(loop, kernel)));
  n = isl::manage(isl_schedule_node_child(n.release(), 0));
  return isl::manage(isl_schedule_node_parent(graft(n, loop.body, kernel).release()));
}

// { R0_S1[i, k] -> R0[i] }
isl_pw_multi_aff *toPoint(const Statement &s, const std::string &tuple) {
  isl_multi_aff *project =
      isl_multi_aff_project_out_map(isl_set_get_space(s.domain.get()), isl_dim_set, s.freeCount,
                                    static_cast<int>(s.dimensions.size()) - s.freeCount);
  return isl_pw_multi_aff_from_multi_aff(isl_multi_aff_set_tuple_name(project, isl_dim_out, tuple.c_str()));
}

// The plan's order of points with each point replaced by its statements.
isl::schedule expand(const schedule::Step &step, const std::vector<LiftedRule> &rules,
                     const Scheduled &kernel, const isl::union_pw_multi_aff &contraction) {
  isl::schedule lifted =
      isl::manage(isl_schedule_pullback_union_pw_multi_aff(step.order.copy(), contraction.copy()));
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get()));
  for (const Statement &s : kernel.statements)
    domain = isl_union_set_add_set(domain, s.domain.copy());
  lifted = isl::manage(isl_schedule_intersect_domain(lifted.release(), domain));
  return mapBottomUp(lifted, [&](const isl::schedule_node &node) {
    if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_leaf)
      return node;
    const std::vector<std::string> names = statementsAt(node);
    std::vector<Block> here;
    std::set<int> locals;
    for (const LiftedRule &rule : rules)
      for (const Block &b : rule.blocks) {
        std::vector<int> statements;
        collectStatements(b, statements);
        const bool isHere = std::any_of(statements.begin(), statements.end(), [&](int s) {
          return std::find(names.begin(), names.end(), kernel.statements[s].name) != names.end();
        });
        if (!isHere)
          continue;
        here.push_back(b);
        locals.insert(rule.locals.begin(), rule.locals.end());
      }
    isl::schedule_node n = graft(node, here, kernel);
    for (auto l = locals.rbegin(); l != locals.rend(); ++l)
      n = insertMark(n, Declare{kernel.buffers[*l].name});
    return n;
  });
}

// Correct without any analysis: the plan's dependences between points, and every pair inside one point in
// order.
isl::union_map coarse(const Scheduled &kernel, const schedule::Step &step,
                      const isl::union_pw_multi_aff &contraction) {
  const isl::union_map toPoints = isl::manage(isl_union_map_from_union_pw_multi_aff(contraction.copy()));
  const isl::union_map order = isl::manage(isl_schedule_get_map(kernel.schedule.tree.get()));
  const isl::union_map before = isl::manage(isl_union_map_lex_lt_union_map(order.copy(), order.copy()));
  const isl::union_map between = toPoints.apply_range(step.dependences).apply_range(toPoints.reverse());
  const isl::union_map within = toPoints.apply_range(toPoints.reverse());
  return between.unite(within).intersect(before);
}

/// Whether some body has many statements.
bool isApart(const Kernel &kernel) {
  constexpr std::size_t kMany = 16;
  return kernel.statements.size() > kMany && std::any_of(kernel.statements.begin(), kernel.statements.end(),
                                                         [](const Statement &s) { return !s.isOpaque; });
}

} // namespace

std::vector<std::string> parameterNames(const sema::Transform &transform) {
  std::vector<std::string> names = transform.sizeNames();
  for (const sema::Tunable &t : transform.tunables)
    if (t.isParameter())
      names.push_back(poly::mangle(t.name));
  return names;
}

/// `takesApart`: whether bodies that can be lifted are lifted; nothing if that makes too many dependences.
static std::optional<Scheduled> lift(const sema::Transform &transform, const schedule::Step &step,
                                     const std::vector<body::Facts> &factsOfRules, const choice::Grid &grid,
                                     poly::Context &ctx, const source::SourceManager *sources,
                                     bool takesApart) {
  Scheduled kernel;
  kernel.parameters = parameterNames(transform);
  kernel.context = isl::manage(isl_set_params(grid.context.copy()));
  std::string prefix;
  for (const std::string &p : kernel.parameters)
    prefix += (prefix.empty() ? "[" : ", ") + p;
  if (!prefix.empty())
    prefix += "] -> ";
  BodyLifter lifter(kernel, transform, prefix, ctx, sources);
  std::vector<LiftedRule> rules;
  isl_union_pw_multi_aff *contraction = isl_union_pw_multi_aff_empty_ctx(ctx.get().get());
  kernel.reassociates = true;
  for (const schedule::RuleUse &use : step.uses) {
    kernel.reassociates = kernel.reassociates && transform.rules[use.rule].fast;
    if (const sema::Rule &r = transform.rules[use.rule]; !schedule::isCopy(r))
      kernel.name += (kernel.name.empty() ? transform.name + "." : "+") + r.label;
    LiftedRule rule;
    rule.tuple = isl_set_get_tuple_name(use.domain.get());
    const std::size_t firstStatement = kernel.statements.size();
    std::optional<std::vector<Block>> blocks;
    if (takesApart && factsOfRules[use.rule].liftable)
      blocks = lifter.lift(use, factsOfRules[use.rule]);
    rule.blocks = blocks ? *blocks : std::vector<Block>{lifter.opaque(use, factsOfRules[use.rule])};
    const std::string own = "R" + std::to_string(use.rule) + "_";
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
      if (kernel.buffers[b].role == Buffer::Role::Local && kernel.buffers[b].name.rfind(own, 0) == 0)
        rule.locals.push_back(static_cast<int>(b));
    for (std::size_t s = firstStatement; s < kernel.statements.size(); ++s)
      contraction =
          isl_union_pw_multi_aff_add_pw_multi_aff(contraction, toPoint(kernel.statements[s], rule.tuple));
    rules.push_back(std::move(rule));
  }
  const isl::union_pw_multi_aff contract = isl::manage(contraction);
  kernel.schedule.tree = expand(step, rules, kernel, contract);
  if (step.uses.size() == 1 && transform.rules[step.uses.front().rule].freeVariables.empty())
    iterationsAsPoints(kernel);
  const unsigned long budget = takesApart ? kStatementBudget : kDependenceBudget;
  if (!ctx.withBudget(budget, [&] { kernel.dependences = dependences(kernel); })) {
    if (takesApart && isApart(kernel))
      return std::nullopt;
    kernel.dependences = coarse(kernel, step, contract);
  }
  const isl::schedule tree = labelled(kernel, kernel.schedule.tree);
  kernel.schedule.tree = withFlags(tree, kernel.dependences).value_or(tree);
  return kernel;
}

LiftOutcome lift(const sema::Transform &transform, const schedule::Step &step,
                 const std::vector<body::Facts> &factsOfRules, const choice::Grid &grid, poly::Context &ctx,
                 const std::set<int> &privateMatrices, const std::map<int, isl::set> &readElsewhere,
                 const source::SourceManager *sources) {
  LiftOutcome out;
  if (auto kernel = lift(transform, step, factsOfRules, grid, ctx, sources, true))
    out.kernel = std::move(*kernel);
  else
    out = {*lift(transform, step, factsOfRules, grid, ctx, sources, false),
           "their statements depend on each other in too many ways"};
  for (Buffer &b : out.kernel.buffers) {
    b.isPrivate = b.role == Buffer::Role::Output && privateMatrices.contains(b.matrix);
    if (const auto read = readElsewhere.find(b.matrix);
        b.role == Buffer::Role::Output && read != readElsewhere.end())
      b.readElsewhere = isl::manage(isl_set_set_tuple_name(read->second.copy(), b.name.c_str()));
  }
  return out;
}

} // namespace pbc::kernel
