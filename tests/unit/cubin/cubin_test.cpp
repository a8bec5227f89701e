// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Machine code: single instructions as ptxas 13.0 has made them, files that are whole, cut off or something else, and what NVRTC
// makes where it is installed.
#include "compiler/cubin/summary.h"
#include "runtime/device/cuda/cuda_api.h"
#include "tests/unit/cubin/elf.h"
#include <gmock/gmock.h>

namespace pbc::cubin {
namespace {

using testing::Contains;
using testing::Pair;

constexpr Word kMultiplyAdd{0x0000001a101a7223, 0x010fc80000000011},
    kDouble{0x000000161418722b, 0x0040e40000000018}, kLoad16{0x0000001008087981, 0x000ea2000c1e9d00},
    kStore4{0x000000070e007986, 0x000fe8000c101910}, kCopy8{0x0000000036087fae, 0x000fe6000b921a4a},
    kGroupLoad8{0x0000000e09107984, 0x000f220008000a00}, kGroupStore4{0x0000001b0a007388, 0x0041e20000000800},
    kStackLoad8{0x0000000014147983, 0x000ea20000100a00}, kBarrier{0x0000000000007b1d, 0x000fec0000010000},
    kExit{0x000000000000794d, 0x000fea0003800000}, kToItself{0xfffffffc00fc7947, 0x000fc0000383ffff},
    kPadding{0x0000000000007918, 0x000fc00000000000};

TEST(Instruction, KindsAndWidths) {
  const auto decoded = [](const Word &w) { return decode(w, 0, 90); };
  EXPECT_EQ(decoded(kMultiplyAdd).kind, Kind::MultiplyAdd);
  EXPECT_EQ(decoded(kDouble).kind, Kind::MultiplyAdd);
  EXPECT_EQ(decoded(kLoad16).kind, Kind::GlobalLoad);
  EXPECT_EQ(decoded(kLoad16).bytes, 16);
  EXPECT_EQ(decoded(kStore4).kind, Kind::GlobalStore);
  EXPECT_EQ(decoded(kStore4).bytes, 4);
  EXPECT_EQ(decoded(kCopy8).kind, Kind::GlobalCopy);
  EXPECT_EQ(decoded(kCopy8).bytes, 8);
  EXPECT_EQ(decoded(kGroupLoad8).kind, Kind::SharedLoad);
  EXPECT_EQ(decoded(kGroupLoad8).bytes, 8);
  EXPECT_EQ(decoded(kGroupStore4).kind, Kind::SharedStore);
  EXPECT_EQ(decoded(kStackLoad8).kind, Kind::LocalLoad);
  EXPECT_EQ(decoded(kBarrier).kind, Kind::Barrier);
  EXPECT_EQ(decoded(kExit).kind, Kind::Exit);
  constexpr Word kNeverExecuted{0x00000000fffff984, 0x000fe20000000800}; // @!PT LDS RZ, [RZ]
  EXPECT_EQ(decoded(kNeverExecuted).kind, Kind::Other);
}

/// The distance is written in another way from sm_90 on.
TEST(Instruction, BranchesLeadSomewhere) {
  EXPECT_EQ(decode({0xfffffff800cc2947, 0x000fea000383ffff}, 0x630, 90).target, 0x170);
  EXPECT_EQ(decode({0xfffffb3000002947, 0x000fea000383ffff}, 0x620, 80).target, 0x160);
  EXPECT_EQ(decode({0x00001ba000008947, 0x000fea0003800000}, 0x60, 80).target, 0x1c10);
  EXPECT_EQ(decode(kToItself, 0xe10, 90).target, 0xe10);
}

TEST(Cubin, HasWhatItsSectionsSay) {
  const std::vector<Function> all =
      readCubin(elf({"own", {kMultiplyAdd, kExit, kToItself, kPadding, kPadding}, 40, 16, 4096, 90}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "own");
  EXPECT_EQ(all[0].registers, 40);
  EXPECT_EQ(all[0].localBytes, 16);
  EXPECT_EQ(all[0].groupBytes, 4096);
  EXPECT_EQ(all[0].architecture, 90);
  EXPECT_EQ(all[0].instructions.size(), 2U) << "a branch to itself and padding are behind the end";
}

TEST(Cubin, OtherBytesAreRefused) {
  const std::string whole = elf({"own", {kMultiplyAdd, kExit}, 40, 0, 0, 90});
  EXPECT_NO_THROW(readCubin(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(readCubin(whole.substr(0, size)), Unreadable) << size;
  EXPECT_THROW(readCubin(".version 8.0\n.target sm_90\n" + std::string(100, ' ')), Unreadable);
  for (std::size_t at = 0; at < whole.size(); ++at) { // whatever they are, nothing outside is read
    std::string other = whole;
    other[at] = static_cast<char>(0xff);
    try {
      readCubin(other);
    } catch (const Unreadable &) {
    }
  }
}

/// The inner loop with more multiply-adds counts, and not what is around it.
TEST(Summary, OfTheInnermostLoop) {
  const auto back = [](long instructions) { // a branch from sm_80 code
    const std::uint64_t bytes = static_cast<std::uint64_t>(-16 * instructions);
    return Word{bytes << 32 | 0x947, bytes >> 32 & 0x3ffff};
  };
  const std::vector<Function> all =
      readCubin(elf({"own",
                     {kLoad16, kGroupLoad8, kMultiplyAdd, kMultiplyAdd, kMultiplyAdd, back(5), kMultiplyAdd,
                      back(2), kStore4, back(10), kExit},
                     40,
                     0,
                     0,
                     80}));
  const Summary s = summarise(all.at(0));
  ASSERT_TRUE(s.innermost);
  EXPECT_EQ(s.innermost->instructions, 5);
  EXPECT_EQ(s.innermost->multiplyAdds, 3);
  EXPECT_EQ(s.innermost->groupReads, 1);
  EXPECT_DOUBLE_EQ(s.innermost->multiplyAddShare(), 0.6);
  EXPECT_EQ(s.instructions, 11);
  EXPECT_THAT(s.globalLoads, Contains(Pair(16, 1)));
  EXPECT_THAT(s.globalStores, Contains(Pair(4, 1)));
}

TEST(Summary, OfWhatNvrtcMakes) {
  if (pb::device::nvrtcVersion().empty())
    GTEST_SKIP() << "this machine has no NVRTC";
  for (const char *device : {"sm_80", "sm_90"}) {
    const std::string code = pb::device::compileCuda(R"(
extern "C" __global__ void k(const float *a, const float *b, float4 *c, int n) {
  __shared__ float s[256];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = a[i * 256 + threadIdx.x];
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 64; ++j) sum += s[j] * b[j];
    __syncthreads();
  }
  c[threadIdx.x] = make_float4(sum, 0, 0, 0);
}
)",
                                                     device);
    const Function f = readCubin(code).at(0);
    const Summary s = summarise(f);
    EXPECT_EQ(f.name, "k");
    EXPECT_GT(f.registers, 8) << device;
    EXPECT_EQ(f.localBytes, 0);
    EXPECT_GE(f.groupBytes, 1024);
    EXPECT_THAT(s.globalStores, Contains(Pair(16, 1)));
    ASSERT_TRUE(s.innermost) << device;
    EXPECT_EQ(s.innermost->multiplyAdds, 64) << device;
  }
}

} // namespace
} // namespace pbc::cubin
