// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/stencil_of_kernel.h"

#include "compiler/kernel/footprint.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <map>
#include <set>
#include <tuple>

namespace pbc::model {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::Expr;
using kernel::Kernel;
using kernel::Statement;

using Distance = std::vector<long>; // from a cell to one that it needs, by dimension

/// Nothing if the distance is not the same for all cells.
std::optional<Distance> distanceOf(const Access &write, const Access &read) {
  isl_map *cells = isl_map_apply_range(isl_map_reverse(write.relation.copy()), read.relation.copy());
  // For two matrices: deltas require cells of the same space.
  cells = isl_map_reset_tuple_id(isl_map_reset_tuple_id(cells, isl_dim_in), isl_dim_out);
  isl_set *deltas = isl_map_deltas(cells);
  Distance distance;
  const int rank = static_cast<int>(isl_set_dim(deltas, isl_dim_set));
  for (int d = 0; d < rank; ++d) {
    isl_val *least = isl_set_dim_min_val(isl_set_copy(deltas), d),
            *most = isl_set_dim_max_val(isl_set_copy(deltas), d);
    if (isl_val_is_int(least) == isl_bool_true && isl_val_eq(least, most) == isl_bool_true)
      distance.push_back(isl_val_get_num_si(least));
    isl_val_free(least);
    isl_val_free(most);
  }
  isl_set_free(deltas);
  return static_cast<int>(distance.size()) == rank ? std::optional(distance) : std::nullopt;
}

/// "fadd" for an addition of floating-point numbers, "imul" for a product of integers; subtractions count as
/// additions, because hardware executes them in the same way.
std::string operationName(const Expr &e) {
  static const std::map<std::string, std::string> kNames = {
      {"+", "add"}, {"-", "add"}, {"*", "mul"}, {"/", "div"}, {"%", "div"}};
  const bool isFloat = e.type == body::Scalar::F64 || e.type == body::Scalar::F32;
  if (e.kind == Expr::Kind::Call)
    return e.text;
  if (e.kind == Expr::Kind::Select)
    return "select";
  const auto found = kNames.find(e.text);
  return (isFloat ? "f" : "i") + (found == kNames.end() ? std::string("other") : found->second);
}

void count(const Expr &e, std::map<std::string, double> &operations) {
  if (e.kind == Expr::Kind::Unary || e.kind == Expr::Kind::Binary || e.kind == Expr::Kind::Select ||
      e.kind == Expr::Kind::Call)
    ++operations[operationName(e)];
  for (const kernel::ExprPtr &operand : e.operands)
    if (operand)
      count(*operand, operations);
}

/// The dimension along which all distances go back.
std::optional<std::size_t> timeAmong(const std::vector<Distance> &distances) {
  for (std::size_t d = 0; d < distances.front().size(); ++d)
    if (std::ranges::all_of(distances, [&](const Distance &v) { return v[d] < 0; }))
      return d;
  return std::nullopt;
}

long wordsOf(const Buffer &b) { return std::max(1L, static_cast<long>(kernel::bytesOf(b.element)) / 4); }

StencilOutcome no(const std::string &why) { return {std::nullopt, why}; }

/// The result of a statement's reads: distances into the written matrix, into others, and which matrices
/// these are.
struct Reads {
  std::vector<Distance> own, others;
  std::set<int> buffers;
  int count = 0;   // a cell that the body names twice is read once
  std::string why; // some reads are not at a fixed distance
};

Reads readsOf(const Kernel &k, const Statement &s) {
  Reads reads;
  std::set<std::pair<int, Distance>> seen;
  const Access &write = s.accesses[static_cast<std::size_t>(s.write)];
  const Buffer &written = k.buffers[static_cast<std::size_t>(write.buffer)];
  for (const Access &a : s.accesses) {
    const Buffer &b = k.buffers[static_cast<std::size_t>(a.buffer)];
    if (a.isWrite || b.rank == 0)
      continue;
    if (b.role == Buffer::Role::Local) {
      reads.why = fmt::format("it computes with the variable {}", b.name);
      return reads;
    }
    if (b.rank != written.rank) {
      ++reads.count; // coefficients along some dimensions
      continue;
    }
    const std::optional<Distance> distance = distanceOf(write, a);
    if (!distance) {
      reads.why = fmt::format(
          "a cell of {} that it reads is at no fixed distance from the cell that it writes", b.name);
      return reads;
    }
    reads.buffers.insert(a.buffer);
    auto &distances = a.buffer == write.buffer ? reads.own : reads.others;
    reads.count += seen.insert({a.buffer, *distance}).second;
    distances.push_back(*distance);
  }
  return reads;
}

} // namespace

StencilOutcome stencilOfKernel(const Kernel &k) {
  if (k.statements.size() != 1)
    return no("its body is more than one assignment");
  const Statement &s = k.statements.front();
  if (s.isOpaque || s.write < 0 || !s.value)
    return no("its body was not understood as one assignment");
  const Access &write = s.accesses[static_cast<std::size_t>(s.write)];
  const Buffer &written = k.buffers[static_cast<std::size_t>(write.buffer)];
  if (static_cast<int>(s.dimensions.size()) != written.rank || written.rank == 0)
    return no("its points are not the cells of a matrix");
  const Reads reads = readsOf(k, s);
  if (!reads.why.empty())
    return no(reads.why);
  if (reads.own.empty() && reads.others.empty())
    return no("it reads no matrix of as many dimensions as it writes");

  KernelStencil found;
  std::optional<std::size_t> time;
  if (!reads.own.empty() && !(time = timeAmong(reads.own)))
    return no("its cells need others of the same step");
  found.hasTime = time.has_value();
  found.reads = reads.count;
  Stencil &stencil = found.stencil;
  stencil.name = k.name;
  stencil.dimensions = written.rank - (time ? 1 : 0);
  if (stencil.dimensions < 1 || stencil.dimensions > 3)
    return no(fmt::format("it has {} dimensions of space; the model is for 1 to 3", stencil.dimensions));

  long depth = 1; // steps back
  stencil.radius = 0;
  const auto see = [&](const std::vector<Distance> &distances, bool withTime) {
    for (const Distance &v : distances) {
      const long steps = withTime ? -v[*time] : 1;
      depth = std::max(depth, steps);
      for (std::size_t d = 0; d < v.size(); ++d)
        if (!withTime || d != *time)
          stencil.radius = std::max(stencil.radius, (std::labs(v[d]) + steps - 1) / steps);
    }
  };
  see(reads.own, time.has_value());
  if (!time)
    see(reads.others, false);
  if (stencil.radius == 0)
    return no("its cells need no neighbours");
  // The state, and fields of coefficients that every step reads again.
  stencil.words = time ? depth * wordsOf(written) : 0;
  for (const int b : reads.buffers)
    if (!time || b != write.buffer)
      stencil.words += wordsOf(k.buffers[static_cast<std::size_t>(b)]);
  count(*s.value, stencil.operations);
  found.numberWords = static_cast<int>(wordsOf(written));
  return {found, {}};
}

void keepLarger(std::optional<KernelStencil> &kept, const KernelStencil &next) {
  const auto size = [](const KernelStencil &k) {
    return std::tuple(k.stencil.dimensions, k.stencil.radius, k.reads);
  };
  if (!kept || size(next) > size(*kept))
    kept = next;
}

} // namespace pbc::model
