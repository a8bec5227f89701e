// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/inputs.h"
#include "runtime/program/unseen_inputs.h"
#include "tests/unit/runtime/sample_program.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace {

using pb::program::Instance;
using pb::program::Origin;
using pb::program::UnseenInputs;

Instance instanceOf(const char *transform, const std::vector<long> &sizes) {
  const pb::Transform &t = pb::program::requireTransform(sample::program(), transform);
  return pb::program::randomInstance(sample::program(), t, sizes, 1, nullptr, 1);
}

template <class T>
std::vector<T> valuesOf(const Instance &instance) {
  const pb::program::Matrix &input = instance.matrices[0];
  return {input.elements<T>(), input.elements<T>() + input.count()};
}

template <class T>
long differences(const std::vector<T> &one, const std::vector<T> &other) {
  long count = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    count += one[i] != other[i];
  return count;
}

} // namespace

TEST(UnseenInputs, EachRunGetsOthersThatAreAlmostTheSame) {
  const Instance instance = instanceOf("AddOne", {64, 50});
  const std::vector<double> before = valuesOf<double>(instance);
  UnseenInputs unseen(instance, 1, Origin::FilesOrGenerator);
  std::set<std::vector<double>> seen{before};
  for (int run = 0; run < 20; ++run) {
    unseen.change();
    const std::vector<double> now = valuesOf<double>(instance);
    EXPECT_TRUE(seen.insert(now).second);
    EXPECT_EQ(differences(now, before), 50); // one of 64
    for (std::size_t i = 0; i < now.size(); ++i)
      EXPECT_NEAR(now[i], before[i], 1e-14);
  }
  unseen.restore();
  EXPECT_EQ(valuesOf<double>(instance), before);
}

TEST(UnseenInputs, RandomIntegersKeepTheirRangeAndOthersTheirValues) {
  const Instance instance = instanceOf("Take", {4, 1000});
  const std::vector<int> before = valuesOf<int>(instance);
  const std::set<int> known(before.begin(), before.end());
  UnseenInputs random(instance, 1, Origin::Random);
  random.change();
  const std::vector<int> now = valuesOf<int>(instance);
  EXPECT_GT(differences(now, before), 5);
  for (const int value : now)
    EXPECT_TRUE(known.contains(value));
  random.restore();
  EXPECT_EQ(valuesOf<int>(instance), before);
  UnseenInputs file(instance, 1, Origin::FilesOrGenerator);
  file.change();
  EXPECT_EQ(valuesOf<int>(instance), before);
}

TEST(UnseenInputs, WholeNumbersZerosAndInfinitiesStay) {
  const Instance instance = instanceOf("AddOne", {8, 8});
  double *elements = instance.matrices[0].elements<double>();
  const double kept[] = {0, 3, -7, INFINITY, NAN, 1e-320, 1e300};
  for (long i = 0; i < instance.matrices[0].count(); ++i)
    elements[i] = kept[i % 7];
  UnseenInputs unseen(instance, 1, Origin::Random);
  for (int run = 0; run < 50; ++run)
    unseen.change();
  for (long i = 0; i < instance.matrices[0].count(); ++i)
    EXPECT_TRUE(elements[i] == kept[i % 7] || std::isnan(kept[i % 7]));
}

TEST(UnseenInputs, WhatARunHasWrittenStays) {
  const Instance instance = instanceOf("AddOne", {8, 8});
  UnseenInputs unseen(instance, 1, Origin::Random);
  unseen.change();
  double *elements = instance.matrices[0].elements<double>();
  std::fill(elements, elements + 64, 5.0);
  unseen.restore();
  EXPECT_EQ(valuesOf<double>(instance), std::vector<double>(64, 5.0));
}

TEST(UnseenInputs, NoElementsAreNoProblem) {
  for (const std::vector<long> &sizes : {std::vector<long>{0, 0}, {1, 0}, {1, 1}}) {
    const Instance instance = instanceOf("AddOne", sizes);
    UnseenInputs unseen(instance, 1, Origin::Random);
    unseen.change();
    unseen.change();
    unseen.restore();
  }
}
