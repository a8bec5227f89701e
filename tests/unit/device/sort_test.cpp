// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc.sort` on every kind of device and in both forms, against the processor's sort of the same bits.
#include "runtime/device/fake/fake_device.h"
#include "runtime/device/library/radix_sort_kernels.h"
#include "support.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gmock/gmock.h>
#include <limits>
#include <map>
#include <random>

namespace pb::device::test {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
using Signed = std::make_signed_t<Bits<T>>;

/// The order that is documented: of numbers theirs, -0 before 0, NaNs at the end where their sign says.
template <class T>
bool isBefore(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const auto key = [](T v) {
      const auto bits = std::bit_cast<Signed<T>>(v);
      return bits < 0 ? std::numeric_limits<Signed<T>>::min() ^ ~bits : bits;
    };
    return key(a) < key(b);
  }
}

template <class T>
std::vector<Bits<T>> bitsOf(const std::vector<T> &values) {
  std::vector<Bits<T>> bits;
  for (const T v : values)
    bits.push_back(std::bit_cast<Bits<T>>(v));
  return bits;
}

template <class T>
const char *elementName() {
  return std::is_same_v<T, float>    ? "float"
         : std::is_same_v<T, double> ? "double"
         : sizeof(T) == 4            ? "int"
                                     : "long";
}

struct Kind {
  const char *name, *api, *options;
};

class Sort : public testing::TestWithParam<Kind> {
protected:
  void SetUp() override {
    device = GetParam().api == std::string("fake")
                 ? std::make_unique<FakeDevice>(parseFakeOptions(GetParam().options))
                 : openFor(GetParam().api);
    if (!device)
      GTEST_SKIP() << "this machine has no device of " << GetParam().api;
  }
  template <class T>
  Kernel &kernel() {
    std::unique_ptr<Kernel> &known = kernels[elementName<T>()];
    if (!known)
      known = device->build(
          {.text = std::string("pbc.sort ") + elementName<T>(), .entry = "sort", .isLibrary = true});
    return *known;
  }
  /// How many keys a group has at once.
  template <class T>
  long tile() const {
    return sortShape(device->about(), sizeof(T)).tile();
  }
  template <class T>
  std::vector<T> sorted(const std::vector<T> &values) {
    const auto from = bufferOf(*device, values), to = bufferOf(*device, std::vector<T>(values.size()));
    const auto count = static_cast<long>(values.size());
    const auto of = [](long v) { return Argument::of(v); };
    finish(*device, device->launch(kernel<T>(),
                                   {Argument::writes(*to), of(0), of(1), Argument::reads(*from), of(0), of(1),
                                    of(count), of(count)},
                                   {}));
    EXPECT_EQ(bitsOf(contentsOf<T>(*device, *from, values.size())), bitsOf(values)) << "x stays";
    return contentsOf<T>(*device, *to, values.size());
  }
  template <class T>
  void check(std::vector<T> values, const std::string &what) {
    const std::vector<T> got = sorted(values);
    std::sort(values.begin(), values.end(), isBefore<T>);
    ASSERT_EQ(bitsOf(got), bitsOf(values)) << what << ", " << values.size() << " of " << elementName<T>();
  }
  template <class T>
  void checkAll();

  std::unique_ptr<Device> device;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};
INSTANTIATE_TEST_SUITE_P(All, Sort,
                         testing::Values(Kind{"Fake", "fake", ""},
                                         Kind{"FakeLooksBack", "fake", "groups_wait=1"},
                                         Kind{"FakeShares", "fake", "shares=1"}, Kind{"OpenCl", "opencl", ""},
                                         Kind{"Cuda", "cuda", ""}),
                         [](const auto &info) { return info.param.name; });

/// Any bits: of numbers of both signs, denormal ones, infinities and NaNs.
template <class T>
std::vector<T> anyBits(long count, std::mt19937_64 &random) {
  std::vector<T> values;
  for (long k = 0; k < count; ++k)
    values.push_back(std::bit_cast<T>(static_cast<Bits<T>>(random())));
  return values;
}

template <class T>
void Sort::checkAll() {
  std::mt19937_64 random(5);
  const long full = tile<T>();
  for (const long count : {0L, 1L, 2L, 3L, 31L, 257L, full - 1, full, full + 1, 2 * full, 3 * full + 7})
    check(anyBits<T>(count, random), "any bits");
  const long count = 2 * full + full / 3, middle = count / 2;
  std::vector<T> values;
  for (long k = 0; k < count; ++k)
    values.push_back(static_cast<T>(k - middle));
  check(values, "sorted");
  std::reverse(values.begin(), values.end());
  check(values, "in reverse");
  check(std::vector<T>(static_cast<std::size_t>(count), static_cast<T>(-7)), "all equal");
  for (T &v : values)
    v = static_cast<T>(static_cast<int>(random() % 3) - 1);
  check(values, "few values");
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> special = {T(0),
                                    -T(0),
                                    Limits::infinity(),
                                    -Limits::infinity(),
                                    Limits::quiet_NaN(),
                                    -Limits::quiet_NaN(),
                                    Limits::denorm_min(),
                                    -Limits::denorm_min(),
                                    Limits::max(),
                                    Limits::lowest(),
                                    Limits::min(),
                                    T(1)};
    for (T &v : values)
      v = special[random() % special.size()];
    check(values, "special values");
    for (T &v : values)
      v = std::normal_distribution<T>()(random);
    check(values, "numbers as they occur");
  }
}

TEST_P(Sort, OfFloats) { checkAll<float>(); }
TEST_P(Sort, OfDoubles) { checkAll<double>(); }
TEST_P(Sort, OfIntegers) {
  checkAll<std::int32_t>();
  if (device->about().api != "opencl") // where seven kernels take seconds to compile
    checkAll<std::int64_t>();
}

/// Parts of one matrix, at any distances, also backwards; what lies between stays.
TEST_P(Sort, OfViews) {
  std::mt19937_64 random(6);
  const long count = tile<float>() + 11;
  for (const auto &[toFirst, toStep, fromFirst, fromStep] : {std::array<long, 4>{3, 1, count + 5, 1},
                                                             {0, 2, 1, 2},
                                                             {count - 1, -1, count + 2, 1},
                                                             {1, 1, 3 * count, -2}}) {
    const std::vector<float> before = anyBits<float>(3 * count + 1, random);
    const auto all = bufferOf(*device, before);
    const auto of = [](long v) { return Argument::of(v); };
    finish(*device, device->launch(kernel<float>(),
                                   {Argument::writes(*all), of(toFirst), of(toStep), Argument::reads(*all),
                                    of(fromFirst), of(fromStep), of(count), of(count)},
                                   {}));
    std::vector<float> right = before, values;
    for (long k = 0; k < count; ++k)
      values.push_back(before[static_cast<std::size_t>(fromFirst + k * fromStep)]);
    std::sort(values.begin(), values.end(), isBefore<float>);
    for (long k = 0; k < count; ++k)
      right[static_cast<std::size_t>(toFirst + k * toStep)] = values[static_cast<std::size_t>(k)];
    ASSERT_EQ(bitsOf(contentsOf<float>(*device, *all, before.size())), bitsOf(right))
        << toStep << " " << fromStep;
  }
}

} // namespace
} // namespace pb::device::test
