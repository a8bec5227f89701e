// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* library: updated */

// What a transform updates in place, in the C++ header: a view, also where other outputs are allocated.
#include "updated.hpp"
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                                                     \
  ((condition) ? void() : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

int main() {
  pbc::updated::Context c;
  std::vector<double> a{1, 2, 3}, b{1, 1, 2};
  c.Scale(2, a);
  CHECK(a[0] == 2 && a[2] == 6);
  c.Shift(a);
  CHECK(a[0] == 4 && a[1] == 6 && a[2] == 6);
  const double sum = c.Add(b, b, a);
  CHECK(a[0] == 5 && a[1] == 7 && a[2] == 10 && sum == 22);
  double same = 0;
  c.Add(b, b, same, a);
  CHECK(same == 28 && a[2] == 14);
  std::int32_t number = 1;
  c.Next(number);
  CHECK(number == 2);
  std::vector<double> m{1, 2, 3, 4};
  c.Double(pbc::View<double, 2>(m.data(), {2, 2}).transposed());
  CHECK(m[1] == 4 && m[3] == 8);
}
