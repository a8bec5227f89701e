// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/transform/interpret.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <bit>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <stdexcept>

namespace pbc::kernel {
namespace {

using body::Scalar;

struct Instance {
  int statement;
  std::vector<long> at;
};

/// A point of this space, with these values of its parameters.
isl_point *pointOf(isl_space *space, const Parameters &parameters, const std::vector<long> &at) {
  isl_ctx *ctx = isl_space_get_ctx(space);
  const int count = static_cast<int>(isl_space_dim(space, isl_dim_param));
  std::vector<long> values;
  for (int k = 0; k < count; ++k)
    values.push_back(parameters.at(isl_space_get_dim_name(space, isl_dim_param, static_cast<unsigned>(k))));
  isl_point *point = isl_point_zero(space);
  for (int k = 0; k < count; ++k)
    point = isl_point_set_coordinate_val(point, isl_dim_param, k,
                                         isl_val_int_from_si(ctx, values[static_cast<std::size_t>(k)]));
  for (std::size_t k = 0; k < at.size(); ++k)
    point = isl_point_set_coordinate_val(point, isl_dim_set, static_cast<int>(k),
                                         isl_val_int_from_si(ctx, at[k]));
  return point;
}

/// By isl, rounded down: slow, but nothing else has to be trusted.
long valueAt(const isl::pw_aff &f, const Parameters &parameters, const std::vector<long> &at) {
  isl_space *space = isl_pw_aff_get_domain_space(f.get());
  isl_val *value = isl_val_floor(isl_pw_aff_eval(f.copy(), pointOf(space, parameters, at)));
  const bool isNumber = isl_val_is_int(value) == isl_bool_true;
  const long number = isNumber ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  if (!isNumber)
    throw std::runtime_error("a function has no value at a point");
  return number;
}

/// A number of one of the element types.
struct Number {
  Scalar type;
  double real = 0;
  long integer = 0;
};

bool isReal(Scalar type) { return type == Scalar::F64 || type == Scalar::F32; }

Number converted(const Number &from, Scalar type) {
  Number to{type};
  const double real = isReal(from.type) ? from.real : static_cast<double>(from.integer);
  const long integer = isReal(from.type) ? static_cast<long>(from.real) : from.integer;
  if (isReal(type))
    to.real = type == Scalar::F32 ? static_cast<float>(real) : real;
  else if (type == Scalar::Bool)
    to.integer = isReal(from.type) ? from.real != 0 : from.integer != 0;
  else
    to.integer = type == Scalar::I64   ? integer
                 : type == Scalar::I32 ? static_cast<int>(integer)
                                       : static_cast<unsigned char>(integer);
  return to;
}

Number ofLong(long value, Scalar type) { return converted({Scalar::I64, 0, value}, type); }
Number ofDouble(double value, Scalar type) { return converted({Scalar::F64, value, 0}, type); }
bool isTrue(const Number &n) { return isReal(n.type) ? n.real != 0 : n.integer != 0; }

Number binary(const std::string &op, const Number &a, const Number &b, Scalar type) {
  const auto truth = [&](bool value) { return ofLong(value, type); };
  const bool real = isReal(a.type);
  if (op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=") {
    const bool less = real ? a.real < b.real : a.integer < b.integer;
    const bool same = real ? a.real == b.real : a.integer == b.integer;
    return truth(op == "<"    ? less
                 : op == "<=" ? less || same
                 : op == ">"  ? !less && !same
                 : op == ">=" ? !less
                              : (op == "==") == same);
  }
  if (real)
    return ofDouble(op == "+"   ? a.real + b.real
                    : op == "-" ? a.real - b.real
                    : op == "*" ? a.real * b.real
                                : a.real / b.real,
                    type);
  if ((op == "/" || op == "%") && b.integer == 0)
    throw std::runtime_error("a division by zero");
  return ofLong(op == "+"   ? a.integer + b.integer
                : op == "-" ? a.integer - b.integer
                : op == "*" ? a.integer * b.integer
                : op == "/" ? a.integer / b.integer
                : op == "%" ? a.integer % b.integer
                            : throw std::runtime_error("operator " + op),
                type);
}

class Interpreter {
public:
  Interpreter(const Scheduled &kernel, const Parameters &parameters)
      : kernel_(kernel), parameters_(parameters), memory_(kernel) {
    for (const Statement &s : kernel.statements) {
      if (s.isOpaque)
        throw std::runtime_error(s.name + " calls a body");
      auto &indices = indices_.emplace_back();
      for (const Access &a : s.accesses) {
        const isl::pw_multi_aff functions = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
        auto &own = indices.emplace_back();
        for (int d = 0; d < kernel.buffers[static_cast<std::size_t>(a.buffer)].rank; ++d)
          own.push_back(isl::manage(isl_pw_multi_aff_get_pw_aff(functions.get(), d)));
      }
    }
  }

  Memory run() {
    std::vector<Instance> all;
    for (std::size_t k = 0; k < kernel_.statements.size(); ++k)
      addInstances(static_cast<int>(k), all);
    walk(isl::manage(isl_schedule_get_root(kernel_.schedule.tree.get())), all);
    return std::move(memory_);
  }

private:
  void addInstances(int statement, std::vector<Instance> &all) const {
    const isl::set &domain = kernel_.statements[static_cast<std::size_t>(statement)].domain;
    isl_space *space = isl_space_params(isl_set_get_space(domain.get()));
    const isl::set here = isl::manage(
        isl_set_intersect_params(domain.copy(), isl_set_from_point(pointOf(space, parameters_, {}))));
    struct State {
      int statement, dims;
      std::vector<Instance> &all;
    } state{statement, static_cast<int>(isl_set_dim(domain.get(), isl_dim_set)), all};
    isl_set_foreach_point(
        here.get(),
        [](isl_point *point, void *user) {
          State &s = *static_cast<State *>(user);
          Instance one{s.statement, {}};
          for (int d = 0; d < s.dims; ++d) {
            isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, d);
            one.at.push_back(isl_val_get_num_si(v));
            isl_val_free(v);
          }
          isl_point_free(point);
          s.all.push_back(std::move(one));
          return isl_stat_ok;
        },
        &state);
  }

  void walk(const isl::schedule_node &node, const std::vector<Instance> &here) {
    if (here.empty())
      return;
    switch (isl_schedule_node_get_type(node.get())) {
    case isl_schedule_node_leaf:
      for (const Instance &one : here)
        execute(one);
      return;
    case isl_schedule_node_band:
      return band(node, here);
    case isl_schedule_node_sequence:
    case isl_schedule_node_set:
      for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
        part(node.child(k), here);
      return;
    case isl_schedule_node_domain:
    case isl_schedule_node_mark:
      return walk(node.child(0), here);
    default:
      throw std::runtime_error("a node of the tree that the interpreter does not know");
    }
  }

  void band(const isl::schedule_node &node, const std::vector<Instance> &here) {
    std::map<std::vector<long>, std::vector<Instance>> byTime;
    std::vector<std::vector<std::optional<isl::pw_aff>>> functions; // by statement, by member
    for (const Statement &s : kernel_.statements) {
      auto &own = functions.emplace_back();
      for (int k = 0; k < members(node); ++k)
        own.push_back(member(node, k, s.name));
    }
    for (const Instance &one : here) {
      std::vector<long> time;
      for (const auto &f : functions[static_cast<std::size_t>(one.statement)])
        time.push_back(valueAt(*f, parameters_, one.at));
      byTime[time].push_back(one);
    }
    for (const auto &[time, instances] : byTime)
      walk(node.child(0), instances);
  }

  void part(const isl::schedule_node &filter, const std::vector<Instance> &here) {
    const isl::union_set wanted = isl::manage(isl_schedule_node_filter_get_filter(filter.get()));
    std::vector<Instance> own;
    for (const Instance &one : here) {
      const isl::set &domain = kernel_.statements[static_cast<std::size_t>(one.statement)].domain;
      const isl::set mine =
          isl::manage(isl_union_set_extract_set(wanted.get(), isl_set_get_space(domain.get())));
      isl_set *point = isl_set_from_point(pointOf(isl_set_get_space(mine.get()), parameters_, one.at));
      if (!mine.intersect(isl::manage(point)).is_empty())
        own.push_back(one);
    }
    walk(filter.child(0), own);
  }

  double &cell(int statement, int access, const std::vector<long> &at) {
    const Access &a =
        kernel_.statements[static_cast<std::size_t>(statement)].accesses[static_cast<std::size_t>(access)];
    std::vector<long> index;
    for (const isl::pw_aff &f :
         indices_[static_cast<std::size_t>(statement)][static_cast<std::size_t>(access)])
      index.push_back(valueAt(f, parameters_, at));
    return memory_
        .buffers[static_cast<std::size_t>(a.buffer)][static_cast<std::size_t>(Memory::place(index))];
  }

  Number value(const Instance &one, const Expr &e) {
    const auto operand = [&](std::size_t k) { return value(one, *e.operands[k]); };
    switch (e.kind) {
    case Expr::Kind::Literal:
      if (e.text == "true" || e.text == "false")
        return ofLong(e.text == "true", e.type);
      return isReal(e.type) ? ofDouble(std::strtod(e.text.c_str(), nullptr), e.type)
                            : ofLong(std::strtol(e.text.c_str(), nullptr, 0), e.type);
    case Expr::Kind::Dimension:
      return ofLong(one.at[static_cast<std::size_t>(e.index)], e.type);
    case Expr::Kind::Name:
      return ofLong(parameters_.at(e.text), e.type);
    case Expr::Kind::Read:
      return ofDouble(cell(one.statement, e.index, one.at), e.type);
    case Expr::Kind::Unary: {
      const Number v = operand(0);
      if (e.text == "!")
        return ofLong(!isTrue(v), e.type);
      return isReal(v.type) ? ofDouble(-v.real, e.type)
                            : ofLong(e.text == "-" ? -v.integer : ~v.integer, e.type);
    }
    case Expr::Kind::Binary:
      if (e.text == "&&" || e.text == "||")
        return ofLong(isTrue(operand(0)) == (e.text == "&&") ? isTrue(operand(1)) : e.text == "||", e.type);
      return binary(e.text, operand(0), operand(1), e.type);
    case Expr::Kind::Select:
      return isTrue(operand(0)) ? operand(1) : operand(2);
    case Expr::Kind::Cast:
      return converted(operand(0), e.type);
    case Expr::Kind::Call:
      throw std::runtime_error("function " + e.text);
    }
    throw std::runtime_error("an expression");
  }

  void execute(const Instance &one) {
    const Statement &s = kernel_.statements[static_cast<std::size_t>(one.statement)];
    const Number v = value(one, *s.value);
    double &target = cell(one.statement, s.write, one.at);
    const Scalar element =
        kernel_.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(s.write)].buffer)]
            .element;
    Number result = v;
    if (!s.op.empty()) {
      const Scalar wide = isReal(element) ? element : v.type;
      result = binary(s.op, converted(ofDouble(target, element), wide), converted(v, wide), wide);
    }
    const Number stored = converted(result, element);
    target = isReal(element) ? stored.real : static_cast<double>(stored.integer);
  }

  const Scheduled &kernel_;
  const Parameters &parameters_;
  Memory memory_;
  std::vector<std::vector<std::vector<isl::pw_aff>>>
      indices_; // by statement, access, dimension of the buffer
};

} // namespace

bool isResult(const Buffer &b) { return b.role == Buffer::Role::Output && !b.isPrivate; }

long Memory::cellsOf(int rank) {
  long count = 1;
  for (int d = 0; d < rank; ++d)
    count *= kCount;
  return count;
}

long Memory::place(const std::vector<long> &at) {
  long place = 0;
  for (std::size_t d = at.size(); d-- > 0;) {
    if (at[d] < kFirst || at[d] >= kFirst + kCount)
      throw std::runtime_error("a cell outside of the memory");
    place = place * kCount + (at[d] - kFirst);
  }
  return place;
}

double Memory::initial(int buffer, long place) {
  const unsigned long mixed =
      (static_cast<unsigned long>(place) * 2654435761UL + static_cast<unsigned long>(buffer) * 40503UL) >> 7;
  return static_cast<double>(mixed % 7) - 3;
}

Memory::Memory(const Kernel &kernel) {
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    auto &cells = buffers.emplace_back(static_cast<std::size_t>(cellsOf(kernel.buffers[b].rank)));
    for (std::size_t k = 0; k < cells.size(); ++k)
      cells[k] = initial(static_cast<int>(b), static_cast<long>(k));
  }
}

unsigned long Memory::checksum(const Kernel &kernel) const {
  unsigned long sum = 0;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    for (std::size_t k = 0; isResult(kernel.buffers[b]) && k < buffers[b].size(); ++k)
      sum += std::bit_cast<unsigned long>(buffers[b][k] + 0.0) * (2 * k + 1 + b);
  return sum;
}

Memory interpret(const Scheduled &kernel, const Parameters &parameters) {
  return Interpreter(kernel, parameters).run();
}

} // namespace pbc::kernel
