// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/statement.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/free_values.h"
#include "compiler/loop/operators.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::loop {

using kernel::Buffer;

namespace {

/// Functions that exist in libraries of vector arithmetic, but not as instructions.
constexpr const char *kVectorFunctions[] = {
    "acos", "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "hypot", "log",   "log10", "log1p", "log2",  "pow",  "sin", "sinh", "tan", "tanh"};

bool hasVectorVersion(const kernel::Expr &call) {
  const std::string name = call.type == Scalar::F32 && call.text.ends_with('f')
                               ? call.text.substr(0, call.text.size() - 1)
                               : call.text;
  return std::find(std::begin(kVectorFunctions), std::end(kVectorFunctions), name) !=
         std::end(kVectorFunctions);
}

std::vector<Expr> expressions(const std::vector<isl::ast_expr> &all, const std::vector<Expr> &dimensions) {
  std::vector<Expr> result;
  for (const isl::ast_expr &e : all)
    result.push_back(expression(e, dimensions));
  return result;
}

} // namespace

isl::ast_expr indexExpression(const isl::pw_aff &function, const isl::set &domain) {
  // Dimensions become parameters, so that an AST build without loops can print the function; the domain tells
  // it which divisions have a non-negative dividend.
  const int dims = static_cast<int>(isl_set_dim(domain.get(), isl_dim_set));
  isl_pw_aff *f = function.copy();
  isl_set *context = domain.copy();
  for (int d = 0; d < dims; ++d) {
    isl_id *id = isl_id_alloc(isl_set_get_ctx(context), dimensionName(d).c_str(), nullptr);
    f = isl_pw_aff_set_dim_id(f, isl_dim_in, d, isl_id_copy(id));
    context = isl_set_set_dim_id(context, isl_dim_set, d, id);
  }
  f = isl_pw_aff_move_dims(f, isl_dim_param, isl_pw_aff_dim(f, isl_dim_param), isl_dim_in, 0, dims);
  context =
      isl_set_move_dims(context, isl_dim_param, isl_set_dim(context, isl_dim_param), isl_dim_set, 0, dims);
  f = isl_pw_aff_project_domain_on_params(f);
  isl::ast_build build = isl::ast_build::from_context(isl::manage(isl_set_params(context)));
  return isl::manage(isl_ast_build_expr_from_pw_aff(build.get(), f));
}

bool isSized(const Buffer &scratch) {
  const std::optional<long> bytes = kernel::scratchBytes(scratch);
  return !bytes || *bytes > kernel::kMostScratchBytes;
}

/// How many cells behind a multiple of 16 bytes the copy begins along a dimension of the matrix, if the first point of its group, or of
/// its item, lies at one; nothing if that is not known.
static std::optional<long> phaseOf(const kernel::Scheduled &kernel, const kernel::Statement &fill,
                                   const isl::set &steps, int dimension) {
  const kernel::GroupCopy &copy = *fill.copy;
  const auto &memory = kernel.buffers[static_cast<std::size_t>(copy.to)];
  const auto along = std::find_if(memory.ofGroup.begin(), memory.ofGroup.end(),
                                  [&](const kernel::GroupDimension &d) { return d.dimension == dimension; });
  const long cells = 16 / static_cast<long>(kernel::bytesOf(memory.element));
  const auto multiple = [&](isl_pw_aff *f) {
    isl_val *by = isl_val_int_from_si(isl_pw_aff_get_ctx(f), cells);
    return isl::manage(isl_pw_aff_zero_set(isl_pw_aff_mod_val(f, by)));
  };
  isl::set places = steps;
  if (along->axis >= 0) {
    const std::string begin = memory.role == Buffer::Role::Item ? kernel::beginParameter(along->axis)
                                                                : kernel::firstParameter(along->axis);
    isl_id *id = isl_id_alloc(steps.ctx().get(), begin.c_str(), nullptr);
    places = places.intersect(multiple(isl_pw_aff_param_on_domain_id(steps.copy(), id)));
  }
  const isl::pw_aff &first = copy.first[static_cast<std::size_t>(along - memory.ofGroup.begin())];
  for (long phase = 0; phase < (memory.role == Buffer::Role::Item ? cells : 1); ++phase) {
    isl_val *behind = isl_val_int_from_si(isl_pw_aff_get_ctx(first.get()), -phase);
    if (places.is_subset(multiple(isl_pw_aff_add_constant_val(first.copy(), behind))))
      return phase;
  }
  return std::nullopt;
}

StatementBuilder::StatementBuilder(const kernel::Scheduled &kernel, int statement, Purpose what)
    : kernel_(kernel), number_(statement), statement_(kernel.statements[static_cast<std::size_t>(statement)]),
      for_(what) {
  // Reads of one version, or of neighbours in a row, have indices in common, and isl needs long for those with cases.
  std::vector<std::pair<isl::pw_aff, isl::ast_expr>> known;
  const auto index = [&](const isl::pw_aff &function) {
    for (const auto &[before, printed] : known)
      if (before.plain_is_equal(function))
        return printed;
    return known.emplace_back(function, indexExpression(function, statement_.domain)).second;
  };
  auto all = [&](const isl::multi_pw_aff &functions) {
    std::vector<isl::ast_expr> indices;
    for (int d = 0, n = static_cast<int>(isl_multi_pw_aff_dim(functions.get(), isl_dim_out)); d < n; ++d)
      indices.push_back(index(isl::manage(isl_multi_pw_aff_get_pw_aff(functions.get(), d))));
    return indices;
  };
  if (statement_.domain.is_empty()) // a loop that never runs is not printed
    return;
  if (statement_.copy) {
    indices_.emplace_back();
    const isl::set steps = statement_.domain.intersect_params(kernel::contextOfGroup(kernel));
    for (const isl::pw_aff &first : statement_.copy->first) {
      indices_.back().push_back(indexExpression(first, statement_.domain));
      const isl::set negative =
          isl::manage(isl_set_complement(isl_pw_aff_nonneg_set(first.copy()))).intersect(steps);
      mayBeNegative_.push_back(!negative.is_empty());
    }
    phase_ = phaseOf(kernel, statement_, steps, 0);
    isAlignedAcross_ = statement_.copy->stored && phaseOf(kernel, statement_, steps, 1) == 0;
    return;
  }
  if (statement_.isOpaque) {
    for (const kernel::OpaqueArgument &a : statement_.arguments) {
      begins_.push_back(all(a.begin));
      extents_.push_back(all(isl::manage(isl_multi_pw_aff_sub(a.end.copy(), a.begin.copy()))));
    }
    return;
  }
  for (const kernel::Access &a : statement_.accesses) {
    if (kernel_.buffers[a.buffer].role == Buffer::Role::Local) {
      indices_.emplace_back(); // the index of a Local depends on the place in the loops
      continue;
    }
    isl_pw_multi_aff *p = isl_pw_multi_aff_from_map(a.relation.copy());
    indices_.push_back(all(isl::manage(isl_multi_pw_aff_from_pw_multi_aff(p))));
  }
}

const Buffer &StatementBuilder::target() const {
  return kernel_.buffers[statement_.accesses[statement_.write].buffer];
}

Expr StatementBuilder::cell(int access, const std::vector<Expr> &dimensions) const {
  return make(
      {Element{statement_.accesses[access].buffer, expressions(indices_[access], dimensions), access}});
}

Expr StatementBuilder::element(int access, const At &at) const {
  const Buffer &b = kernel_.buffers[statement_.accesses[access].buffer];
  if (kernel::isMatrix(b) || b.role == Buffer::Role::Group)
    return cell(access, at.dimensions);
  if (b.role == Buffer::Role::Scratch && isSized(b)) {
    Expr made = cell(access, at.dimensions);
    Element own = *as<Element>(made);
    own.indices.resize(b.extents.size()); // without the loops that have memory of their own
    return make({std::move(own)});
  }
  Local local{b.name, b.element, {}};
  if (b.role == Buffer::Role::Item) {
    local.indices = expressions(indices_[access], at.dimensions);
    std::reverse(local.indices.begin(), local.indices.end()); // dimension 0 is contiguous
  }
  if (b.role == Buffer::Role::Scratch) {
    local.indices = expressions(indices_[access], at.dimensions);
    local.indices.resize(b.extents.size()); // without the loops that have memory of their own
    std::reverse(local.indices.begin(), local.indices.end()); // dimension 0 is contiguous
  }
  if (b.lanes) {
    local.indices.push_back(at.lane ? at.lane : integer(0));
    local.isByLane = true;
  }
  return make({std::move(local)});
}

std::vector<Expr> StatementBuilder::operands(const kernel::Expr &e, const At &at) const {
  std::vector<Expr> all;
  for (const kernel::ExprPtr &operand : e.operands)
    all.push_back(expr(*operand, at));
  return all;
}

Expr StatementBuilder::function(const kernel::Expr &e, const At &at) const {
  if (e.operands.empty() && e.text.starts_with("__builtin_inf"))
    return make({Infinity{e.type}});
  return make({Function{e.text, e.type, operands(e, at), for_.vectorMath && hasVectorVersion(e)}});
}

/// Both sides of `&&` and `||` are computed where that is cheap and always possible: branches keep loops from having vectors, and
/// LLVM makes `switch` of several of them.
Operation::Op StatementBuilder::operationOf(const kernel::Expr &e, const At &at) const {
  constexpr int kMostNodes = 12;
  const Operation::Op op = operation(e.text, e.operands.size());
  if (at.isGuard || (op != Operation::Op::And && op != Operation::Op::Or))
    return op;
  const auto isTruth = [](const kernel::ExprPtr &operand) { return operand->type == Scalar::Bool; };
  if (!std::all_of(e.operands.begin(), e.operands.end(), isTruth) ||
      !isFreeToCompute(kernel_, statement_, *e.operands[1], kMostNodes))
    return op;
  return op == Operation::Op::And ? Operation::Op::BitAnd : Operation::Op::BitOr;
}

/// Loops in vectors compute both values of a choice that differs between their points, if that is always possible.
Expr StatementBuilder::choice(const kernel::Expr &e, const At &at) const {
  constexpr int kMostNodes = 24; // of each value
  using Kind = kernel::Expr::Kind;
  const auto has = [](const kernel::Expr &e, auto &&self, auto &&matches) -> bool {
    return matches(e) ||
           std::any_of(e.operands.begin(), e.operands.end(),
                       [&](const kernel::ExprPtr &operand) { return self(*operand, self, matches); });
  };
  const auto readsMatrix = [&](const kernel::Expr &e) {
    return e.kind == Kind::Read && kernel::isMatrix(kernel_.buffers[static_cast<std::size_t>(
                                       statement_.accesses[static_cast<std::size_t>(e.index)].buffer)]);
  };
  const auto differs = [](const kernel::Expr &e) {
    return e.kind == Kind::Read || e.kind == Kind::Dimension;
  };
  const auto isFree = [&](const kernel::ExprPtr &value) {
    return isFreeToCompute(kernel_, statement_, *value, kMostNodes);
  };
  const auto &condition = e.operands[0], &yes = e.operands[1], &no = e.operands[2];
  const bool areFree = isFree(yes) && isFree(no);
  const bool isEager = areFree && for_.vectorMath && !for_.device && has(*condition, has, differs) &&
                       (has(*yes, has, readsMatrix) || has(*no, has, readsMatrix));
  return make(
      {Operation{Operation::Op::Choose,
                 e.type,
                 {expr(*condition, {at.dimensions, at.lane, !areFree}), expr(*yes, at), expr(*no, at)},
                 isEager}});
}

Expr StatementBuilder::expr(const kernel::Expr &e, const At &at) const {
  using Kind = kernel::Expr::Kind;
  switch (e.kind) {
  case Kind::Literal:
    return make({Literal{e.text, e.type}});
  // Sizes and coordinates are ints in a body, so arithmetic on them must stay 32-bit.
  case Kind::Dimension:
    return make({Cast{e.type, grouped(at.dimensions[static_cast<std::size_t>(e.index)])}});
  case Kind::Name:
    return make({Cast{e.type, make({Name{Name::Kind::Value, poly::mangle(e.text)}})}});
  case Kind::Read:
    return element(e.index, at);
  case Kind::Unary:
  case Kind::Binary:
    return make({Operation{operationOf(e, at), e.type, operands(e, at)}});
  case Kind::Select:
    return choice(e, at);
  case Kind::Call:
    return function(e, at);
  case Kind::Cast:
    return make({Cast{e.type, expr(*e.operands[0], at)}});
  }
  throw std::logic_error("an expression of no kind");
}

Expr StatementBuilder::firstCell(std::size_t argument, const At &at) const {
  return make(
      {Element{statement_.arguments[argument].buffer, expressions(begins_[argument], at.dimensions)}});
}

/// The cell, or the value that is used outside of its matrix.
Expr StatementBuilder::cellOr(std::size_t argument, const At &at) const {
  const kernel::OpaqueArgument &a = statement_.arguments[argument];
  Expr cell = firstCell(argument, at);
  if (!a.otherwise)
    return cell;
  return grouped(
      make({Operation{Operation::Op::Choose,
                      a.otherwise->type,
                      {expr(*a.inside, {at.dimensions, at.lane, true}), cell, expr(*a.otherwise, at)}}}));
}

Call::View StatementBuilder::view(std::size_t argument, const At &at) const {
  const kernel::OpaqueArgument &a = statement_.arguments[argument];
  Call::View view{firstCell(argument, at), a.viewDims, {}, a.isOutput};
  for (const int d : a.viewDims)
    view.extents.push_back(expression(extents_[argument][static_cast<std::size_t>(d)], at.dimensions));
  return view;
}

Call StatementBuilder::call(const At &at) const {
  Call call{statement_.function, {}, nullptr};
  for (int d = 0; d < statement_.freeCount; ++d)
    call.arguments.emplace_back(Call::Coordinate{at.dimensions[static_cast<std::size_t>(d)]});
  for (std::size_t k = 0; k < statement_.arguments.size(); ++k) {
    if (statement_.arguments[k].isCell)
      call.arguments.emplace_back(Call::Number{cellOr(k, at)});
    else
      call.arguments.emplace_back(view(k, at));
  }
  return call;
}

Call::Argument StatementBuilder::deviceArgument(const body::DeviceBody::Argument &from, const At &at) const {
  using From = body::DeviceBody::Argument::Kind;
  const auto number = static_cast<std::size_t>(from.index);
  switch (from.kind) {
  case From::Coordinate:
    return Call::Coordinate{at.dimensions[number]};
  case From::Name:
    return Call::Number{make({Cast{from.isReal ? Scalar::F64 : Scalar::I32,
                                   make({Name{Name::Kind::Value, poly::mangle(from.name)}})}})};
  case From::Input:
    for (const int b : statement_.ownInputs)
      if (kernel_.buffers[static_cast<std::size_t>(b)].matrix == from.index)
        return Call::Number{make({Element{b, {}}})};
    break;
  case From::Place:
    return Call::Place{firstCell(number, at)};
  case From::Cell:
    return Call::Number{cellOr(number, at)};
  case From::View:
    return view(number, at);
  }
  throw std::logic_error("an argument of a body that its statement does not have");
}

Call StatementBuilder::deviceCall(const At &at) const {
  Call call{statement_.onDevice->function, {}, nullptr};
  for (const body::DeviceBody::Argument &from : statement_.onDevice->arguments)
    call.arguments.push_back(deviceArgument(from, at));
  if (statement_.onDevice->returnsValue)
    call.result = firstCell(0, at);
  return call;
}

Expr StatementBuilder::value(const At &at) const {
  const Expr e = expr(*statement_.value, at);
  return statement_.value->type != target().element && statement_.op.empty()
             ? make({Cast{target().element, e}})
             : e;
}

NodePtr StatementBuilder::node(const std::vector<Expr> &dimensions, const Expr &lane) const {
  const At at{dimensions, lane};
  if (statement_.copy)
    // In the steps of a loop some item reads a cell of the matrix (kernel/transform/group_copies.cpp).
    return make({GroupCopy{.from = statement_.copy->from,
                           .to = statement_.copy->to,
                           .first = expressions(indices_.front(), dimensions),
                           .mayBeNegative = mayBeNegative_,
                           .mayBeEmpty = statement_.dimensions.empty(),
                           .isAligned = phase_ == 0,
                           .isAlignedAcross = isAlignedAcross_,
                           .isOfItem = kernel_.buffers[static_cast<std::size_t>(statement_.copy->to)].role ==
                                       Buffer::Role::Item,
                           .isWithinPoints = statement_.copy->isWithin,
                           .phase = phase_,
                           .through = statement_.copy->through,
                           .stored = statement_.copy->stored,
                           .condition = nullptr}});
  if (statement_.isOpaque)
    return for_.device ? make({deviceCall(at)}) : scope({make({call(at)})}); // views need declarations
  Assign assign{element(statement_.write, at), {}, value(at), number_, dimensions};
  if (!statement_.op.empty())
    assign.op = operation(statement_.op, 2);
  return make({std::move(assign)});
}

} // namespace pbc::loop
