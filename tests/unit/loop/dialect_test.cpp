// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One tree in several languages: what differs is in the dialect alone.
#include "compiler/emit/dialect/c_printer.h"
#include "compiler/emit/dialect/cxx.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/dialect/metal.h"
#include "compiler/loop/verify.h"
#include <gtest/gtest.h>

namespace pbc::emit {
namespace {

using namespace loop;

const std::vector<Matrix> kMatrices = {{"A", Scalar::F64, 1, true}, {"B", Scalar::F64, 1}};
Expr value(const std::string &name) { return make(Expression{Name{Name::Kind::Value, name}}); }
Expr cell(int buffer, Expr at) { return make(Expression{Element{buffer, {std::move(at)}}}); }
Expr scalar(const std::string &name, std::vector<Expr> indices = {}) {
  return make(Expression{Local{name, Scalar::F64, std::move(indices)}});
}
NodePtr assign(Expr to, Expr from, std::optional<Operation::Op> op = {}) {
  return make(Node{Assign{std::move(to), op, std::move(from)}});
}

/// The items of a group copy cells to the memory that they share, and each writes the root of the sum of eight.
NodePtr sumOfEight() {
  const Expr item = index("item"), k = index("k");
  const Expr sum = make(Expression{Function{"sqrt", Scalar::F64, {scalar("s")}}});
  const NodePtr copy =
      assign(scalar("tile", {item}), cell(0, arithmetic(Arithmetic::Op::FloorDivide, {item, integer(2)})));
  const NodePtr steps = make(
      Node{For{"k",
               integer(0),
               less(k, integer(8)),
               integer(1),
               assign(scalar("s"), scalar("tile", {minimum(add(item, k), integer(63))}), Operation::Op::Add),
               {},
               {.unrolling = Hint::Unrolling::Fully}}});
  const NodePtr body = block({copy, make(Node{Barrier{}}), make(Node{Array{"s", Scalar::F64, {}}}),
                              assign(scalar("s"), make(Expression{Literal{"0.5", Scalar::F64}})), steps,
                              assign(cell(1, item), sum)});
  return block({make(Node{Comment{"sums of eight neighbours"}}),
                make(Node{Array{"tile", Scalar::F64, {integer(64)}, false, Array::Space::Group}}),
                make(Node{Parallel{Parallel::Over::Items, 0, "item", integer(0), integer(64), body}})});
}

const Signature kSignature = {"sums",
                              {{"A_p", Scalar::F64, true, true}, {"B_p", Scalar::F64, true}, {"n_v"}}};

std::string printed(const Dialect &dialect, const NodePtr &n) {
  Used used;
  return dialect.signature(kSignature) + " {\n" + CPrinter(kMatrices, dialect, true, used).text(n, "  ") +
         "}\n";
}

TEST(Dialect, Metal) {
  const NodePtr tree = sumOfEight();
  ASSERT_EQ(problem(tree, Stage::Lowered), std::nullopt);
  EXPECT_EQ(
      printed(Metal(), tree),
      R"(kernel void sums(device const float *A_p, device float *B_p, constant long &n_v, uint3 pb_group [[threadgroup_position_in_grid]], uint3 pb_item [[thread_position_in_threadgroup]], uint3 pb_grid [[thread_position_in_grid]], uint pb_slot [[thread_index_in_threadgroup]]) {
  // sums of eight neighbours
  threadgroup float tile_l[64];
  {
    const long item = pb_item[0];
    tile_l[item] = A_p[(pb_floordiv(item, 2))];
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    float s_l;
    s_l = 0.5f;
#pragma unroll
    for (long k = 0; k < 8; k += 1) {
      s_l += tile_l[min(item + k, 63)];
    }
    B_p[item] = metal::sqrt(s_l);
  }
}
)");
}

TEST(Dialect, Devices) {
  EXPECT_EQ(printed(DeviceC(), sumOfEight()),
            R"(PB_KERNEL(sums)(PB_GLOBAL const double *A_p, PB_GLOBAL double *B_p, PB_INDEX n_v) {
  // sums of eight neighbours
  PB_LOCAL_ARRAY(double, tile_l, 64);
  {
    const PB_INDEX item = PB_LOCAL_ID(0);
    tile_l[item] = A_p[(pb_floordiv(item, 2))];
    PB_BARRIER();
    double s_l;
    s_l = 0.5;
#pragma unroll
    for (PB_INDEX k = 0; k < 8; k += 1) {
      s_l += tile_l[pb_minimum(item + k, 63)];
    }
    B_p[item] = sqrt(s_l);
  }
}
)");
}

TEST(Dialect, ProcessorsHaveNoItems) { EXPECT_THROW(printed(Cxx(), sumOfEight()), std::logic_error); }

TEST(Dialect, HintsAreClangsPragmas) {
  const Cxx cxx;
  EXPECT_EQ(cxx.hint({}), "");
  EXPECT_EQ(cxx.hint({.vectors = Hint::Vectors::Always, .interleave = 2}),
            "#pragma clang loop vectorize(assume_safety) interleave_count(2)\n");
  EXPECT_EQ(cxx.hint({.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never}),
            "#pragma clang loop vectorize(disable) unroll(disable)\n");
}

TEST(Dialect, ParenthesesWhereTheLanguageNeedsThem) {
  const Cxx cxx;
  Used used;
  CPrinter printer(kMatrices, cxx, false, used);
  const Expr i = index("c0"), n = value("n"), two = integer(2);
  EXPECT_EQ(printer.text(multiply(two, arithmetic(Arithmetic::Op::Divide, {n, two}))), "2 * (n_v / 2)");
  EXPECT_EQ(printer.text(subtract(i, subtract(n, two))), "c0 - (n_v - 2)");
  EXPECT_EQ(printer.text(add(subtract(i, n), two)), "c0 - n_v + 2");
  const Expr choice = arithmetic(Arithmetic::Op::Choose, {less(i, n), i, n});
  EXPECT_EQ(printer.text(add(choice, integer(1))), "(c0 < n_v ? c0 : n_v) + 1");
  EXPECT_EQ(printer.text(cell(0, add(i, integer(-1)))), "A_p[(c0 + -1) * A_s0]");
  EXPECT_EQ(used.values, (std::set<std::string>{"n"}));
  EXPECT_EQ(used.strides, (std::set<std::pair<int, int>>{{0, 0}}));
}

} // namespace
} // namespace pbc::emit
