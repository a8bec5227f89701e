// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/lift_body.h"
#include "compiler/body/affine.h"
#include "compiler/body/outside.h"
#include "compiler/body/unit.h"
#include "compiler/body/value.h"
#include "compiler/kernel/lift_parts.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

bool reads(const body::Value &value, int binding) {
  return (value.kind == body::Value::Kind::Cell && value.index == binding) ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [&](const body::ValuePtr &v) { return reads(*v, binding); });
}

/// How a body uses the cell of one output.
struct Use {
  int writes = 0;
  bool inLoop = false, readsFirst = false;
};

void addUses(const std::vector<body::NodePtr> &nodes, int binding, bool isLoop, Use &use) {
  for (const body::NodePtr &node : nodes) {
    if (node->kind == body::Node::Kind::Loop) {
      addUses(node->body, binding, true, use);
      continue;
    }
    const bool isTarget = !node->target.isLocal && node->target.index == binding;
    if (!use.writes)
      use.readsFirst |= reads(*node->value, binding) || (isTarget && (isLoop || !node->op.empty()));
    use.writes += isTarget;
    use.inLoop |= isLoop && isTarget;
  }
}

} // namespace

const sema::Binding &BodyLifter::binding(int index) const { return body::binding(*rule_, index); }

std::vector<std::string> BodyLifter::freeNames() const {
  std::vector<std::string> names;
  for (const std::string &v : rule_->freeVariables)
    names.push_back(poly::mangle(v));
  return names;
}

std::string BodyLifter::tuple(const Statement &s) const {
  return s.name + "[" + poly::join(s.dimensions) + "]";
}

int BodyLifter::matrixBuffer(int matrix) {
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b)
    if (kernel_.buffers[b].matrix == matrix)
      return static_cast<int>(b);
  const sema::Matrix &m = transform_.matrices[matrix];
  Buffer buffer;
  buffer.name = poly::mangle(m.name);
  if (const std::string written = poly::plain(m.name); written != buffer.name)
    buffer.called = poly::unmangle(written);
  buffer.matrix = matrix;
  buffer.element = body::scalarOf(m.element);
  buffer.rank = m.rank();
  kernel_.buffers.push_back(std::move(buffer));
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

/// The condition in isl's text that the cell is in its matrix.
std::string BodyLifter::insideText(const sema::Binding &b, const std::vector<std::string> &indices) const {
  std::string text;
  for (std::size_t d = 0; d < indices.size(); ++d)
    text += (text.empty() ? "" : " and ") + ("0 <= (" + indices[d]) + ") < " +
            transform_.matrices[b.matrix].extents[d].isl;
  return text;
}

int BodyLifter::access(Statement &s, int buffer, bool isWrite, const std::vector<std::string> &indices,
                       const std::string &condition) {
  if (isWrite && kernel_.buffers[buffer].role == Buffer::Role::Input)
    kernel_.buffers[buffer].role = Buffer::Role::Output;
  isl::map relation =
      ctx_.map(prefix_ + "{ " + tuple(s) + " -> " + kernel_.buffers[buffer].name + "[" + poly::join(indices) +
               "]" + (condition.empty() ? "" : " : " + condition) + " }");
  s.accesses.push_back({buffer, isWrite, relation});
  return static_cast<int>(s.accesses.size()) - 1;
}

std::string BodyLifter::affine(const body::Value &value) const {
  bool ok = true;
  std::string text = body::affineText(value, *facts_, ok);
  if (!ok)
    throw NotAffine();
  return text;
}

std::string BodyLifter::bound(const body::Value &value) const {
  if (const auto text = body::boundText(value, *facts_))
    return *text;
  throw NotAffine();
}

std::vector<std::string> BodyLifter::coordinates(int index,
                                                 const std::vector<body::ValuePtr> &indices) const {
  const sema::Binding &b = binding(index);
  std::vector<std::string> at;
  for (const sema::Affine &begin : b.begin)
    at.push_back(begin.isl);
  for (std::size_t v = 0; v < indices.size(); ++v)
    at[b.viewDims[v]] = "(" + at[b.viewDims[v]] + ") + (" + affine(*indices[v]) + ")";
  return at;
}

int BodyLifter::cell(Statement &s, int index, const std::vector<body::ValuePtr> &indices, bool isWrite) {
  return cellAt(s, index, coordinates(index, indices), isWrite);
}

int BodyLifter::cellAt(Statement &s, int index, const std::vector<std::string> &at, bool isWrite) {
  const sema::Binding &b = binding(index);
  const int buffer = matrixBuffer(b.matrix);
  const bool mayBeOutside = b.otherwise || isConditional_;
  const int made = access(s, buffer, isWrite, at, mayBeOutside ? insideText(b, at) : "");
  if (b.otherwise || !isConditional_)
    return made;
  const isl::set inside = s.accesses.back().relation.domain();
  // Where it is computed, as far as that is known; of a condition that is no conjunction, more than that.
  const isl::set here = condition_.empty() ? s.domain
                                           : poly::simplified(s.domain.intersect(ctx_.set(
                                                 prefix_ + "{ " + tuple(s) + " : " + condition_ + " }")));
  const bool isOnePart = isl_set_n_basic_set(here.get()) < 2 && !here.is_empty();
  const isl::set where = isOnePart ? here : s.domain;
  if (!where.is_subset(inside))
    return made;
  s.accesses.pop_back();
  access(s, buffer, isWrite, at);
  if (!s.domain.is_subset(where))
    s.accesses.back().relation = s.accesses.back().relation.intersect_domain(where.gist(s.domain));
  return made;
}

int BodyLifter::local(Statement &s, int &index, const std::string &name, Scalar type, bool isWrite) {
  if (index < 0) {
    Buffer buffer;
    const auto isTaken = [&] {
      return std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                         [&](const Buffer &other) { return other.name == buffer.name; });
    };
    const std::string own = poly::plain(name);
    buffer.name = "R" + std::to_string(rule_->index) + "_" + own;
    for (int k = 1; isTaken(); ++k) // shadowed names
      buffer.name = "R" + std::to_string(rule_->index) + "_" + own + "_" + std::to_string(k);
    buffer.called = poly::unmangle(own);
    buffer.role = Buffer::Role::Local;
    buffer.element = type;
    buffer.rank = static_cast<int>(rule_->freeVariables.size());
    index = static_cast<int>(kernel_.buffers.size());
    kernel_.buffers.push_back(std::move(buffer));
  }
  return access(s, index, isWrite, freeNames());
}

int BodyLifter::local(Statement &s, int index, bool isWrite) {
  const body::LocalVariable &variable = facts_->locals[index];
  return local(s, localBuffers_[index], variable.name, variable.type, isWrite);
}

const body::Value *BodyLifter::neverOutside(const body::Value &value, Statement &s) {
  using From = body::Value::Kind;
  if (value.kind != From::Select || value.operands[1]->kind != From::Cell)
    return nullptr;
  const body::Value &inside = *value.operands[1];
  if (!binding(inside.index).otherwise || isAccumulated(inside.index))
    return nullptr;
  const std::size_t count = s.accesses.size();
  cell(s, inside.index, inside.operands, false);
  const bool isAlways = s.domain.is_subset(s.accesses.back().relation.domain());
  s.accesses.resize(count);
  return isAlways ? &inside : nullptr;
}

/// Whether only the first operand is computed in any case.
static bool decidesByFirst(const Expr &e) {
  return e.kind == Expr::Kind::Select || (e.kind == Expr::Kind::Binary && (e.text == "&&" || e.text == "||"));
}

ExprPtr BodyLifter::expr(const body::Value &value, Statement &s) {
  using From = body::Value::Kind;
  auto e = std::make_shared<Expr>();
  e->type = value.type;
  e->text = value.text;
  auto dimension = [&](const std::string &name) {
    const auto at = std::find(s.dimensions.begin(), s.dimensions.end(), name);
    if (at == s.dimensions.end())
      return false;
    e->kind = Expr::Kind::Dimension;
    e->index = static_cast<int>(at - s.dimensions.begin());
    return true;
  };
  if (const body::Value *cell = neverOutside(value, s))
    return expr(*cell, s);
  switch (value.kind) {
  case From::Cell:
    if (const auto &structure = transform_.matrices[binding(value.index).matrix].structure;
        structure && structure->hides())
      return structured(value, s);
    e->kind = Expr::Kind::Read;
    if (isAccumulated(value.index)) {
      e->index = accumulator(s, value.index, false);
      return e;
    }
    e->index = cell(s, value.index, value.operands, false);
    if ((binding(value.index).otherwise || isConditional_) &&
        s.accesses.back().relation.intersect_domain(s.domain).is_empty()) {
      // It is outside its matrix at every point, so the enclosing condition never holds.
      s.accesses.pop_back();
      e->kind = Expr::Kind::Literal;
      e->text = body::zero(value.type);
    }
    return e; // its operands are indices
  case From::Local:
    if (ExprPtr constant = constantOf(value.index, s))
      return constant;
    e->kind = Expr::Kind::Read;
    e->index = local(s, value.index, false);
    return e;
  case From::Input:
    e->kind = Expr::Kind::Read;
    e->index = access(s, matrixBuffer(value.index), false, {});
    return e;
  case From::Iterator:
    if (!dimension(poly::mangle(facts_->iterators[value.index])))
      throw NotAffine(); // used after its loop
    return e;
  case From::Name:
    if (!dimension(poly::mangle(value.text)))
      e->kind = Expr::Kind::Name;
    return e;
  case From::Literal:
    e->kind = Expr::Kind::Literal;
    break;
  case From::Unary:
    e->kind = Expr::Kind::Unary;
    break;
  case From::Binary:
    e->kind = Expr::Kind::Binary;
    break;
  case From::Select:
    e->kind = Expr::Kind::Select;
    break;
  case From::Call:
    e->kind = Expr::Kind::Call;
    break;
  case From::Cast:
    e->kind = Expr::Kind::Cast;
    break;
  }
  const bool around = isConditional_;
  const std::string before = condition_;
  const auto decides =
      decidesByFirst(*e) ? body::conditionText(*value.operands.front(), *facts_) : std::nullopt;
  for (const body::ValuePtr &operand : value.operands) {
    const std::size_t k = e->operands.size();
    isConditional_ = around || (k > 0 && decidesByFirst(*e));
    if (k > 0 && decides) {
      const bool holds = e->kind == Expr::Kind::Select ? k == 1 : e->text == "&&";
      condition_ = (before.empty() ? "" : before + " and ") + (holds ? "(" : "not (") + *decides + ")";
    }
    e->operands.push_back(expr(*operand, s));
  }
  condition_ = before;
  isConditional_ = around;
  return e;
}

isl::set BodyLifter::domain(const std::string &tuple, const std::vector<std::string> &dimensions) const {
  std::string constraints;
  for (const Loop &l : loops_)
    constraints += (constraints.empty() ? " : " : " and ") + l.constraint;
  const std::string instance = tuple + "[" + poly::join(dimensions) + "]";
  isl::set loops = ctx_.set(prefix_ + "{ " + instance + constraints + " }");
  const std::string point =
      std::string(isl_set_get_tuple_name(points_.get())) + "[" + poly::join(freeNames()) + "]";
  isl::map toPoint = ctx_.map("{ " + instance + " -> " + point + " }");
  return poly::simplified(loops.intersect(points_.apply(toPoint.reverse())));
}

Statement BodyLifter::begin(source::Span span) const {
  Statement s;
  if (sources_)
    s.origin.line = sources_->lineOf(span);
  s.origin.rule = rule_->label;
  s.name = "R" + std::to_string(rule_->index) + "_S" +
           std::to_string(std::count_if(kernel_.statements.begin(), kernel_.statements.end(),
                                        [&](const Statement &o) { return o.rule == rule_->index; }));
  s.rule = rule_->index;
  s.dimensions = freeNames();
  s.freeCount = static_cast<int>(s.dimensions.size());
  for (const Loop &l : loops_)
    s.dimensions.push_back(poly::mangle(facts_->iterators[l.iterator]));
  s.domain = domain(s.name, s.dimensions);
  return s;
}

Block BodyLifter::end(Statement s) {
  kernel_.statements.push_back(std::move(s));
  Block block;
  block.statement = static_cast<int>(kernel_.statements.size()) - 1;
  return block;
}

Block BodyLifter::assign(const body::Node &node, Statement s) {
  const int target = node.target.index;
  s.op = node.op;
  s.value = expr(*node.value, s);
  s.write = node.target.isLocal     ? local(s, target, true)
            : isAccumulated(target) ? accumulator(s, target, true)
                                    : cell(s, target, node.target.indices, true);
  return end(std::move(s));
}

/// `c = accumulator`, after everything else.
Block BodyLifter::store(int index) {
  Statement s = begin(binding(index).span);
  auto value = std::make_shared<Expr>();
  value->kind = Expr::Kind::Read;
  value->index = accumulator(s, index, false);
  value->type = body::scalarOf(transform_.matrices[binding(index).matrix].element);
  s.value = value;
  s.write = cell(s, index, {}, true);
  return end(std::move(s));
}

std::vector<Block> BodyLifter::loop(const body::Node &node) {
  Block block;
  block.iterator = poly::mangle(facts_->iterators[node.iterator]);
  const std::string lower = "(" + bound(*node.lower) + ")", upper = "(" + bound(*node.upper) + ")";
  std::string constraint = lower + " <= " + block.iterator + " and " + block.iterator + " < " + upper;
  if (node.step != 1)
    constraint += " and (" + block.iterator + " - " + lower + ") mod " + std::to_string(node.step) + " = 0";
  const bool isLong = !body::constantOf(*node.lower, *facts_) || !body::constantOf(*node.upper, *facts_);
  loops_.push_back({node.iterator, constraint, isLong});
  block.body = blocks(node.body);
  if (scalars_.areCut())
    block.body = cutAlongReaders(block.body, privateBuffers(), kernel_.statements);
  loops_.pop_back();
  return loopsOfParts(block, kernel_.statements);
}

std::vector<Block> BodyLifter::blocks(const std::vector<body::NodePtr> &nodes) {
  std::vector<Block> all;
  for (const body::NodePtr &node : nodes)
    for (Block &b : node->kind == body::Node::Kind::Assign ? assign(*node) : loop(*node))
      if (b.statement >= 0 || !b.body.empty())
        all.push_back(std::move(b));
  return all;
}

bool BodyLifter::isAccumulated(int index) const {
  return index < static_cast<int>(accumulators_.size()) && accumulators_[index] != kNotAccumulated;
}

int BodyLifter::accumulator(Statement &s, int index, bool isWrite) {
  const sema::Binding &b = binding(index);
  return local(s, accumulators_[index], b.name, body::scalarOf(transform_.matrices[b.matrix].element),
               isWrite);
}

std::vector<Block> BodyLifter::body() {
  accumulators_.clear();
  for (std::size_t k = 0; k < rule_->outputs.size(); ++k) {
    Use use;
    addUses(facts_->nodes, static_cast<int>(k), false, use);
    accumulators_.push_back(rule_->outputs[k].isCell && use.inLoop && !use.readsFirst ? -1 : kNotAccumulated);
  }
  std::vector<Block> all = blocks(facts_->nodes);
  for (std::size_t k = 0; k < accumulators_.size(); ++k)
    if (isAccumulated(static_cast<int>(k)))
      all.push_back(store(static_cast<int>(k)));
  return all;
}

std::optional<std::vector<Block>> BodyLifter::lift(const schedule::RuleUse &use, const body::Facts &facts) {
  rule_ = &transform_.rules[use.rule];
  facts_ = &facts;
  points_ = use.domain;
  localBuffers_.assign(facts.locals.size(), -1);
  scalars_ = ScalarParts(facts);
  const std::size_t statements = kernel_.statements.size(), buffers = kernel_.buffers.size();
  std::vector<Buffer> before = kernel_.buffers;
  try {
    return body();
  } catch (const NotAffine &) {
    kernel_.statements.resize(statements);
    kernel_.buffers = std::move(before);
    kernel_.buffers.resize(buffers);
    loops_.clear();
    return std::nullopt;
  }
}

Block BodyLifter::opaque(const schedule::RuleUse &use, const body::Facts &facts) {
  rule_ = &transform_.rules[use.rule];
  points_ = use.domain;
  loops_.clear();
  Statement s = begin(rule_->span);
  s.isOpaque = true;
  s.function = "pb_body_" + std::to_string(rule_->index);
  auto argument = [&](const sema::Binding &b) {
    OpaqueArgument a;
    a.buffer = matrixBuffer(b.matrix);
    a.isOutput = b.isOutput;
    a.isCell = b.isCell;
    a.viewDims = b.viewDims;
    std::vector<std::string> begin, end, inside, at;
    for (std::size_t d = 0; d < b.begin.size(); ++d) {
      begin.push_back(b.begin[d].isl), end.push_back(b.end[d].isl);
      at.push_back("pb_a" + std::to_string(d));
      inside.push_back("(" + begin[d] + ") <= " + at[d] + " < (" + end[d] + ")");
    }
    const std::string from = prefix_ + "{ " + tuple(s) + " -> ", name = kernel_.buffers[a.buffer].name;
    a.begin = isl::multi_pw_aff(ctx_.get(), from + name + "[" + poly::join(begin) + "] }");
    a.end = isl::multi_pw_aff(ctx_.get(), from + name + "[" + poly::join(end) + "] }");
    std::string box;
    for (const std::string &c : inside)
      box += (box.empty() ? " : " : " and ") + c;
    if (b.otherwise) {
      box += (box.empty() ? " : " : " and ") + insideText(b, begin);
      a.inside = expr(*body::isInside(transform_, b), s);
      a.otherwise = expr(*body::valueOutside(transform_, b), s);
    }
    if (b.isOutput)
      kernel_.buffers[a.buffer].role = Buffer::Role::Output;
    s.accesses.push_back(
        {a.buffer, b.isOutput, ctx_.map(from + name + "[" + poly::join(at) + "]" + box + " }")});
    s.arguments.push_back(std::move(a));
  };
  for (const sema::Binding &b : rule_->outputs)
    argument(b);
  for (const sema::Binding &b : rule_->inputs)
    argument(b);
  s.onDevice = facts.onDevice;
  if (s.onDevice)
    for (const body::DeviceBody::Argument &a : s.onDevice->arguments)
      if (a.kind == body::DeviceBody::Argument::Kind::Input) {
        s.ownInputs.push_back(matrixBuffer(a.index));
        access(s, s.ownInputs.back(), false, {});
      }
  kernel_.statements.push_back(std::move(s));
  Block block;
  block.statement = static_cast<int>(kernel_.statements.size()) - 1;
  return block;
}

} // namespace pbc::kernel
