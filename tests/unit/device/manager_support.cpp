// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manager_support.h"

#include "runtime/device/host_access.h"
#include "runtime/task/scheduler.h"
#include <cmath>
#include <cstring>
#include <thread>

namespace pb::device::test {

Matrix2 matrix(int width, int height, double value) {
  Matrix2 m = Matrix2::allocate(width, height);
  for (long k = 0; k < m.count(); ++k)
    m.base()[k] = value;
  return m;
}

AnyRegion anyOf(const Matrix2 &m) {
  AnyRegion a;
  a.base = m.base();
  a.owner = m.owner();
  for (int d = 0; d < 2; ++d)
    a.stride[d] = m.strides()[d], a.extent[d] = m.extents()[d];
  return a;
}

Place all(const Matrix2 &m) { return placeOf(anyOf(m), 2, 8); }

Place part(const Matrix2 &m, long x0, long y0, long x1, long y1) {
  return placeOf(anyOf(m), 2, 8, Cells{{x0, y0}, {x1, y1}});
}

double valueOf(const Matrix2 &m) {
  for (int y = 0; y < m.height(); ++y)
    for (int x = 0; x < m.width(); ++x)
      if (m.cell(x, y) != m.cell(0, 0))
        return std::nan("");
  return m.cell(0, 0);
}

FakeOptions withKernels(const std::string &text) {
  FakeOptions options = parseFakeOptions(text);
  options.kernels["plus"] = [](const HostLaunch &l) {
    double value;
    const long bits = l.value(8);
    std::memcpy(&value, &bits, sizeof value);
    const double *a = l.pointer<double>(0) + l.value(1);
    double *b = l.pointer<double>(4) + l.value(5);
    for (long y = l.value(11); y < l.value(12); ++y)
      for (long x = l.value(9); x < l.value(10); ++x)
        b[x * l.value(6) + y * l.value(7)] = a[x * l.value(2) + y * l.value(3)] + value;
  };
  options.kernels["round"] = [](const HostLaunch &l) {
    double *a = l.pointer<double>(0) + l.value(1);
    for (long x = l.value(6); x < l.value(7); ++x)
      a[x * l.value(2)] = a[x * l.value(2)] * 2 + static_cast<double>(l.value(4));
  };
  return options;
}

Bench::Bench(const std::string &text, int devices, int index, Table *shared, HookedDevice::Hook hook,
             std::chrono::milliseconds limit)
    : own(shared ? nullptr : std::make_unique<Table>(devices)), table(shared ? *shared : *own) {
  auto fake = std::make_unique<FakeDevice>(withKernels(text), index);
  device = fake.get();
  plusKernel = fake->build({"", "plus"});
  otherPlus = fake->build({"", "plus"});
  roundKernel = fake->build({"", "round"});
  std::unique_ptr<Device> given = std::move(fake);
  if (hook)
    given = std::make_unique<HookedDevice>(std::move(given), std::move(hook));
  Options options;
  options.index = index;
  options.trace = &trace;
  options.limit = limit;
  options.commandLimit = 20 * limit;
  manager = std::make_unique<Manager>(std::move(given), table, options);
}

Launch Bench::plus(const Matrix2 &a, const Matrix2 &b, double value, long low, long high) const {
  if (high < 0)
    high = b.height();
  const Cells cells{{0, low}, {b.width(), high}};
  long bits;
  std::memcpy(&bits, &value, sizeof bits);
  Launch l;
  l.name = "plus";
  l.kernel = plusKernel;
  l.matrices = {{all(a), cells, {}, true}, {all(b), {}, cells, false, true, true}};
  l.values = {bits};
  l.box = Box{2, {0, low}, {b.width(), high}};
  return l;
}

Launch Bench::rounds(const Matrix2 &a, long count) const {
  const Cells row{{0, 0}, {a.width(), 1}};
  Launch l;
  l.name = "rounds";
  l.kernel = roundKernel;
  l.matrices = {{all(a), row, row, true, true, true}};
  l.box = Box{2, {0, 0}, {count, a.width()}};
  l.inRounds = true;
  return l;
}

std::vector<std::string> Bench::tasks() const {
  std::vector<std::string> result;
  for (const Trace::Lane &lane : trace.lanes())
    for (const Trace::Event &e : lane.events)
      if (std::strcmp(e.category, "manage") == 0)
        result.emplace_back(e.name);
  return result;
}

Launch copiesOut(Launch l) {
  for (LaunchMatrix &m : l.matrices)
    m.copiesOut = m.writes;
  return l;
}

double read(const Bench &bench, const Matrix2 &m) {
  bench.manager->copyOutNow(all(m));
  return valueOf(m);
}

void write(const Bench &bench, const Matrix2 &m, double value) {
  task::Scheduler one(1);
  one.run(hostAccess(bench.table, {{all(m), false, true, true}}));
  for (long k = 0; k < m.count(); ++k)
    m.base()[k] = value;
}

} // namespace pb::device::test
