// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_in_place.h"
#include "compiler/emit/shared_memory.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

void addInPlace(const emit::Input &in, const sema::Transform &t, std::size_t number, Json &alternative) {
  for (std::size_t m = 0; m < t.matrices.size(); ++m) {
    const std::optional<int> before = t.matrices[m].before;
    if (!before || t.matrices[m].rank() == 0)
      continue;
    Json one = {{"matrix", t.matrices[m].name}};
    if (const auto why = emit::whyCopied(in, t, number, static_cast<int>(m), *before))
      one["copied_because"] = *why;
    alternative["in_place"].push_back(std::move(one));
  }
}

std::string inPlaceText(const Json &alternative) {
  std::string out;
  for (const Json &one : alternative.value("in_place", Json::array()))
    out += fmt::format("    {} is updated in place{}\n", one["matrix"].get<std::string>(),
                       one.contains("copied_because") ? "; its values before the call are copied first: " +
                                                            one["copied_because"].get<std::string>()
                                                      : "");
  return out;
}

} // namespace pbc::driver
