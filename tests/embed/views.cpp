// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* library: basics */

// The C++ header: views, results that are allocated, exceptions.
#include "basics.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(condition)                                                                                     \
  ((condition) ? void() : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

template <class Do>
static void fails(int status, const char *part, Do &&what) {
  try {
    what();
  } catch (const pbc::Error &e) {
    CHECK(e.status() == status && std::strstr(e.what(), part));
    return;
  }
  CHECK(!"it fails");
}

int main() {
  pbc::basics::Context c;
  std::vector<double> a{1, 2, 3, 5}, b(4);
  c.Smooth(a, b);
  CHECK(b[1] == 2 && b[3] == 5);
  const std::vector<double> fixed = a;
  const pbc::Array<double, 1> made = c.Smooth(fixed);
  CHECK(made.extent(0) == 4 && made(1) == 2);

  std::vector<double> m{1, 2, 3, 4, 5, 6};
  const pbc::View<double, 2> wide(m.data(), {3, 2});
  pbc::Array<double, 2> square = c.Product(wide, wide.transposed());
  CHECK(square.extent(0) == 2 && square(0, 0) == 14 && square(1, 0) == 32 && square(1, 1) == 77);
  pbc::Array<double, 2> next = c.Product(square, square);
  next = std::move(square);
  CHECK(next(1, 1) == 77);
  const pbc::Array<double, 2> part = c.Product(wide.part(0, 0, 2), wide.part(0, 1, 3));
  CHECK(part(0, 0) == 1 * 2 + 2 * 5);

  double sum = 0;
  c.Sum(a, 2, sum);
  CHECK(sum == 22 && c.Sum(a, 3) == 33);
  const auto [low, high] = c.Halve(m);
  CHECK(low(2) == 3 && high(0) == 4);
  CHECK(c.Count(2, 5)(4) == 8 && c.Power_2(a)(2) == 9);
  const std::vector<std::uint8_t> bytes{1, 2};
  CHECK(std::get<1>(c.Convert(bytes))(0) == 4000000001);
  CHECK(c.Root(std::vector<double>{2}, 4)(0) == 1.5);

  fails(PBC_ERROR_SIZE, "B[n] is [3]", [&] { c.Smooth(a, std::span(b).first(3)); });
  fails(PBC_ERROR_RULE, "unwilling", [&] { c.Fail(a, b); });
  pbc::Options options;
  options.configuration = "missing.cfg";
  fails(PBC_ERROR_CONFIGURATION, "missing.cfg", [&] { pbc::basics::Context refused(options); });

  // On a device: no step is placed there, so that the cells come and go.
  setenv("PB_FAKE_DEVICE", "", 1);
  options.configuration = "";
  options.devices = "fake";
  const pbc::basics::Context onDevice(options);
  const pbc::View<double, 1> there = pbc::View<double, 1>(a).on(PBC_FAKE);
  const pbc::View<const double, 1> inside = there.part(0, 1, 3);
  CHECK(inside.place() == PBC_FAKE && inside.device() == 0);
  onDevice.Smooth(there, pbc::View<double, 1>(b).on(PBC_FAKE));
  CHECK(b[1] == 2 && b[3] == 5);
  fails(PBC_ERROR_RULE, "unwilling", [&] { onDevice.Fail(there, pbc::View<double, 1>(b).on(PBC_FAKE)); });
  onDevice.Smooth(there, b);
  fails(PBC_ERROR_DEVICE, "the array A is on the device fake:0, and this context has no device",
        [&] { c.Smooth(there, b); });

  pbc::basics::Context other = std::move(c);
  CHECK(other.Sum(a, 1) == 11 && other.configuration().find("[Smooth]") != std::string::npos);
}
