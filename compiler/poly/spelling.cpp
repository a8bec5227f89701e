// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/spelling.h"
#include "compiler/poly/names.h"
#include <regex>

namespace pbc::poly {

std::string asSpelled(const std::string &text) {
  static const std::regex word(R"(\bpb_u_\w*)");
  std::string out;
  auto from = text.cbegin();
  for (auto it = std::sregex_iterator(text.begin(), text.end(), word); it != std::sregex_iterator(); ++it) {
    out.append(from, (*it)[0].first);
    out += unmangle(it->str());
    from = (*it)[0].second;
  }
  return out.append(from, text.cend());
}

} // namespace pbc::poly
