#include "tests/unit/syntax/front.h"

namespace pbc::syntax {
namespace {

TEST(Placeholder, X) { EXPECT_EQ(1, 1); }

} // namespace
} // namespace pbc::syntax
