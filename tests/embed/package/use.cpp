// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "archived.hpp"
#include <vector>

int main() {
  const pbc::archived::Context c;
  return c.Smooth(std::vector<double>{1, 2, 6})(1) == 3 ? 0 : 1;
}
