// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counters of energy: which are added, which wrap, which cannot be read (runtime/program/energy_meter.h).
#include "runtime/matrix/matrix.h"
#include "runtime/program/energy_meter.h"
#include "runtime/program/peak_memory.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

namespace pb::program {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder with the kernel's layout.
class Powercap {
public:
  Powercap() : folder_(fs::path(testing::TempDir()) / ("powercap-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~Powercap() { fs::remove_all(folder_); }

  void zone(const std::string &id, const std::string &name, double microjoules, double range = 1e12) {
    fs::create_directories(folder_ / id);
    std::ofstream(folder_ / id / "name") << name << "\n";
    std::ofstream(folder_ / id / "max_energy_range_uj") << static_cast<long>(range) << "\n";
    set(id, microjoules);
  }
  void set(const std::string &id, double microjoules) {
    std::ofstream(folder_ / id / "energy_uj") << static_cast<long>(microjoules) << "\n";
  }
  void hide(const std::string &id) { fs::remove(folder_ / id / "energy_uj"); }
  EnergySources sources(const std::string &nvml = "") const { return {folder_.string(), nvml}; }

private:
  fs::path folder_;
};

} // namespace

TEST(EnergyMeter, PackagesAndTheirMemoryAreAddedUp) {
  Powercap folder;
  folder.zone("intel-rapl:0", "package-0", 5e6);
  folder.zone("intel-rapl:0:0", "core", 3e6); // in its package's energy already
  folder.zone("intel-rapl:0:1", "dram", 1e6);
  folder.zone("intel-rapl:1", "package-1", 0);
  folder.zone("intel-rapl:2", "psys", 0); // the whole system, where packages are counted already
  EnergyMeter meter(folder.sources());
  EXPECT_THAT(meter.names(), ElementsAre("package-0", "dram", "package-1"));
  EXPECT_EQ(meter.joules(), 0);
  folder.set("intel-rapl:0", 7e6);
  folder.set("intel-rapl:0:0", 9e6);
  folder.set("intel-rapl:0:1", 1.5e6);
  folder.set("intel-rapl:1", 0.25e6);
  folder.set("intel-rapl:2", 100e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 2.75);
  EXPECT_DOUBLE_EQ(meter.joules(), 2.75);
  EXPECT_GT(meter.window(), 0);
  EXPECT_EQ(meter.problem(), "");
}

TEST(EnergyMeter, CountersThatWrapGoOn) {
  Powercap folder;
  folder.zone("intel-rapl:0", "package-0", 9e6, 10e6);
  EnergyMeter meter(folder.sources());
  folder.set("intel-rapl:0", 2e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 3);
  folder.set("intel-rapl:0", 4e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 5);
}

TEST(EnergyMeter, CountersThatAreSetBackGoOnFromThere) {
  Powercap folder;
  folder.zone("intel-rapl:0", "package-0", 3e6, 1e9);
  EnergyMeter meter(folder.sources());
  folder.set("intel-rapl:0", 1e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 0) << "not nearly the whole range";
  folder.set("intel-rapl:0", 2e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 1);
}

TEST(EnergyMeter, ACounterThatIsGoneForAMomentLosesNothing) {
  Powercap folder;
  folder.zone("intel-rapl:0", "package-0", 1e6);
  EnergyMeter meter(folder.sources());
  folder.hide("intel-rapl:0");
  EXPECT_EQ(meter.joules(), 0);
  folder.set("intel-rapl:0", 3e6);
  EXPECT_DOUBLE_EQ(meter.joules(), 2);
}

TEST(EnergyMeter, SaysWhyNothingCanBeRead) {
  Powercap folder;
  const EnergyMeter none(folder.sources());
  EXPECT_TRUE(none.names().empty());
  EXPECT_EQ(none.window(), 0);
  EXPECT_THAT(none.problem(), HasSubstr("has no counter of energy"));
  folder.zone("intel-rapl:0", "package-0", 0);
  folder.hide("intel-rapl:0");
  const EnergyMeter hidden(folder.sources());
  EXPECT_TRUE(hidden.names().empty());
  EXPECT_THAT(hidden.problem(), HasSubstr("intel-rapl:0/energy_uj cannot be read"));
  EXPECT_THAT(hidden.problem(), HasSubstr("help: "));
}

// fake_nvml.cpp has two devices: one is too old to count; the other's counter grows by 250 mJ each time it is
// read.
TEST(EnergyMeter, DevicesCountToo) {
  EnergyMeter meter({"/nowhere", FAKE_NVML});
  EXPECT_THAT(meter.names(), ElementsAre("NVIDIA Fake"));
  const double first = meter.joules();
  EXPECT_DOUBLE_EQ(meter.joules() - first, 0.25);
  EXPECT_GE(meter.window(), 0.5); // their counters move seldom
}

#if defined(__SANITIZE_THREAD__)
#define PB_NO_PEAK() GTEST_SKIP() << "ThreadSanitizer takes several times the memory"
#else
#define PB_NO_PEAK()
#endif

TEST(PeakMemory, WhatIsHadAtOnceCountsAndWhatRestsDoesNot) {
  PB_NO_PEAK();
  ASSERT_TRUE(knowsPeakMemory());
  constexpr long kSide = 1024; // 8 MB
  const auto use = [](int matrices) {
    for (int i = 0; i < matrices; ++i) {
      const matrix::Matrix m = matrix::Matrix::allocate(ElementKind::F64, {kSide, kSide});
      std::memset(m.data(), 1, static_cast<size_t>(m.bytes()));
    }
  };
  use(1); // now a block rests in the pool
  const PeakMemory one(1);
  use(3);
  EXPECT_GE(one.bytes(), 8 << 20);
#ifndef __SANITIZE_ADDRESS__ // which keeps what was freed
  EXPECT_LT(one.bytes(), 12 << 20);
#endif
  const PeakMemory nothing(1);
  const PeakMemory little(1); // less than the system can tell: exact all the same
  {
    const matrix::Matrix m = matrix::Matrix::allocate(ElementKind::F64, {100, 10});
  }
  {
    const matrix::Matrix m = matrix::Matrix::allocate(ElementKind::F64, {100, 20});
  }
  EXPECT_EQ(little.bytes(), 16000);
}

// Blocks that a thread has freed stay in its part of malloc's memory, and the next thread gets them.
TEST(PeakMemory, WhatEndedThreadsLeaveIsTakenAnew) {
  PB_NO_PEAK();
  for (int run = 0; run < 3; ++run) {
    const PeakMemory peak(2);
    std::thread([] {
      for (int i = 0; i < 4; ++i)
        const std::vector<char> block(10 << 20, 1);
    }).join();
    EXPECT_GT(peak.bytes(), 19 << 19) << run; // the system counts pages in batches
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LT(peak.bytes(), 12 << 20) << run;
#endif
  }
}

} // namespace pb::program
