// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/machine/resource.h"

namespace pbc::model {
namespace {

struct Row {
  const char *name;
  int bytes;
};

/// In the order of ResourceKind.
constexpr Row kResources[] = {
    {"issue", 0},   {"load", 4},         {"store", 4},    {"add_f32", 4}, {"multiply_f32", 4},
    {"fma_f32", 4}, {"divide_f32", 4},   {"sqrt_f32", 4}, {"add_f64", 8}, {"multiply_f64", 8},
    {"fma_f64", 8}, {"divide_f64", 8},   {"sqrt_f64", 8}, {"add_i32", 4}, {"multiply_i32", 4},
    {"add_i64", 8}, {"multiply_i64", 8}, {"gather", 8},   {"scatter", 8}, {"jump", 0},
};
static_assert(std::size(kResources) == kResourceKinds);

const Row &rowOf(ResourceKind kind) { return kResources[static_cast<std::size_t>(kind)]; }

} // namespace

const char *nameOf(ResourceKind kind) { return rowOf(kind).name; }

int bytesOfNumber(ResourceKind kind) { return rowOf(kind).bytes; }

const std::vector<std::string> &resourceNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row &row : kResources)
      all.emplace_back(row.name);
    return all;
  }();
  return names;
}

} // namespace pbc::model
