// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace pb::device::test {
namespace {

using testing::HasSubstr;

TEST(ListDevices, TheFakeOnesWhereTheyAreAskedFor) {
  const auto fakes = [] {
    std::vector<std::string> ids;
    for (const DeviceName &device : listDevices())
      if (device.about.api == "fake")
        ids.push_back(device.id);
    return ids;
  };
  EXPECT_THAT(fakes(), testing::IsEmpty());
  setenv("PB_FAKE_DEVICE", "devices=2 memory=1M", 1);
  EXPECT_THAT(fakes(), testing::ElementsAre("fake:0", "fake:1"));
}

TEST(OpenDevices, ByNameInTheirOrder) {
  setenv("PB_FAKE_DEVICE", "devices=2 memory=1M fail=memory:1", 1);
  std::vector<std::string> complaints;
  auto devices = openDevices("fake:1, fake", complaints);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]->about().name, "fake device 1");
  EXPECT_EQ(devices[1]->about().name, "fake device 0");
  EXPECT_NO_THROW(devices[0]->allocate(8)); // faults concern the first device
  EXPECT_THROW(devices[1]->allocate(8), DeviceError);
  EXPECT_THAT(complaints, testing::IsEmpty());
}

TEST(OpenDevices, FakeOnesAreNumbered) {
  std::vector<std::string> complaints, names;
  for (const char *options : {"", "devices=2 memory=1M"}) {
    setenv("PB_FAKE_DEVICE", options, 1);
    for (const auto &device : openDevices("fake,fake:1,fake,fake", complaints))
      names.push_back(device->about().name);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("fake device 0", "fake device 1", "fake device 2", // there is no fake:1
                                   "fake device 0", "fake device 1", "fake device 2", "fake device 3"));
  EXPECT_EQ(complaints.size(), 1u);
}

TEST(OpenDevices, AllAreThoseOfTheListEachOnce) { // requirement 101
  setenv("PB_FAKE_DEVICE", "devices=2 memory=1M", 1);
  std::vector<std::string> complaints, names, expected;
  for (const auto &device : openDevices("all", complaints))
    names.push_back(device->about().name);
  const auto listed = listDevices();
  for (const DeviceName &device : listed) // a GPU may be CUDA's and OpenCL's
    if (device.about.api != "opencl" ||
        std::none_of(listed.begin(), listed.end(), [&](const DeviceName &other) {
          return other.about.api == "cuda" && other.about.name == device.about.name;
        }))
      expected.push_back(device.about.name);
  EXPECT_EQ(names, expected);
  EXPECT_THAT(names, testing::IsSupersetOf({"fake device 0", "fake device 1"}));
}

TEST(OpenDevices, NoneAndNothing) { // requirement 25
  std::vector<std::string> complaints;
  EXPECT_TRUE(openDevices("none", complaints).empty());
  EXPECT_TRUE(openDevices("", complaints).empty());
  EXPECT_TRUE(openDevices(" , ", complaints).empty());
  EXPECT_THAT(complaints, testing::IsEmpty());
}

TEST(OpenDevices, UnknownOnesAndWrongOptionsAreSaid) {
  setenv("PB_FAKE_DEVICE", "1", 1);
  std::vector<std::string> complaints;
  EXPECT_EQ(openDevices("tpu:0,fake", complaints).size(), 1u);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_THAT(complaints[0], HasSubstr("there is no device 'tpu:0'; this machine has "));
  EXPECT_THAT(complaints[0], HasSubstr("fake:0"));
  setenv("PB_FAKE_DEVICE", "memory=much", 1);
  complaints.clear();
  EXPECT_TRUE(openDevices("fake", complaints).empty());
  EXPECT_THAT(complaints, testing::Contains(HasSubstr("expected a number")));
}

} // namespace
} // namespace pb::device::test
