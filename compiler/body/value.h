// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Making and comparing Values.
//
//   binary("+", Scalar::I32, name("n"), integer(1))   =>   n + 1
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

ValuePtr makeValue(Value::Kind, Scalar, std::string text, std::vector<ValuePtr> operands, Span = {},
                   int index = -1);
ValuePtr integer(long, Scalar = Scalar::I32);
/// Arithmetic and comparisons of integers; knows when the result is surely not negative.
ValuePtr binary(const std::string &op, Scalar, ValuePtr, ValuePtr, Span = {});
/// The value itself if it has the type already.
ValuePtr convert(ValuePtr, Scalar);
bool same(const Value &, const Value &);
/// True if the value surely is this integer.
std::optional<long> constantOf(const Value &, const Facts &);
bool isInteger(Scalar);
/// The literal.
const char *zero(Scalar);

} // namespace pbc::body
