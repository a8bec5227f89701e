// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/legal.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {

std::string listed(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string quoted(const std::vector<std::string> &names) {
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

std::string counted(std::size_t number, const std::string &what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::vector<std::string> labelsOf(const std::vector<LoopNode> &loops) {
  std::vector<std::string> labels;
  for (const LoopNode &loop : loops)
    labels.push_back(loop.label);
  return labels;
}

Nest nestOf(const Scheduled &kernel, const std::vector<std::string> &labels) {
  const auto isNamed = [&](const LoopNode &l) {
    return std::find(labels.begin(), labels.end(), l.label) != labels.end();
  };
  const std::vector<LoopNode> all = loopsOf(kernel.schedule.tree);
  const auto outermost = std::find_if(all.begin(), all.end(), isNamed);
  Nest nest;
  for (const LoopNode &loop : nestFrom(*outermost))
    nest.loops.push_back(loop);
  while (!isNamed(nest.loops.back()))
    nest.loops.pop_back();
  for (const std::string &label : labels) {
    const auto at = std::find_if(nest.loops.begin(), nest.loops.end(),
                                 [&](const LoopNode &l) { return l.label == label; });
    if (at == nest.loops.end())
      return {{},
              {},
              fmt::format("its loops over `{}` and `{}` do not lie directly in each other",
                          nest.loops.back().label, label)};
    nest.positions.push_back(static_cast<std::size_t>(at - nest.loops.begin()));
  }
  return nest;
}

bool usesBuffer(const Statement &s, int buffer) {
  return std::any_of(s.accesses.begin(), s.accesses.end(),
                     [&](const Access &a) { return a.buffer == buffer; });
}

int bufferIndex(const Kernel &kernel, const std::string &name) {
  const auto at = std::find_if(kernel.buffers.begin(), kernel.buffers.end(),
                               [&](const Buffer &b) { return b.name == name; });
  return static_cast<int>(at - kernel.buffers.begin());
}

std::vector<LoopNode> around(const LoopNode &loop) {
  std::vector<LoopNode> all;
  for (isl::schedule_node node = loop.top; node.has_parent();) {
    node = node.parent();
    if (auto outer = loopAt(node))
      all.push_back(std::move(*outer));
  }
  return all;
}

std::vector<std::string> loopsAround(const LoopNode &loop) {
  std::vector<std::string> labels = labelsOf(around(loop));
  std::reverse(labels.begin(), labels.end());
  return labels;
}

bool isAround(const LoopNode &outer, const LoopNode &inner) {
  const std::vector<std::string> labels = loopsAround(inner);
  return std::find(labels.begin(), labels.end(), outer.label) != labels.end();
}

isl::union_pw_aff functionOf(const LoopNode &loop) { return member(loop.band, 0); }

std::vector<isl::union_pw_aff> functionsOf(const std::vector<LoopNode> &loops) {
  std::vector<isl::union_pw_aff> all;
  for (const LoopNode &loop : loops)
    all.push_back(functionOf(loop));
  return all;
}

NewLoop asBefore(const LoopNode &loop) {
  return {loop.label, functionOf(loop), loop.how, isParallel(loop.band)};
}

NewLabels newLabels(const Scheduled &kernel, const Arguments &arguments,
                    const std::vector<std::string> &byDefault, const std::vector<std::string> &givenUp) {
  std::vector<std::string> used;
  for (const std::string &label : labelsOf(kernel.schedule.tree))
    if (std::find(givenUp.begin(), givenUp.end(), label) == givenUp.end())
      used.push_back(label);
  const auto isUsed = [&](const std::string &label) {
    return std::find(used.begin(), used.end(), label) != used.end();
  };
  NewLabels out;
  if (!arguments.results().empty()) {
    if (arguments.results().size() != byDefault.size())
      return {{},
              fmt::format("it makes {} ({}), and {} {} given", counted(byDefault.size(), "loop"),
                          quoted(byDefault), counted(arguments.results().size(), "name"),
                          arguments.results().size() == 1 ? "is" : "are")};
    for (const std::string &label : arguments.results())
      if (isUsed(label))
        return {{}, fmt::format("another loop is called `{}`", label)};
    return {arguments.results(), ""};
  }
  for (const std::string &wanted : byDefault) {
    std::string label = wanted;
    for (int n = 2; isUsed(label); ++n)
      label = wanted + std::to_string(n);
    used.push_back(label);
    out.labels.push_back(label);
  }
  return out;
}

Outcome withTree(const Scheduled &kernel, const isl::schedule &tree) {
  const std::optional<isl::schedule> flagged = withFlags(tree, kernel.dependences);
  if (!flagged)
    return {std::nullopt,
            fmt::format("a value would be used before it is computed ({})", firstClash(kernel, tree))};
  Scheduled changed = kernel;
  changed.schedule.tree = *flagged;
  return {changed, ""};
}

Outcome inSameOrder(const Scheduled &kernel, const isl::schedule &tree) {
  Scheduled changed = kernel;
  changed.schedule.tree = tree;
  return {std::move(changed), ""};
}

std::string freshName(const Kernel &kernel, const std::string &wanted) {
  std::string name = wanted;
  const auto isUsed = [&] {
    return statementIndex(kernel, name) >= 0 || std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                                            [&](const Buffer &b) { return b.name == name; });
  };
  for (int n = 2; isUsed(); ++n)
    name = wanted + std::to_string(n);
  return name;
}

std::vector<int> statementsBelow(const Kernel &kernel, const LoopNode &loop) {
  std::vector<int> all;
  for (const std::string &name : statementsAt(loop.band))
    all.push_back(statementIndex(kernel, name));
  return all;
}

std::string runsElsewhere(const Scheduled &kernel, const LoopNode &loop) {
  const isl::union_set here = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  for (const int s : statementsBelow(kernel, loop)) {
    const Statement &statement = kernel.statements[static_cast<std::size_t>(s)];
    if (!isl::union_set(statement.domain).intersect_params(kernel.context).is_subset(here))
      return statement.name;
  }
  return "";
}

std::optional<long> tripCount(const Scheduled &kernel, const LoopNode &loop) {
  const isl::set steps = stepsOf(loop, kernel.context);
  const int last = static_cast<int>(isl_set_dim(steps.get(), isl_dim_set)) - 1;
  const std::optional<long> values = tripCount(steps, last);
  if (!values || *values == 0)
    return values;
  // A loop over tiles goes from one to the next.
  const isl::val stride = isl::manage(isl_set_get_stride(steps.get(), last));
  return (*values - 1) / std::max(stride.num_si(), 1L) + 1;
}

bool boundsMove(const Scheduled &kernel, const LoopNode &inner, const LoopNode &outer) {
  const isl::set steps = stepsOf(inner, kernel.context);
  return boundsMoveWith(steps, static_cast<int>(isl_set_dim(steps.get(), isl_dim_set)) - 1,
                        static_cast<int>(isl_schedule_node_get_schedule_depth(outer.band.get())));
}

std::string whyNotCounting(const Scheduled &kernel, const LoopNode &loop) {
  // Each case may get a loop of its own.
  bool isByOne = true;
  isl_set_foreach_basic_set(
      stepsOf(loop, kernel.context).get(),
      [](isl_basic_set *one, void *user) {
        const isl::set steps = isl::manage(isl_set_from_basic_set(one));
        const int last = static_cast<int>(isl_set_dim(steps.get(), isl_dim_set)) - 1;
        *static_cast<bool *>(user) &= isl::manage(isl_set_get_stride(steps.get(), last)).is_one();
        return isl_stat_ok;
      },
      &isByOne);
  return isByOne ? "" : fmt::format("the loop over `{}` does not go up in steps of one", loop.label);
}

bool isOneRange(const Scheduled &kernel, const LoopNode &loop) {
  const isl::set steps =
      isl::manage(isl_set_gist_params(stepsOf(loop, kernel.context).release(), kernel.context.copy()));
  return isl_set_n_basic_set(poly::simplified(steps).get()) <= 1;
}

std::string whySharedScratch(const Kernel &kernel, const LoopNode &loop) {
  std::string why;
  visit(loop.band, [&](const isl::schedule_node &node) {
    const std::optional<Mark> mark = markAt(node);
    const Declare *declared = mark ? std::get_if<Declare>(&*mark) : nullptr;
    for (const Buffer &b : kernel.buffers)
      if (declared && b.name == declared->local && b.role == Buffer::Role::Scratch)
        why = fmt::format("iterations of the loop over `{}` would share `{}`", loop.label,
                          programName(kernel, b));
  });
  return why;
}

bool isInTurn(const LoopNode &loop) {
  return !loop.how || std::holds_alternative<as::Scalar>(*loop.how) ||
         std::holds_alternative<as::Rolled>(*loop.how) || std::holds_alternative<as::Unroll>(*loop.how);
}

std::string runsAtOnce(const LoopNode &loop) {
  std::vector<LoopNode> all = around(loop);
  all.insert(all.begin(), loop);
  const auto isShared = [](const LoopNode &l) { // work-items have memory of their own
    return !isInTurn(l) && !std::holds_alternative<as::Item>(*l.how);
  };
  const auto found = std::find_if(all.begin(), all.end(), isShared);
  return found == all.end() ? "" : alreadyRealised(*found);
}

std::string alreadyRealised(const LoopNode &loop) {
  return loop.how ? fmt::format("its loop over `{}` is realised as {} already", loop.label, text(*loop.how))
                  : "";
}

} // namespace pbc::kernel
