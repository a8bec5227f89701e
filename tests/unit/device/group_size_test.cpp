// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/group_size.h"
#include <gmock/gmock.h>

namespace pb::device::test {
namespace {

struct Groups {
  long asked[3];
  int largest = 1024;
  int group[3] = {};
  std::string why = {};

  Groups(long x, long y, int most = 1024) : asked{x, y, 1}, largest(most) {
    DeviceStep step{};
    step.group = asked;
    Frame frame{};
    Description about;
    about.largestGroup = largest;
    for (int d = 0; d < 3; ++d)
      about.groupExtent[d] = largest;
    groupOf(step, &frame, about, group);
    why = whyTooLarge(step, &frame, group);
  }
};

TEST(GroupSize, OfTheConfiguration) {
  const Groups groups(256, 4);
  EXPECT_THAT(groups.group, testing::ElementsAre(256, 4, 1));
  EXPECT_EQ(groups.why, "") << "1024 items";
}

TEST(GroupSize, MoreThanAnyDeviceHas) {
  const Groups groups(1024, 1024);
  EXPECT_THAT(groups.group, testing::ElementsAre(1024, 1, 1));
  EXPECT_EQ(
      groups.why,
      "the configuration asks for groups of 1024 x 1024 x 1 work-items, of which a group can have 1024; "
      "they have 1024 x 1 x 1");
  EXPECT_THAT(Groups(64, 32).group, testing::ElementsAre(64, 16, 1));
  EXPECT_NE(Groups(64, 32).why, "");
}

/// The configuration may be meant for other devices.
TEST(GroupSize, MoreThanThisDeviceHas) {
  const Groups groups(256, 4, 128);
  EXPECT_THAT(groups.group, testing::ElementsAre(128, 1, 1));
  EXPECT_EQ(groups.why, "");
}

} // namespace
} // namespace pb::device::test
