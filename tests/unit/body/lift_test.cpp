#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

TEST(Lift, ReturnOfACell) {
  Understood u(cellProgram("return c * 2;"));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.nodes(), "B = c * double(2)");
}

} // namespace
} // namespace pbc::body
