// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/copied_reads.h"
#include "compiler/body/unit.h"
#include "compiler/choice/spaces.h"
#include "compiler/schedule/versions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::schedule {

namespace {

using sema::Affine;
using sema::Binding;

/// More copies than that are not the few cells that a step shares.
constexpr std::size_t kMostCopies = 8;

/// Of all rules that make copies. Nobody prints it, as it is lifted.
const syntax::Body kBodyOfCopies;

struct Copy {
  int matrix;                         // that is copied
  Binding source;                     // what a rule reads of it
  Binding copied;                     // the cell in which the copy of that lies
  std::vector<std::string> variables; // of the rule that reads it, which occur in both
  std::vector<Reading> readings;
};

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The rule's variables that occur, in the rule's order.
std::vector<std::string> variablesIn(const sema::Rule &r, const std::vector<const Affine *> &values) {
  std::vector<std::string> found;
  for (const std::string &v : r.freeVariables)
    if (std::any_of(values.begin(), values.end(), [&](const Affine *a) { return contains(a->names, v); }))
      found.push_back(v);
  return found;
}

/// Whether a schedule of the program names the rule: it is for the loops of this rule alone.
bool hasScheduleOfItsOwn(const sema::Transform &t, const sema::Rule &r) {
  return std::any_of(t.schedules.begin(), t.schedules.end(), [&](const sema::Schedule &s) {
    return !s.isForAll && contains(s.rules, sema::familyOf(r));
  });
}

/// The copy of what the input reads at all points of a step, or nothing if it is no such input.
std::optional<Copy> copyOf(const sema::Transform &t, const std::vector<body::Facts> &facts, int matrix,
                           const Reading &reading) {
  const sema::Rule &r = t.rules[static_cast<std::size_t>(reading.rule)];
  const body::Facts &body = facts[static_cast<std::size_t>(reading.rule)];
  const Binding &source = r.inputs[static_cast<std::size_t>(reading.input)];
  const auto output =
      std::find_if(r.outputs.begin(), r.outputs.end(), [&](const Binding &b) { return b.matrix == matrix; });
  if (!body.liftable || !body.callees.empty() || r.library || output == r.outputs.end() || !output->isCell ||
      !source.isCell || source.otherwise || hasScheduleOfItsOwn(t, r) ||
      t.matrices[static_cast<std::size_t>(matrix)].structure)
    return std::nullopt;
  const std::size_t last = source.begin.size() - 1;
  const std::vector<std::string> ofVersion = variablesIn(r, {&output->begin[last]});
  Copy copy{matrix, source, source, {}, {reading}};
  copy.copied.name = "";
  copy.copied.isOutput = true;
  copy.copied.begin[last] = output->begin[last];
  copy.copied.end[last] = output->end[last];
  std::vector<const Affine *> values{&copy.source.begin[last], &copy.copied.begin[last]};
  const auto isOfVersion = [&](const Affine &a) {
    const auto names = variablesIn(r, {&a});
    return std::all_of(names.begin(), names.end(), [&](const auto &v) { return contains(ofVersion, v); });
  };
  if (!isOfVersion(copy.source.begin[last]))
    return std::nullopt;
  bool isSmaller = false;
  for (std::size_t d = 0; d < last; ++d) {
    values.push_back(&copy.source.begin[d]);
    if (!isOfVersion(source.begin[d]))
      continue;
    isSmaller = true;
    copy.copied.begin[d] = {"0", "0", "0", source.span};
    copy.copied.end[d] = {"1", "1", "1", source.span};
  }
  copy.variables = variablesIn(r, values);
  if (!isSmaller || copy.variables.size() >= r.freeVariables.size())
    return std::nullopt;
  return copy;
}

bool isSameCell(const Binding &a, const Binding &b) {
  return std::equal(a.begin.begin(), a.begin.end(), b.begin.begin(), b.begin.end(),
                    [](const Affine &x, const Affine &y) { return x.isl == y.isl; });
}

/// The copies that may bring the matrices down to one slot; none if some of the inputs that are in the way cannot be copied.
void addCopies(const sema::Transform &t, const std::vector<body::Facts> &facts, int matrix,
               const std::set<Reading> &readings, std::vector<Copy> &all) {
  std::vector<Copy> own;
  for (const Reading &reading : readings) {
    const auto copy = copyOf(t, facts, matrix, reading);
    if (!copy)
      return;
    const auto same = std::find_if(own.begin(), own.end(), [&](const Copy &c) {
      return c.variables == copy->variables && isSameCell(c.source, copy->source) &&
             isSameCell(c.copied, copy->copied);
    });
    if (same == own.end())
      own.push_back(*copy);
    else
      same->readings.push_back(reading);
  }
  all.insert(all.end(), own.begin(), own.end());
}

/// A body that returns its one input.
body::Facts returningInput(sema::Element element, source::Span span) {
  const body::Scalar type = body::scalarOf(element);
  auto value = std::make_shared<body::Value>();
  value->kind = body::Value::Kind::Cell;
  value->type = type;
  value->index = 1;
  value->span = span;
  auto store = std::make_shared<body::Node>();
  store->kind = body::Node::Kind::Assign;
  store->target.type = type;
  store->target.span = span;
  store->value = value;
  store->span = span;
  body::Facts facts;
  facts.liftable = true;
  facts.nodes = {store};
  return facts;
}

/// A transform with what is known of it.
struct Known {
  sema::Transform transform;
  std::vector<body::Facts> facts;
  choice::Choices choices;
  TransformPlans plans = {};

  std::vector<PlanOrder> orders() const { return {plans.plans.begin(), plans.plans.end()}; }
};

/// The points of the copy's rule that make what its readers read.
isl::set pointsOf(const Copy &copy, const sema::Rule &made, const Known &known,
                  const choice::Spaces &spaces) {
  isl::set points = isl::set::empty(spaces.points(made).get_space());
  for (const Reading &reading : copy.readings) {
    const sema::Rule &r = known.transform.rules[static_cast<std::size_t>(reading.rule)];
    isl_set *of = known.choices.grid.applications[static_cast<std::size_t>(reading.rule)].domain.copy();
    for (auto v = static_cast<unsigned>(r.freeVariables.size()); v-- > 0;)
      if (!contains(copy.variables, r.freeVariables[v]))
        of = isl_set_project_out(of, isl_dim_set, v, 1);
    of = isl_set_set_tuple_id(of, isl_set_get_tuple_id(points.get()));
    points = points.unite(isl::manage(of));
  }
  return poly::simplified(points);
}

/// Adds a matrix and a rule for the copy, which its readers read from now on; false if it would write a cell twice.
bool add(const Copy &copy, Known &known, const poly::Context &context) {
  sema::Transform &t = known.transform;
  choice::Grid &grid = known.choices.grid;
  const int matrix = static_cast<int>(t.matrices.size()), rule = static_cast<int>(t.rules.size());
  sema::Matrix m = t.matrices[static_cast<std::size_t>(copy.matrix)];
  m.name =
      fmt::format("{}__copy{}", m.name,
                  std::count_if(t.rules.begin(), t.rules.end(), [](const auto &r) { return isCopy(r); }));
  m.firstVersion.reset();
  for (std::size_t d = 0; d + 1 < m.extents.size(); ++d)
    if (copy.copied.begin[d].isl == "0")
      m.extents[d] = {"1", "1", "1", m.extents[d].span};
  Binding copied = copy.copied, source = copy.source;
  copied.matrix = matrix;
  source.name = "c";
  const sema::Rule &reader = t.rules[static_cast<std::size_t>(copy.readings.front().rule)];
  sema::Rule made;
  made.index = rule;
  made.label = m.name;
  made.returnStyle = true;
  made.freeVariables = copy.variables;
  made.outputs = {copied};
  made.inputs = {source};
  made.body = &kBodyOfCopies;
  made.span = reader.span;
  made.headerSpan = reader.headerSpan;
  known.facts.push_back(returningInput(m.element, source.span));
  t.matrices.push_back(m);
  t.rules.push_back(made);
  for (const Reading &reading : copy.readings) {
    Binding &b =
        t.rules[static_cast<std::size_t>(reading.rule)].inputs[static_cast<std::size_t>(reading.input)];
    b.matrix = matrix;
    b.begin = copied.begin;
    b.end = copied.end;
  }
  const choice::Spaces spaces(t, context);
  choice::Application application{rule, pointsOf(copy, made, known, spaces), {}, {}};
  application.writes.push_back(spaces.access(made, copied).intersect_domain(application.domain));
  application.reads.push_back(spaces.access(made, source).intersect_domain(application.domain));
  if (!application.writes.front().is_injective())
    return false;
  for (const Reading &reading : copy.readings) {
    choice::Application &of = grid.applications[static_cast<std::size_t>(reading.rule)];
    const sema::Rule &r = t.rules[static_cast<std::size_t>(reading.rule)];
    const auto input = static_cast<std::size_t>(reading.input);
    of.reads[input] = spaces.access(r, r.inputs[input]).intersect_domain(of.domain);
  }
  grid.pieces.push_back({matrix, application.writes.front().range(), {rule}});
  grid.names.push_back(spaces.names(matrix));
  for (choice::Alternative &alternative : known.choices.alternatives) {
    alternative.ruleOfPiece.push_back(rule);
    if (std::any_of(alternative.uses.begin(), alternative.uses.end(), [&](const choice::Use &use) {
          return std::any_of(copy.readings.begin(), copy.readings.end(),
                             [&](const Reading &reading) { return reading.rule == use.rule; });
        }))
      alternative.uses.push_back({rule, application.domain, {}});
  }
  grid.applications.push_back(std::move(application));
  return true;
}

/// How many slots each matrix has at least; nothing for those that have no versions, or all of them.
std::vector<std::optional<long>> slotsOf(const Known &known) {
  std::vector<std::optional<long>> slots;
  const std::vector<PlanOrder> orders = known.orders();
  for (int m = 0; m < static_cast<int>(known.transform.matrices.size()); ++m)
    slots.push_back(mayHaveSlots(known.transform, m, known.choices.grid)
                        ? fewestSlots(known.transform, m, known.choices.grid, orders).slots
                        : std::nullopt);
  return slots;
}

/// Whether the copied matrices and their copies have one slot, and no other matrix has more than before.
bool isBetter(const std::vector<std::optional<long>> &now, const std::vector<std::optional<long>> &before,
              const std::vector<Copy> &copies) {
  for (std::size_t m = 0; m < now.size(); ++m) {
    const bool isCopied = std::any_of(copies.begin(), copies.end(),
                                      [&](const Copy &c) { return static_cast<std::size_t>(c.matrix) == m; });
    if (isCopied || m >= before.size() ? now[m] != 1 : before[m] && (!now[m] || *now[m] > *before[m]))
      return false;
  }
  return true;
}

/// The transform with copies, or nothing if they do not save slots.
std::optional<Known> withCopies(const sema::Transform &t, const std::vector<body::Facts> &facts,
                                const choice::Choices &choices, const TransformPlans &plans,
                                const poly::Context &context) {
  const auto isVersioned = [&](const sema::Matrix &m) {
    return m.role == sema::Role::Through && (m.isVersioned || isLikeVersioned(m));
  };
  if (std::none_of(t.matrices.begin(), t.matrices.end(), isVersioned))
    return std::nullopt;
  Known known{t, facts, choices, plans};
  const std::vector<PlanOrder> orders = known.orders();
  std::vector<Copy> copies;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    if (mayHaveSlots(t, m, choices.grid))
      if (const auto readings = readingsInTheWay(t, m, choices.grid, orders))
        addCopies(t, facts, m, *readings, copies);
  if (copies.empty() || copies.size() > kMostCopies)
    return std::nullopt;
  const auto before = slotsOf(known);
  for (const Copy &copy : copies)
    if (!add(copy, known, context))
      return std::nullopt;
  const std::size_t alternatives = known.choices.alternatives.size();
  known.plans = plan(known.transform, known.facts, known.choices);
  if (known.choices.alternatives.size() != alternatives || !isBetter(slotsOf(known), before, copies))
    return std::nullopt;
  return known;
}

} // namespace

bool isCopy(const sema::Rule &r) { return r.body == &kBodyOfCopies; }

std::optional<int> copiedMatrix(const sema::Transform &t, int matrix) {
  const auto made = std::find_if(t.rules.begin(), t.rules.end(), [&](const sema::Rule &r) {
    return isCopy(r) && r.outputs.front().matrix == matrix;
  });
  return made == t.rules.end() ? std::nullopt : std::optional(made->inputs.front().matrix);
}

void copyReads(sema::Module &module, std::vector<std::vector<body::Facts>> &facts,
               std::vector<choice::Choices> &choices, std::vector<TransformPlans> &plans,
               const poly::Context &context) {
  for (sema::Transform &t : module.transforms) {
    const auto at = static_cast<std::size_t>(t.index);
    if (auto known = withCopies(t, facts[at], choices[at], plans[at], context)) {
      facts[at] = std::move(known->facts);
      choices[at] = std::move(known->choices);
      plans[at] = std::move(known->plans);
      t = std::move(known->transform);
    }
  }
}

} // namespace pbc::schedule
