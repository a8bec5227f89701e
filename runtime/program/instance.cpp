// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/instance.h"
#include "runtime/base/errors.h"
#include <algorithm>
#include <memory>

namespace pb::program {
namespace {

/// A table of zeros, one row per matrix, which the functions of a Transform read and write.
auto extentTable(size_t matrices) { return std::make_unique<int[][AnyRegion::kMaxRank]>(matrices + 1); }

std::string listing(const Transform &t, const std::vector<Matrix> &inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i)
    text += "\n  " + print(t.matrices[i]) + " is " + matrix::print(inputs[i].extents());
  return text;
}

} // namespace

std::vector<AnyRegion> Instance::regions() const {
  std::vector<AnyRegion> regions;
  for (const Matrix &m : matrices)
    regions.push_back(m.region());
  return regions;
}

std::vector<Matrix> Instance::outputs() const {
  return {matrices.begin() + inputCount(*transform), matrices.end()};
}

int inputCount(const Transform &t) {
  int n = 0;
  while (n < t.matrixCount && t.matrices[n].role == Role::Input)
    ++n;
  return n;
}

std::string print(const MatrixInfo &m) { return std::string(m.name) + (m.rank ? m.extents : ""); }

std::vector<Extents> extentsFor(const Transform &t, const std::vector<long> &sizes) {
  const auto table = extentTable(static_cast<size_t>(t.matrixCount));
  Message why{};
  if (!t.extents(sizes.data(), table.get(), t.bin, &why)) {
    std::string text = std::string(t.name) + " cannot run with";
    for (int i = 0; i < t.sizeCount; ++i)
      text += std::string(i ? ", " : " ") + t.sizeNames[i] + " = " +
              std::to_string(sizes[static_cast<size_t>(i)]);
    throw base::UserError(text + ": " + why.text);
  }
  std::vector<Extents> all;
  for (int i = 0; i < t.matrixCount; ++i) {
    const int *row = table[static_cast<size_t>(i)];
    all.emplace_back(row, row + t.matrices[i].rank);
  }
  return all;
}

bool isOpenSize(const Transform &t, const std::string &name) {
  for (const char *const *open = t.openSizes; open && *open; ++open)
    if (name == *open)
      return true;
  return false;
}

std::vector<long> solveSizes(const Transform &t, const std::vector<Matrix> &inputs,
                             const std::vector<long> &given) {
  const auto table = extentTable(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    std::copy(inputs[i].extents().begin(), inputs[i].extents().end(), table[i]);
  std::vector<long> sizes = given;
  sizes.resize(static_cast<size_t>(t.sizeCount) + 1, -1); // one to spare, so that data() is never null
  for (int i = t.paramCount; i < t.sizeCount; ++i)
    if (isOpenSize(t, t.sizeNames[i]) && sizes[static_cast<size_t>(i)] < 0)
      throw base::UserError(std::string("no input of ") + t.name + " tells the size " + t.sizeNames[i] +
                            ": add --size " + t.sizeNames[i] + "=N");
  Message why{};
  if (!t.solveSizes(table.get(), sizes.data(), t.bin, &why))
    throw base::UserError(std::string("the inputs of ") + t.name + " do not fit together: " + why.text +
                          listing(t, inputs));
  sizes.pop_back();
  return sizes;
}

Instance instanceFor(const Transform &t, std::vector<Matrix> inputs, const std::vector<long> &given) {
  Instance instance{&t, solveSizes(t, inputs, given), {}};
  const std::vector<Extents> extents = extentsFor(t, instance.sizes);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].extents() != extents[i])
      throw base::UserError("the inputs of " + std::string(t.name) + " do not fit together: expected " +
                            print(t.matrices[i]) + " to be " + matrix::print(extents[i]) +
                            listing(t, inputs));
  const size_t first = inputs.size();
  instance.matrices = std::move(inputs);
  for (size_t i = first; i < extents.size(); ++i)
    instance.matrices.push_back(Matrix::allocate(t.matrices[i].element, extents[i]));
  return instance;
}

long largestExtent(const Instance &instance) {
  long n = 0;
  for (const Matrix &m : instance.matrices)
    for (int e : m.extents())
      n = std::max<long>(n, e);
  return n;
}

} // namespace pb::program
