// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes and compares Values.
//
//   binary("+", Scalar::I32, name("n"), integer(1))   =>   n + 1
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

ValuePtr makeValue(Value::Kind, Scalar, std::string text, std::vector<ValuePtr> operands, Span = {},
                   int index = -1);
ValuePtr integer(long, Scalar = Scalar::I32);
/// An arithmetic operation or comparison; marks integer results that cannot be negative.
ValuePtr binary(const std::string &op, Scalar, ValuePtr, ValuePtr, Span = {});
/// The value itself if it already has the type.
ValuePtr convert(ValuePtr, Scalar);
bool same(const Value &, const Value &);
/// The integer that the value certainly is, if it is one.
std::optional<long> constantOf(const Value &, const Facts &);
bool isInteger(Scalar);
/// The literal 0 of the type.
const char *zero(Scalar);
const char *one(Scalar);

} // namespace pbc::body
