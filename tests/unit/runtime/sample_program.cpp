// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/runtime/sample_program.h"
#include "runtime/abi/region.h"
#include "runtime/abi/task.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace sample {
namespace {

using namespace pb;
constexpr int kMax = AnyRegion::kMaxRank;

Selector selector;
long block;
double omega;

// --- AddOne

int depth = 0;

Job addOne(Region<double, 2> b, Region<const double, 2> a, int level) {
  const int use = selector.select(a.width() >> level);
  if (use == 3)
    std::abort();
  if (use == 4)
    for (;;)
      usleep(1000);
  if (use == 5)
    std::exit(7);
  if (use == 6) {
    if (++depth > 100)
      pb_recursion_too_deep("AddOne", a.width());
    co_await addOne(b, a, level + 1);
    co_return;
  }
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x)
      b.cell(x, y) = a.cell(x, y) + (use == 2 && x == 1 && y == 0 ? 3 : 1);
}

bool solveTwo(const int (*e)[kMax], long *sizes, int, Message *) {
  sizes[0] = e[0][0], sizes[1] = e[0][1];
  return true;
}
bool extentsTwo(const long *sizes, int (*e)[kMax], int, Message *why) {
  if (sizes[0] > 100000)
    return pb_explain(why, "w = %ld is too large", sizes[0]);
  for (int m = 0; m < 2; ++m)
    e[m][0] = static_cast<int>(sizes[0]), e[m][1] = static_cast<int>(sizes[1]);
  return true;
}
Job startAddOne(const AnyRegion *r, const long *, int) {
  depth = 0;
  return addOne(Region<double, 2>(r[1]), Region<const double, 2>(r[0]), 0);
}

const MatrixInfo addOneMatrices[] = {{"A", Role::Input, ElementKind::F64, 2, "[w, h]"},
                                     {"B", Role::Output, ElementKind::F64, 2, "[w, h]"}};
const char *const twoSizes[] = {"w", "h"};
const Alternative addOneAlternatives[] = {
    {"rule0", "cell by cell"}, {"ByRows", "row by row"},  {"Wrong", "wrong at [1, 0]"}, {"Crash", "aborts"},
    {"Endless", "sleeps"},     {"Exit", "calls exit(7)"}, {"NoBase", "calls itself"}};
const Site addOneSites[] = {{"AddOne", "how to add", 7, addOneAlternatives, &selector}};
const Tunable addOneTunables[] = {
    {"block", "cells at once", TunableKind::Integer, true, 64, 1, 4096, &block, nullptr},
    {"omega", "relaxation", TunableKind::Float, false, 1.25, 0, 2, nullptr, &omega}};
const Transform addOneTransform = {"AddOne", 2,          addOneMatrices, 2, twoSizes,    0, nullptr,
                                   solveTwo, extentsTwo, startAddOne,    1, addOneSites, 2, addOneTunables,
                                   nullptr};

// --- Take

bool solveTake(const int (*e)[kMax], long *sizes, int, Message *) {
  sizes[1] = e[0][0];
  return true;
}
bool extentsTake(const long *sizes, int (*e)[kMax], int, Message *why) {
  if (sizes[0] < 0)
    return pb_explain(why, "k = %ld is negative", sizes[0]);
  e[0][0] = static_cast<int>(sizes[1]), e[1][0] = static_cast<int>(sizes[0]);
  return true;
}
Job take(Region<int, 1> j, Region<const int, 1> i, long k) {
  for (int x = 0; x < k; ++x)
    j.cell(x) = i.cell(x % i.width());
  co_return;
}
Job startTake(const AnyRegion *r, const long *params, int) {
  return take(Region<int, 1>(r[1]), Region<const int, 1>(r[0]), params[0]);
}
const MatrixInfo takeMatrices[] = {{"I", Role::Input, ElementKind::I32, 1, "[n]"},
                                   {"J", Role::Output, ElementKind::I32, 1, "[k]"}};
const char *const takeSizes[] = {"k", "n"};
const Transform takeTransform = {"Take",    2,         takeMatrices, 2,         takeSizes, 1,
                                 takeSizes, solveTake, extentsTake,  startTake, 0,         nullptr,
                                 0,         nullptr,   nullptr};

// --- Sum

bool solveSum(const int (*e)[kMax], long *sizes, int, Message *why) {
  if (e[0][0] == 13)
    return pb_explain(why, "n must not be %d", 13);
  sizes[0] = e[0][0];
  return true;
}
bool extentsSum(const long *sizes, int (*e)[kMax], int, Message *) {
  e[0][0] = static_cast<int>(sizes[0]);
  return true;
}
Job sum(Region<double, 0> s, Region<const double, 1> a, Region<const double, 0> f) {
  double total = 0;
  for (int i = 0; i < a.width(); ++i)
    total += a.cell(i);
  s.cell() = f.cell() * total;
  co_return;
}
Job startSum(const AnyRegion *r, const long *, int) {
  return sum(Region<double, 0>(r[2]), Region<const double, 1>(r[0]), Region<const double, 0>(r[1]));
}
const MatrixInfo sumMatrices[] = {{"A", Role::Input, ElementKind::F64, 1, "[n]"},
                                  {"F", Role::Input, ElementKind::F64, 0, "[]"},
                                  {"S", Role::Output, ElementKind::F64, 0, "[]"}};
const char *const oneSize[] = {"n"};
const Transform sumTransform = {"Sum",    3, sumMatrices, 1, oneSize, 0,      nullptr, solveSum, extentsSum,
                                startSum, 0, nullptr,     0, nullptr, nullptr};

// --- Ramp, the generator of Shifted

Job ramp(Region<double, 2> r) {
  for (int y = 0; y < r.height(); ++y)
    for (int x = 0; x < r.width(); ++x)
      r.cell(x, y) = 1000 + x + 10 * y;
  co_return;
}
bool solveNone(const int (*)[kMax], long *, int, Message *) { return true; }
bool extentsRamp(const long *sizes, int (*e)[kMax], int, Message *) {
  e[0][0] = static_cast<int>(sizes[0]), e[0][1] = static_cast<int>(sizes[1]);
  return true;
}
Job startRamp(const AnyRegion *r, const long *, int) { return ramp(Region<double, 2>(r[0])); }
const MatrixInfo rampMatrices[] = {{"R", Role::Output, ElementKind::F64, 2, "[w, h]"}};
const Transform rampTransform = {"Ramp",  1,         rampMatrices, 2,         twoSizes, 0,
                                 nullptr, solveNone, extentsRamp,  startRamp, 0,        nullptr,
                                 0,       nullptr,   nullptr};
const Transform shiftedTransform = {"Shifted", 2,        addOneMatrices, 2,           twoSizes, 0,
                                    nullptr,   solveTwo, extentsTwo,     startAddOne, 0,        nullptr,
                                    0,         nullptr,  "Ramp"};

// --- Noisy

Job noisy(Region<double, 1> b, Region<const double, 1> a) {
  std::printf("noise\n");
  if (a.width() == 5)
    pb_fail("five is not allowed");
  for (int i = 0; i < a.width(); ++i)
    b.cell(i) = pb_random01();
  co_return;
}
bool extentsOne(const long *sizes, int (*e)[kMax], int, Message *) {
  e[0][0] = e[1][0] = static_cast<int>(sizes[0]);
  return true;
}
bool solveOne(const int (*e)[kMax], long *sizes, int, Message *) { return sizes[0] = e[0][0], true; }
Job startNoisy(const AnyRegion *r, const long *, int) {
  return noisy(Region<double, 1>(r[1]), Region<const double, 1>(r[0]));
}
const MatrixInfo noisyMatrices[] = {{"A", Role::Input, ElementKind::F64, 1, "[n]"},
                                    {"B", Role::Output, ElementKind::F64, 1, "[n]"}};
const Transform noisyTransform = {"Noisy", 2,        noisyMatrices, 1,          oneSize, 0,
                                  nullptr, solveOne, extentsOne,    startNoisy, 0,       nullptr,
                                  0,       nullptr,  nullptr};

const Transform *const transforms[] = {&addOneTransform, &takeTransform,    &sumTransform,
                                       &rampTransform,   &shiftedTransform, &noisyTransform};
const Program theProgram = {kAbiVersion, "sample", "abc123", "by hand", 6, transforms, 0, nullptr, "native"};

} // namespace

const pb::Program &program() { return theProgram; }
pb::Selector &addOneSelector() { return selector; }
long &addOneBlock() { return block; }
double &addOneOmega() { return omega; }

} // namespace sample
