// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/point_sum.h"
#include "compiler/kernel/associative.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// What the loop over points has inside: declarations, and below them the parts.
struct Body {
  std::vector<std::string> scalars;
  Subtree *parts;
};

Body bodyOf(Subtree &points) {
  Body body{{}, &points.children.front()};
  for (; std::holds_alternative<Declare>(body.parts->node); body.parts = &body.parts->children.front())
    body.scalars.push_back(std::get<Declare>(body.parts->node).local);
  return body;
}

const Access &writeOf(const Statement &s) { return s.accesses[static_cast<std::size_t>(s.write)]; }

const Statement &statementOf(const Kernel &kernel, int s) {
  return kernel.statements[static_cast<std::size_t>(s)];
}

/// The statements of the instances, if each writes once for each point; else none.
std::vector<int> onceForEachPoint(const Kernel &kernel, const isl::union_set &instances) {
  std::vector<int> all;
  for (const std::string &name : statementsOf(instances)) {
    all.push_back(statementIndex(kernel, name));
    const Statement &s = statementOf(kernel, all.back());
    if (s.isOpaque || s.write < 0 || static_cast<int>(s.dimensions.size()) != s.freeCount)
      return {};
  }
  return all;
}

bool anyUses(const Kernel &kernel, const std::vector<int> &statements, int buffer) {
  return std::any_of(statements.begin(), statements.end(),
                     [&](int s) { return usesBuffer(statementOf(kernel, s), buffer); });
}

isl::set withoutName(const isl::set &points) { return isl::manage(isl_set_reset_tuple_id(points.copy())); }

/// Whether each term assigns a value to the scalar before it uses it.
bool isSetByEachTerm(const Kernel &kernel, std::vector<int> terms, int scalar) {
  std::sort(terms.begin(), terms.end());
  terms.erase(std::remove_if(terms.begin(), terms.end(),
                             [&](int s) { return !usesBuffer(statementOf(kernel, s), scalar); }),
              terms.end());
  const Statement &first = statementOf(kernel, terms.front());
  if (first.isOpaque || first.write < 0 || writeOf(first).buffer != scalar || !first.op.empty() ||
      std::any_of(
          first.accesses.begin(), first.accesses.end(),
          [&](const Access &a) { return !a.isWrite && a.buffer == scalar; }))
    return false;
  return std::all_of(terms.begin(), terms.end(), [&](int s) {
    const Statement &other = statementOf(kernel, s);
    return other.dimensions.size() == first.dimensions.size() &&
           withoutName(other.domain).is_subset(withoutName(first.domain));
  });
}

/// Whether a point begins with one assignment of the first value, which all points may do before any term is added.
bool beginsWithValue(const Scheduled &kernel, const PointSum &sum) {
  return sum.first.size() == 1 && sum.scalarsOfPoint.empty() &&
         statementOf(kernel, sum.first.front()).op.empty() &&
         writeOf(statementOf(kernel, sum.first.front())).buffer == sum.scalar;
}

/// Lets a statement use the cell that `last` writes in place of the scalar.
void addUpInCell(Statement &s, int scalar, const Statement &last) {
  const Access &cell = writeOf(last);
  const auto more = static_cast<unsigned>(s.dimensions.size() - last.dimensions.size());
  isl_map *place = isl_map_insert_dims(cell.relation.copy(), isl_dim_in,
                                       static_cast<unsigned>(last.dimensions.size()), more);
  place = isl_map_set_tuple_name(place, isl_dim_in, s.name.c_str());
  place = isl_map_intersect_domain(place, s.domain.copy());
  const isl::map there = isl::manage(place);
  for (Access &a : s.accesses)
    if (a.buffer == scalar)
      a = {cell.buffer, a.isWrite, there};
}

isl::map ofStatement(const isl::map &relation, const std::string &statement) {
  return isl::manage(isl_map_set_tuple_name(relation.copy(), isl_dim_in, statement.c_str()));
}

/// A statement with the points of another one, which accesses cells as that one does.
Statement beside(const Kernel &kernel, const Statement &like, const std::string &suffix,
                 std::vector<Access> accesses, ExprPtr value) {
  Statement s = like;
  s.name = freshName(kernel, like.name + suffix);
  s.domain = isl::manage(isl_set_set_tuple_name(like.domain.copy(), s.name.c_str()));
  for (Access &a : accesses)
    a.relation = ofStatement(a.relation, s.name);
  s.accesses = std::move(accesses);
  s.write = 0; // the first one
  s.value = std::move(value);
  return s;
}

ExprPtr read(Scalar type, int access) {
  return std::make_shared<const Expr>(Expr{Expr::Kind::Read, type, "", access, {}});
}

/// Gives the terms scalars of their own where the point's statements use the same ones. Returns the names of the new ones.
std::vector<std::string> separateScalars(Kernel &kernel, PointSum &sum) {
  std::vector<std::string> made;
  for (std::string &name : sum.scalarsOfTerms) {
    if (std::find(sum.scalarsOfPoint.begin(), sum.scalarsOfPoint.end(), name) == sum.scalarsOfPoint.end())
      continue;
    const int old = bufferIndex(kernel, name), fresh = static_cast<int>(kernel.buffers.size());
    Buffer scalar = kernel.buffers[static_cast<std::size_t>(old)];
    scalar.called = programName(kernel, old);
    scalar.name = name = freshName(kernel, name + "_term");
    kernel.buffers.push_back(scalar);
    for (const int s : sum.terms)
      for (Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses)
        if (a.buffer == old)
          a = {fresh, a.isWrite,
               isl::manage(isl_map_set_tuple_name(a.relation.copy(), isl_dim_out, name.c_str()))};
    made.push_back(name);
  }
  return made;
}

} // namespace

std::string takeApart(const Scheduled &kernel, const Subtree &loopOverPoints, const std::string &terms,
                      PointSum &sum) {
  std::string form = "its body is not a value, a loop that changes it, and an assignment of it";
  Subtree points = loopOverPoints;
  const Body body = bodyOf(points);
  const Subtree &parts = *body.parts;
  const std::size_t n = parts.children.size();
  if (!parts.isSequence() || n < 3)
    return form;
  const Subtree &loop = parts.children[n - 2];
  if (!loop.loop() || loop.loop()->label != terms)
    return form;
  std::vector<Part> atFirst;
  for (std::size_t k = 0; k + 2 < n; ++k)
    atFirst.push_back({parts.instances[k], parts.children[k]});
  sum.atFirst = inTurn(atFirst);
  sum.atLast = parts.children[n - 1];
  sum.instancesOfFirst = parts.instances[0];
  for (const Part &part : atFirst)
    sum.instancesOfFirst = sum.instancesOfFirst.unite(part.instances);
  sum.instancesOfTerms = parts.instances[n - 2];
  sum.instancesOfLast = parts.instances[n - 1];
  sum.first = onceForEachPoint(kernel, sum.instancesOfFirst);
  const std::vector<int> last = onceForEachPoint(kernel, sum.instancesOfLast);
  if (sum.first.empty() || last.size() != 1)
    return form;
  sum.last = last.front();
  sum.eachTerm = loop.children.front();
  for (const std::string &name : statementsOf(sum.instancesOfTerms))
    sum.terms.push_back(statementIndex(kernel, name));
  const Statement &assigned = statementOf(kernel, sum.last);
  const Buffer &written = kernel.buffers[static_cast<std::size_t>(writeOf(assigned).buffer)];
  if (!assigned.op.empty() || written.role != Buffer::Role::Output)
    return form;
  for (const std::string &name : body.scalars) {
    const int b = bufferIndex(kernel, name);
    const bool isOfTerms = anyUses(kernel, sum.terms, b);
    const bool isAssigned = usesBuffer(assigned, b), isOfPoint = isAssigned || anyUses(kernel, sum.first, b);
    if (isOfTerms && isAssigned && sum.scalar < 0) {
      sum.scalar = b;
      continue;
    }
    if (isOfTerms && isOfPoint && (isAssigned || !isSetByEachTerm(kernel, sum.terms, b)))
      return fmt::format("`{}` is handed on between the parts of its body", programName(kernel, b));
    if (isOfTerms)
      sum.scalarsOfTerms.push_back(name);
    if (isOfPoint)
      sum.scalarsOfPoint.push_back(name);
  }
  if (sum.scalar < 0)
    return form;
  if (written.element != kernel.buffers[static_cast<std::size_t>(sum.scalar)].element)
    return "the cell that it writes has another type than the sum";
  for (const int s : sum.terms) {
    const Statement &term = statementOf(kernel, s);
    if (term.isOpaque || term.write < 0 ||
        isMatrix(kernel.buffers[static_cast<std::size_t>(writeOf(term).buffer)]))
      return form;
  }
  return "";
}

bool readsInPlace(const Kernel &kernel, const PointSum &sum, const std::vector<int> &behind) {
  const auto sameSpace = [](const isl::map &relation) {
    return isl::manage(
        isl_map_reset_tuple_id(isl_map_reset_tuple_id(relation.copy(), isl_dim_in), isl_dim_out));
  };
  const Access &cell = writeOf(statementOf(kernel, sum.last));
  for (const int s : behind) {
    const Statement &one = statementOf(kernel, s);
    const auto free = static_cast<unsigned>(one.freeCount);
    for (const Access &a : one.accesses) {
      if (kernel.buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Input ||
          isl_map_dim(a.relation.get(), isl_dim_out) != isl_map_dim(cell.relation.get(), isl_dim_out))
        continue;
      const isl::map of =
          isl::manage(isl_map_project_out(a.relation.intersect_domain(one.domain).release(), isl_dim_in, free,
                                          static_cast<unsigned>(one.dimensions.size()) - free));
      if (sameSpace(of).is_subset(sameSpace(cell.relation)))
        return true;
    }
  }
  return false;
}

std::optional<SumInCells> fromFirstValue(const Scheduled &kernel, const PointSum &sum) {
  if (!beginsWithValue(kernel, sum))
    return std::nullopt;
  SumInCells made{kernel, sum};
  const Statement last = statementOf(kernel, sum.last);
  std::vector<int> all = sum.terms;
  all.insert(all.end(), {sum.first.front(), sum.last});
  for (const int s : all)
    addUpInCell(made.kernel.statements[static_cast<std::size_t>(s)], sum.scalar, last);
  return made;
}

std::optional<SumInCells> fromNeutralValue(const Scheduled &kernel, const std::string &points,
                                           const PointSum &sum) {
  std::vector<int> adding;
  std::copy_if(sum.terms.begin(), sum.terms.end(), std::back_inserter(adding),
               [&](int s) { return usesBuffer(statementOf(kernel, s), sum.scalar); });
  if (adding.size() != 1)
    return std::nullopt;
  const Statement &term = statementOf(kernel, adding.front());
  std::set<int> old;
  for (std::size_t a = 0; a < term.accesses.size(); ++a)
    if (!term.accesses[a].isWrite && term.accesses[a].buffer == sum.scalar)
      old.insert(static_cast<int>(a));
  const std::optional<Joining> joining =
      writeOf(term).buffer == sum.scalar ? joiningOf(kernel, term, old) : std::nullopt;
  if (!joining)
    return std::nullopt;
  const Statement last = statementOf(kernel, sum.last);
  const Access cell = writeOf(last);
  const auto value = std::find_if(last.accesses.begin(), last.accesses.end(),
                                  [&](const Access &a) { return a.buffer == sum.scalar; });
  SumInCells made{kernel, sum};
  auto &statements = made.kernel.statements;
  for (const int s : sum.terms)
    addUpInCell(statements[static_cast<std::size_t>(s)], sum.scalar, last);
  const std::vector<std::string> separate = separateScalars(made.kernel, made.sum);
  const Statement neutral = beside(kernel, last, "_neutral", {cell}, joining->neutral());
  const Statement join = beside(kernel, last, "_join",
                                {{sum.scalar, true, value->relation},
                                 {sum.scalar, false, value->relation},
                                 {cell.buffer, false, cell.relation}},
                                joining->joined(read(joining->element, 1), read(joining->element, 2)));
  const isl::union_set ofNeutral(neutral.domain), ofJoin(join.domain);

  // In the order so far.
  const Subtree leaf{Subtree::Leaf{}, {}, {}};
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  for (const isl::set &added : {neutral.domain, join.domain})
    if (!runBeside(tree, last.domain, added))
      return std::nullopt;
  Subtree &parts = *bodyOf(*find(tree, points)).parts;
  parts.instances.back() = sum.instancesOfLast;
  parts.children.insert(parts.children.end() - 1, leaf);
  parts.instances.insert(parts.instances.end() - 1, ofJoin);
  parts.children.insert(parts.children.begin(), leaf);
  parts.instances.insert(parts.instances.begin(), ofNeutral);
  for (const std::string &scalar : separate)
    declareBelow(tree, points, scalar);
  made.kernel.schedule.tree = scheduleOf(
      isl::manage(isl_schedule_from_domain(isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()))
                                               .unite(ofNeutral)
                                               .unite(ofJoin)
                                               .release())),
      tree);
  statements.push_back(neutral);
  statements.push_back(join);

  PointSum &now = made.sum;
  now.first = {static_cast<int>(statements.size()) - 2};
  now.instancesOfFirst = ofNeutral;
  now.instancesOfLast = sum.instancesOfFirst.unite(ofJoin).unite(sum.instancesOfLast);
  now.atFirst = leaf;
  now.atLast =
      inTurn({{sum.instancesOfFirst, sum.atFirst}, {ofJoin, leaf}, {sum.instancesOfLast, sum.atLast}});
  now.scalarsOfPoint.push_back(kernel.buffers[static_cast<std::size_t>(sum.scalar)].name);
  for (const std::string &scalar : now.scalarsOfPoint)
    now.atLast = {Declare{scalar}, {now.atLast}, {}};
  return made;
}

} // namespace pbc::kernel
