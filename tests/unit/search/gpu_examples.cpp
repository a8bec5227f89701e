// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/search/gpu_examples.h"
#include "tests/unit/search/examples.h"
#include <algorithm>
#include <map>
#include <utility>

namespace pbc::search {
namespace {

/// Strides by the names of dimensions; those that a structure does not have are left out.
std::vector<GpuWork::Stride> strides(const Structure &s,
                                     const std::vector<std::pair<std::string, long>> &named) {
  std::vector<GpuWork::Stride> made;
  for (int object = 0; object < int(s.objects.size()); ++object)
    for (const auto &[name, bytes] : named)
      if (s.isDimension(object) && s.nameOf(object) == name)
        made.push_back({object, bytes});
  return made;
}

int objectOf(const Structure &s, const std::string &name) {
  for (int object = 0; object < int(s.objects.size()); ++object)
    if (s.nameOf(object) == name)
      return object;
  return -1;
}

GpuSpace made(Structure structure, GpuWork work) {
  return {std::make_unique<Space>(std::move(structure)), std::move(work)};
}

} // namespace

GpuSpace gpuSgemm(long n, long inner, long innermost) {
  Structure s = sgemm(n, inner, innermost);
  s.limits.registersInThread = 255;
  s.limits.unrolledInOneOrder = true;
  GpuWork w;
  w.operations.resize(s.instructions.size());
  for (std::size_t i = 0; i < s.instructions.size(); ++i)
    w.operations[i].count[std::size_t(Number::Float)] = s.instructions[i].name == "multiply" ? 1
                                                        : s.instructions[i].name == "scale"  ? 2
                                                                                             : 0;
  const double cells = double(n) * double(n);
  w.arrays = {{"A", cells}, {"B", cells}, {"C", cells, 4, true}};
  const long tile = inner * innermost;
  for (const MemoryAccess &access : s.accesses) {
    const std::string &name = s.nameOf(access.instruction);
    if (name == "load A")
      w.accesses.push_back({0, false,
                            strides(s, {{"m2", 4 * n * tile},
                                        {"mA'", 4 * n * innermost},
                                        {"mA''", 4 * n},
                                        {"k", 4 * inner},
                                        {"kA'", 4}})});
    else if (name == "load B")
      w.accesses.push_back({1, false,
                            strides(s, {{"n2", 4 * tile},
                                        {"nB'", 4 * innermost},
                                        {"nB''", 4},
                                        {"k", 4 * n * inner},
                                        {"kB'", 4 * n}})});
    else
      w.accesses.push_back({2, name == "store C",
                            strides(s, {{"m3", 4 * n * tile},
                                        {"m3'", 4 * n * innermost},
                                        {"m3''", 4 * n},
                                        {"n3", 4 * tile},
                                        {"n3'", 4 * innermost},
                                        {"n3''", 4}})});
  }
  const std::map<std::string, GpuWork::Passing> passed = {
      {"sum", {objectOf(s, "begin"), objectOf(s, "multiply"), true}},
      {"total", {objectOf(s, "multiply"), objectOf(s, "scale")}},
      {"Atmp", {objectOf(s, "load A"), objectOf(s, "multiply")}},
      {"Btmp", {objectOf(s, "load B"), objectOf(s, "multiply")}}};
  for (const Communication &c : s.communications)
    w.passed.push_back(passed.at(c.name));
  w.isProductOfMatrices = true;
  w.points = cells * double(n);
  return made(std::move(s), std::move(w));
}

std::vector<GpuSpace> gpuSgemms(long n) {
  std::vector<GpuSpace> all;
  for (long inner = 1; inner <= 32; inner *= 2)
    for (long innermost = 1; innermost <= 32; innermost *= 2)
      all.push_back(gpuSgemm(n, inner, innermost));
  return all;
}

GpuSpace gpuScaledVector(long outer) {
  ScaledVector example = scaledVector();
  Structure s = example.structure;
  s.sizes[0].values = {outer};
  s.sizes[1].values = {32};
  s.limits = {1024, 3, 3, 512, 48 * 1024, 255};
  GpuWork w;
  w.operations.resize(s.instructions.size());
  w.operations[3].count[std::size_t(Number::Float)] = 1;
  w.arrays = {{"X", double(outer) * 128, 4, true}};
  const auto along = [&](int innermost) {
    return std::vector<GpuWork::Stride>{{example.d0, 512}, {example.d1, 16}, {innermost, 4}};
  };
  w.accesses = {{0, false, along(example.d2)}, {0, true, along(example.d4)}};
  w.passed = {{example.i2, example.i3}, {example.i3, example.i4}};
  return made(std::move(s), std::move(w));
}

GpuSpace gpuMap(long n) {
  Structure s;
  s.name = "map";
  const int outer = s.addSize({"n", {n}, false}), tile = s.addSize({"tile", {2, 4, 8, 16, 32, 64}});
  const int i = s.addDimension({"i", outer, Kind::Block | Kind::For}), j = s.addDimension({"j", tile});
  const int load = s.addInstruction({"load", {i, j}, false, true}), add = s.addInstruction({"add", {i, j}}),
            store = s.addInstruction({"store", {i, j}, true, true});
  s.edges = {{load, add}, {add, store}};
  s.accesses = {{load}, {store, Cache::Second | Cache::None}};
  s.nested = {{i, j}};
  s.limits = {1024, 3, 3, 64, 48 * 1024, 255};
  GpuWork w;
  w.operations.resize(3);
  w.operations[1].count[std::size_t(Number::Float)] = 1;
  w.arrays = {{"A", double(n)}, {"B", double(n), 4, true}};
  const std::vector<GpuWork::Stride> along = {{i, 4, {j}}, {j, 4}};
  w.accesses = {{0, false, along}, {1, true, along}};
  w.loops = {{n, {i, j}}};
  return made(std::move(s), std::move(w));
}

GpuRates toyGpu() {
  GpuRates r;
  r.name = "toy";
  const auto rates = [&](GpuResource resource, double thread, double unit, double device) {
    r.perSecond[std::size_t(resource)] = {thread, unit, device};
  };
  rates(GpuResource::Issue, 1e9, 1.28e11, 5.12e11);
  rates(GpuResource::Float, 1e9, 6.4e10, 2.56e11);
  rates(GpuResource::Double, 1e9, 3.2e10, 1.28e11);
  rates(GpuResource::Words, 1e9, 3.2e10, 1.28e11);
  rates(GpuResource::SecondCache, 0, 6.4e10, 2e11);
  rates(GpuResource::Memory, 0, 0, 1e11);
  r.arithmetic = {8e-9, 1.6e-8};
  r.local = 3e-8;
  r.firstCache = 4e-8;
  r.secondCache = 2e-7;
  r.barrier = 2e-8;
  r.units = 4;
  r.threadsPerUnit = 2048;
  r.groupsPerUnit = 16;
  r.threadsPerGroup = 1024;
  r.localBytesPerUnit = r.localBytesPerGroup = 48 * 1024;
  r.registersPerUnit = 65536;
  r.firstCacheBytes = 16 * 1024;
  r.secondCacheBytes = 512 * 1024;
  return r;
}

} // namespace pbc::search
