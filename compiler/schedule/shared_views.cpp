// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/shared_views.h"
#include "compiler/schedule/versions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>

namespace pbc::schedule {
namespace {

using choice::Use;

/// Whether the body stores once: an opaque body gets its cells as values, a lifted one reads them where its
/// statements are.
bool storesOnce(const body::Facts &facts) {
  if (!facts.liftable)
    return true;
  int stores = 0;
  for (const auto &node : facts.nodes) {
    if (node->kind == body::Node::Kind::Loop) {
      for (const auto &inner : node->body)
        if (inner->kind == body::Node::Kind::Loop || !inner->target.isLocal)
          return false;
    } else if (!node->target.isLocal)
      ++stores;
  }
  return stores == 1 && facts.nodes.back()->kind == body::Node::Kind::Assign &&
         !facts.nodes.back()->target.isLocal;
}

class SharedView {
public:
  SharedView(const sema::Transform &t, const std::vector<body::Facts> &facts, const choice::Grid &grid,
             const choice::Alternative &alternative, const StepsAlone &steps, int output, int input)
      : t_(t), facts_(facts), grid_(grid), uses_(alternative.uses), steps_(steps), order_(steps.plan),
        output_(output), input_(input) {}

  std::optional<std::string> why() const {
    for (const Use &use : uses_)
      if (verifies(facts(use)))
        return fmt::format("{} verifies the accuracy, for which the values before are needed", named(use));
    if (std::none_of(uses_.begin(), uses_.end(), [&](const Use &use) { return reads(use); }))
      return std::nullopt;
    for (const Use &use : uses_) {
      if (rule(use).library)
        return fmt::format(
            "a library's function, which may write before it has read everything, can compute {}",
            named(use));
      if (!use.overwritten.empty())
        return fmt::format("{} writes cells that another rule then computes anew", named(use));
    }
    for (const Use &use : uses_)
      if (reads(use) && !isDoneBeforeWrites(use))
        if (auto reason = whyNotOf(use))
          return reason;
    return std::nullopt;
  }

private:
  const sema::Rule &rule(const Use &use) const { return t_.rules[static_cast<std::size_t>(use.rule)]; }
  const body::Facts &facts(const Use &use) const { return facts_[static_cast<std::size_t>(use.rule)]; }
  const choice::Application &application(const Use &use) const {
    return grid_.applications[static_cast<std::size_t>(use.rule)];
  }
  std::string named(const Use &use) const { return fmt::format("the rule `{}`", rule(use).label); }

  static bool verifies(const body::Facts &facts) {
    return std::any_of(facts.edits.begin(), facts.edits.end(),
                       [](const body::Edit &e) { return e.kind == body::Edit::Kind::Verify; });
  }

  bool reads(const Use &use) const {
    return std::any_of(rule(use).inputs.begin(), rule(use).inputs.end(),
                       [&](const sema::Binding &b) { return b.matrix == input_; });
  }

  /// Whether all points of the rule are complete when the first one writes the output. That is only asked where a transform updates a matrix:
  /// kernels of others would have to allow for memory that is seldom the same.
  bool isDoneBeforeWrites(const Use &reader) const {
    if (t_.matrices[static_cast<std::size_t>(output_)].before != input_)
      return false;
    const auto &steps = steps_.plan.steps;
    const auto has = [&](std::size_t step, const auto &matches) {
      return std::any_of(steps[step].uses.begin(), steps[step].uses.end(), [&](const RuleUse &use) {
        return matches(t_.rules[static_cast<std::size_t>(use.rule)]);
      });
    };
    const auto isReader = [&](const sema::Rule &r) { return r.index == reader.rule; };
    const auto writes = [&](const sema::Rule &r) {
      return std::any_of(r.outputs.begin(), r.outputs.end(),
                         [&](const sema::Binding &b) { return b.matrix == output_; });
    };
    for (std::size_t r = 0; r < steps.size(); ++r)
      for (std::size_t w = 0; w < steps.size(); ++w)
        if (has(r, isReader) && has(w, writes) &&
            (r == w || !order_.isBefore(r, w) || steps_.inTiles.contains(static_cast<int>(r))))
          return false;
    return true;
  }

  /// Why the rule, which reads the input, needs other memory for it.
  std::optional<std::string> whyNotOf(const Use &use) const {
    const sema::Rule &r = rule(use);
    if (r.outputs.size() != 1 || r.outputs[0].matrix != output_)
      return fmt::format(
          "{} computes other cells than those of `{}`, and does not run before these are changed", named(use),
          t_.matrices[output_].name);
    if (!r.outputs[0].isCell || !storesOnce(facts(use)))
      return fmt::format("{} writes while it reads", named(use));
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
      if (r.inputs[i].matrix != input_)
        continue;
      if (!r.inputs[i].isCell)
        return fmt::format("{} reads `{}`, and not only cells", named(use), sema::written(t_, r.inputs[i]));
      if (!readsInTime(use, i))
        return fmt::format("{} reads `{}`, which another point may have overwritten", named(use),
                           sema::written(t_, r.inputs[i]));
    }
    return std::nullopt;
  }

  /// { point -> cell of the output that lies where the point reads the input }, of a rule that computes the output.
  isl::map inOutput(const Use &reader, std::size_t input) const {
    const char *const cells = isl_map_get_tuple_name(application(reader).writes[0].get(), isl_dim_out);
    isl_map *read = application(reader).reads[input].intersect_domain(reader.domain).release();
    return isl::manage(isl_map_set_tuple_name(read, isl_dim_out, cells));
  }

  /// Whether each point reads the cell of the input before any point changes the output's cell in its place.
  bool readsInTime(const Use &reader, std::size_t input) const {
    const isl::map cells = inOutput(reader, input);
    if (cells.is_subset(application(reader).writes[0]))
      return true;
    return std::all_of(uses_.begin(), uses_.end(), [&](const Use &writer) {
      if (keepsValues(writer))
        return true;
      const isl::map needs = flow(reader, writer);
      for (std::size_t o = 0; o < rule(writer).outputs.size(); ++o) {
        if (rule(writer).outputs[o].matrix != output_)
          continue;
        isl::map later =
            cells.apply_range(application(writer).writes[o].intersect_domain(writer.domain).reverse());
        if (writer.rule == reader.rule) // a point itself reads first
          later = later.subtract(isl::manage(isl_map_identity(isl_map_get_space(later.get()))));
        if (!later.is_subset(needs))
          return false;
      }
      return true;
    });
  }

  /// { point that computes a cell of the output -> point that reads it }, from a rule that computes nothing else
  isl::map flow(const Use &from, const Use &to) const {
    const isl::map writes = application(from).writes[0].intersect_domain(from.domain);
    isl::map found = isl::map::empty(isl::manage(isl_space_map_from_domain_and_range(
        isl_set_get_space(from.domain.get()), isl_set_get_space(to.domain.get()))));
    for (std::size_t i = 0; i < rule(to).inputs.size(); ++i)
      if (rule(to).inputs[i].matrix == output_)
        found =
            found.unite(writes.apply_range(application(to).reads[i].intersect_domain(to.domain).reverse()));
    return found;
  }

  /// Whether the rule gives each cell the value that it had.
  bool keepsValues(const Use &use) const {
    const sema::Rule &r = rule(use);
    const body::Facts &f = facts(use);
    if (!f.liftable || r.outputs.size() != 1 || r.outputs[0].matrix != output_ || !r.outputs[0].isCell ||
        f.nodes.size() != 1)
      return false;
    const body::Node &node = *f.nodes.front();
    if (node.kind != body::Node::Kind::Assign || !node.op.empty() ||
        node.value->kind != body::Value::Kind::Cell)
      return false;
    const int input = node.value->index - 1; // the outputs are numbered first
    if (input < 0 || r.inputs[static_cast<std::size_t>(input)].matrix != input_ ||
        !r.inputs[static_cast<std::size_t>(input)].isCell)
      return false;
    return inOutput(use, static_cast<std::size_t>(input)).is_subset(application(use).writes[0]);
  }

  const sema::Transform &t_;
  const std::vector<body::Facts> &facts_;
  const choice::Grid &grid_;
  const std::vector<Use> &uses_;
  const StepsAlone &steps_;
  const PlanOrder order_;
  int output_, input_;
};

} // namespace

std::optional<std::string> whyNotShared(const sema::Transform &t, const std::vector<body::Facts> &facts,
                                        const choice::Grid &grid, const choice::Alternative &alternative,
                                        const StepsAlone &steps, int output, int input) {
  return SharedView(t, facts, grid, alternative, steps, output, input).why();
}

} // namespace pbc::schedule
