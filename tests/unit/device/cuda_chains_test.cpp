// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chains of launches as graphs of the driver.
#include "cuda_fixture.h"

#include <deque>
#include <gmock/gmock.h>

namespace pb::device::test {
namespace {

TEST_F(CudaDevices, ChainsAreGraphs) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  const auto chain = [&](Buffer &buffer, double by) {
    std::vector<ChainLaunch> all;
    for (int k = 0; k < 64; ++k)
      all.push_back(
          {{Argument::writes(buffer), Argument::of(0L),
            Argument::of(__builtin_bit_cast(long, k == 7 ? by : 1.0)), Argument::of(0L), Argument::of(64L)},
           gridOf(64, 64)});
    return all;
  };
  const auto contents = [&](Buffer &buffer) { return contentsOf<float>(*device, buffer, 64); };
  const int edges = of<int()>("pb_test_edges")();
  const int launches = of<int()>("pb_test_launches")(), events = of<int()>("pb_test_live_events")();
  {
    auto buffer = bufferOf(*device, std::vector<float>(64, 1));
    for (int k = 0; k < 10; ++k)
      ASSERT_TRUE(device->launchChain(*kernel, chain(*buffer, 2)));
    EXPECT_THAT(contents(*buffer), testing::Each(1024.0f));
    EXPECT_EQ(of<int()>("pb_test_graphs")(), 1);
    EXPECT_EQ(of<int()>("pb_test_edges")() - edges, 63) << "each waits for the one before it";
    auto some = chain(*buffer, 2); // 0; 1 and 2; 3, 4 and 5; and so on up to 63 in a chain
    for (const int k : {2, 4, 5})
      some[static_cast<std::size_t>(k)].waits = false;
    ASSERT_TRUE(device->launchChain(*kernel, some));
    EXPECT_EQ(of<int()>("pb_test_edges")() - edges, 63 + 2 + 3 * 2 + 3 + 57);
    EXPECT_EQ(of<int()>("pb_test_graphs")(), 2) << "it is another chain";
  }
  // A buffer at the same address: the graph holds addresses.
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  ASSERT_TRUE(device->launchChain(*kernel, chain(*buffer, 2)));
  EXPECT_THAT(contents(*buffer), testing::Each(2.0f));
  EXPECT_EQ(of<int()>("pb_test_graphs")(), 2);
  // Graphs that give way to others may still be running.
  std::deque<EventRef> running;
  for (int k = 0; k < 200; ++k) {
    running.push_back(device->launchChain(*kernel, chain(*buffer, k % 2 ? k : 1.0 / (k + 1))));
    ASSERT_TRUE(running.back());
    if (running.size() == 80) { // more than are kept
      finish(*device, running.front());
      running.pop_front();
    }
  }
  EXPECT_THAT(contents(*buffer), testing::Each(testing::FloatNear(2, 1e-3)));
  EXPECT_EQ(of<int()>("pb_test_launches")(), launches); // none one by one
  EXPECT_LE(of<int()>("pb_test_live_graphs")(), 64 + 80);
  EXPECT_LE(of<int()>("pb_test_live_events")() - events, 300);
  device = nullptr;
  EXPECT_EQ(of<int()>("pb_test_live_graphs")(), 0);
}

TEST_F(CudaDevices, AGraphThatTheDriverRefusesIsNotALostDevice) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const ChainLaunch one{{Argument::writes(*buffer), Argument::of(0L),
                         Argument::of(__builtin_bit_cast(long, 2.0)), Argument::of(0L), Argument::of(64L)},
                        gridOf(64, 64)};
  for (const auto &[status, failure] :
       {std::pair(801, Failure::Chain), {2, Failure::Chain}, {719, Failure::Lost}}) {
    of<void(int)>("pb_test_fail_graphs")(status); // not supported; no memory; lost
    try {
      device->launchChain(*kernel, std::vector(64, one));
      FAIL() << "it was made";
    } catch (const DeviceError &error) {
      EXPECT_EQ(error.failure(), failure) << error.what();
    }
  }
  of<void(int)>("pb_test_fail_graphs")(0);
  EXPECT_THAT(contentsOf<float>(*device, *buffer, 64), testing::Each(1.0f));
  // A launch that comes in parts, or has no groups, is in no graph.
  EXPECT_FALSE(
      device->launchChain(*kernel, std::vector(64, ChainLaunch{one.arguments, {{64, 6, 1}, {64, 1, 1}}})));
  EXPECT_FALSE(
      device->launchChain(*kernel, std::vector(64, ChainLaunch{one.arguments, {{0, 1, 1}, {64, 1, 1}}})));
}

/// What freed buffers leave in the pool does not stand in the way of the driver's own needs.
TEST_F(CudaDevices, ThePoolGivesWayToAGraph) {
  NEEDS_NVRTC();
  const auto kernel = device->build({kScale, "scale", {64, 1, 1}});
  auto buffer = bufferOf(*device, std::vector<float>(64, 1));
  const ChainLaunch one{{Argument::writes(*buffer), Argument::of(0L),
                         Argument::of(__builtin_bit_cast(long, 1.5)), Argument::of(0L), Argument::of(64L)},
                        gridOf(64, 64)};
  device->allocate(48UL << 20); // freed at once
  EXPECT_GE(device->keptBytes(), 48UL << 20);
  of<void(int)>("pb_test_graph_memory")(32 << 20); // of 64
  EXPECT_TRUE(device->launchChain(*kernel, std::vector(64, one)));
  EXPECT_EQ(device->keptBytes(), 0u);
  const auto large = device->allocate(48UL << 20);
  std::vector<ChainLaunch> other(65, one);
  EXPECT_THROW(device->launchChain(*kernel, other), DeviceError); // this memory is in use
  of<void(int)>("pb_test_graph_memory")(0);
}

} // namespace
} // namespace pb::device::test
