// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Designated initialisers of the tables that generated programs hold (runtime/abi/program.h, device.h, loops.h).
//
//   initialiser({{"name", quoted("Sort")}, {"rank", 2}, {"calls", ""}})    =>  {.name = "Sort", .rank = 2}
//
// Invariant: fields are given in the order in which the structure declares them, which the C++ compiler checks. A field
// whose text is empty is left out and keeps the structure's default.
#pragma once
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pbc::emit {

/// One field of a structure and the C++ expression for its value.
struct InitialisedField {
  template <class Value>
  InitialisedField(std::string_view fieldName, const Value &fieldValue)
      : name(fieldName), value(fmt::format("{}", fieldValue)) {}
  std::string_view name;
  std::string value;
};

/// "{.name = value, ...}".
std::string initialiser(std::initializer_list<InitialisedField> fields);

/// The initialiser as a row of a table: two spaces before it, a comma and a line end after it.
std::string tableRow(std::initializer_list<InitialisedField> fields);

} // namespace pbc::emit
