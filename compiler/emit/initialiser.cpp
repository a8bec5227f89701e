// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/initialiser.h"

namespace pbc::emit {

std::string initialiser(std::initializer_list<InitialisedField> fields) {
  std::string out;
  for (const InitialisedField &field : fields)
    if (!field.value.empty())
      out += fmt::format("{}.{} = {}", out.empty() ? "" : ", ", field.name, field.value);
  return "{" + out + "}";
}

std::string tableRow(std::initializer_list<InitialisedField> fields) {
  return "  " + initialiser(fields) + ",\n";
}

} // namespace pbc::emit
