// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/free_values.h"
#include "compiler/body/value.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <isl/map.h>
#include <isl/set.h>
#include <optional>

namespace pbc::loop {
namespace {

using kernel::Scalar;
using Kind = kernel::Expr::Kind;

constexpr int kOfCoordinates = 30; // bits of sizes and coordinates: memory is full before they have more

/// Of the magnitude of values of a type.
int bitsOf(Scalar s) {
  switch (s) {
  case Scalar::Bool:
    return 1;
  case Scalar::U8:
    return 8;
  case Scalar::I32:
    return 31;
  case Scalar::I64:
    return 63;
  case Scalar::F32:
  case Scalar::F64:
    return 0;
  }
  return 0;
}

class FreeValues {
public:
  FreeValues(const kernel::Kernel &kernel, const kernel::Statement &statement, int mostNodes)
      : kernel_(kernel), statement_(statement), nodesLeft_(mostNodes) {}

  /// How many bits the magnitude of a whole number has at most; 0 of others. Nothing if the value is not free.
  std::optional<int> bits(const kernel::Expr &e) {
    if (--nodesLeft_ < 0)
      return std::nullopt;
    switch (e.kind) {
    case Kind::Literal:
      return body::isInteger(e.type) ? static_cast<int>(std::bit_width(static_cast<unsigned long>(
                                           std::llabs(std::strtoll(e.text.c_str(), nullptr, 0)))))
                                     : 0;
    case Kind::Dimension:
    case Kind::Name:
      return body::isInteger(e.type) ? kOfCoordinates : 0;
    case Kind::Read:
      return exists(e) ? std::optional(bitsOf(e.type)) : std::nullopt;
    case Kind::Call:
      return std::nullopt;
    case Kind::Cast:
      return ofCast(e);
    case Kind::Unary: // the least number has no opposite
      return e.text == "-" ? atMost(e, plusOne(bits(*e.operands[0]))) : bits(*e.operands[0]);
    case Kind::Select:
      return bits(*e.operands[0]) ? largest(bits(*e.operands[1]), bits(*e.operands[2])) : std::nullopt;
    case Kind::Binary:
      return ofBinary(e, bits(*e.operands[0]), bits(*e.operands[1]));
    }
    return std::nullopt;
  }

private:
  bool exists(const kernel::Expr &read) const {
    const kernel::Access &a = statement_.accesses[static_cast<std::size_t>(read.index)];
    return !kernel::isMatrix(kernel_.buffers[static_cast<std::size_t>(a.buffer)]) ||
           statement_.domain.is_subset(a.relation.domain());
  }

  static std::optional<int> largest(std::optional<int> a, std::optional<int> b) {
    return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
  }

  static std::optional<int> plusOne(std::optional<int> bits) {
    return bits ? std::optional(*bits + 1) : std::nullopt;
  }

  /// A result of the expression's type that may have so many bits.
  static std::optional<int> atMost(const kernel::Expr &e, std::optional<int> bits) {
    return bits && (!body::isInteger(e.type) || *bits <= bitsOf(e.type)) ? bits : std::nullopt;
  }

  /// A fraction may be too large for a whole number.
  std::optional<int> ofCast(const kernel::Expr &e) {
    const kernel::Expr &from = *e.operands[0];
    const std::optional<int> own = bits(from);
    if (!own || !body::isInteger(e.type))
      return own ? std::optional(0) : std::nullopt;
    if (e.type == Scalar::Bool)
      return 1;
    return body::isInteger(from.type) ? std::optional(std::min(*own, bitsOf(e.type))) : std::nullopt;
  }

  static std::optional<int> ofBinary(const kernel::Expr &e, std::optional<int> a, std::optional<int> b) {
    if (!a || !b)
      return std::nullopt;
    if (e.type == Scalar::Bool)
      return 1;
    if (!body::isInteger(e.type))
      return 0;
    if (e.text == "+" || e.text == "-")
      return atMost(e, plusOne(std::max(a, b)));
    if (e.text == "*")
      return atMost(e, *a + *b);
    if (e.text == "&" || e.text == "|" || e.text == "^")
      return std::max(*a, *b);
    return std::nullopt; // a divisor may be 0, a shift too far
  }

  const kernel::Kernel &kernel_;
  const kernel::Statement &statement_;
  int nodesLeft_;
};

} // namespace

bool isFreeToCompute(const kernel::Kernel &kernel, const kernel::Statement &statement, const kernel::Expr &e,
                     int mostNodes) {
  return FreeValues(kernel, statement, mostNodes).bits(e).has_value();
}

} // namespace pbc::loop
