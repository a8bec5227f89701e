// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each pass makes of a loop, as text.
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include <gmock/gmock.h>

namespace pbc::loop {
namespace {

namespace as = kernel::as;

Expr cell(int buffer, std::vector<Expr> indices) {
  return make(Expression{Element{buffer, std::move(indices)}});
}
NodePtr counting(const std::string &iterator, NodePtr body, std::optional<kernel::Realisation> how = {}) {
  return make(
      Node{For{iterator, integer(0), less(index(iterator), make(Expression{Name{Name::Kind::Value, "n"}})),
               integer(1), std::move(body), how}});
}
/// B[c1, c0] = A[c1 - 1, c0]
NodePtr shift() {
  return make(Node{Assign{
      cell(1, {index("c1"), index("c0")}), {}, cell(0, {subtract(index("c1"), integer(1)), index("c0")})}});
}
std::string lowered(NodePtr body, bool isTiledInTime = false, const Target &target = {.streams = true}) {
  Nest nest{{{"A", Scalar::F64, 2, true}, {"B", Scalar::F64, 2}}, std::move(body)};
  nest.isTiledInTime = isTiledInTime;
  const Lowered result = lower(nest, target);
  std::string all = text(nest, result.body);
  for (const Left &l : result.left)
    all += "left " + kernel::text(l.how) + " of " + l.iterator + ": " + words(l.why) + "\n";
  return all;
}

TEST(LoopLower, Hints) {
  EXPECT_EQ(lowered(counting("c0", counting("c1", shift(), as::Vector{2}), as::Unroll{})),
            R"(for c0 = 0; c0 < n {written out}
  for c1 = 0; c1 < n {vectors, 2 at once}
    B[c1, c0] = A[c1 - 1, c0]
)");
}

/// Iterations that need not ask whether a cell is there have a loop of their own; a block that is stored past the caches asks once.
TEST(LoopLower, OptionalCells) {
  const auto whole = [](const Expr &e) { return make(Expression{Cast{Scalar::I32, e}}); };
  const auto number = [](const char *text) { return make(Expression{Literal{text, Scalar::I32}}); };
  const auto made = [](Operation::Op op, std::vector<Expr> operands, Scalar type = Scalar::I32) {
    return make(Expression{Operation{op, type, std::move(operands)}});
  };
  using Op = Operation::Op;
  const Expr n = whole(make(Expression{Name{Name::Kind::Value, "n"}}));
  const Expr left = made(Op::Subtract, {whole(index("c1")), number("1")});
  const Expr isThere =
      made(Op::And, {made(Op::And, {made(Op::GreaterEqual, {left, number("0")}), made(Op::Less, {left, n})}),
                     made(Op::Less, {whole(index("c0")), n})});
  const Expr value = made(Op::Choose,
                          {isThere, cell(0, {subtract(index("c1"), integer(1)), index("c0")}),
                           make(Expression{Literal{"0.0", Scalar::F64}})},
                          Scalar::F64);
  const NodePtr body = make(Node{Assign{cell(1, {index("c1"), index("c0")}), {}, value}});
  EXPECT_EQ(lowered(counting("c1", body, as::Vector{})), R"(scope
  var c1 = 0
  let c1_e = n
  let c1_i = min(max(c1, 1), c1_e), c1_o = max(min(c1_e, n + 1), c1_i)
  for c1; c1 < c1_i {vectors}
    B[c1, c0] = int(c1) - 1 >= 0 && int(c1) - 1 < int(n) && int(c0) < int(n) ? A[c1 - 1, c0] : 0.0
  if c0 < n
    for c1; c1 < c1_o {vectors}
      B[c1, c0] = A[c1 - 1, c0]
  for c1; c1 < c1_e {vectors}
    B[c1, c0] = int(c1) - 1 >= 0 && int(c1) - 1 < int(n) && int(c0) < int(n) ? A[c1 - 1, c0] : 0.0
)");
  EXPECT_EQ(lowered(counting("c1", body)), lowered(counting("c1", body), true))
      << "only vector loops are cut";
  EXPECT_NE(lowered(counting("c1", body, as::Vector{0, 0, {1, false}}))
                .find("if 1 <= c1_f and c1_f + 32 <= n + 1 and c0 < n"),
            std::string::npos);
  const Expr other =
      made(Op::Choose,
           {made(Op::Less, {cell(0, {index("c1"), index("c0")}), n}), cell(0, {index("c1"), index("c0")}), n},
           Scalar::F64);
  const NodePtr asked = make(Node{Assign{cell(1, {index("c1"), index("c0")}), {}, other}});
  EXPECT_EQ(lowered(counting("c1", asked, as::Vector{})).find("c1_i"), std::string::npos)
      << "what depends on values stays";
}

/// Rows in turns, by blocks of 256 bytes that begin at a multiple of these; where a target has no such stores, the plain loops.
TEST(LoopLower, StoresPastTheCaches) {
  const NodePtr rows = counting("c0", counting("c1", shift(), as::Vector{0, 0, {8, false}}), as::Jam{2});
  EXPECT_EQ(lowered(rows), R"(if streams B if large and 0 + 64 <= n
  for c0_s = 0; c0_s < n; step 8
    let c0_p = min(c0_s + 8, n)
    for c1_b = 0; c1_b < n + 32; step 32
      for c0 = c0_s; c0 < c0_p
        let c1_f = c1_b - cells_into_block(B[c1_b, c0])
        if 0 <= c1_f and c1_f + 32 <= n
          array double B_block[32]
          for c1_n = 0; c1_n < 32 {vectors, 32 wide, rolled}
            let c1 = c1_f + c1_n
            B_block[c1 - c1_f] = A[c1 - 1, c0]
          B[c1_f, c0] = B_block
        else
          for c1_l = c1_f; c1_l < c1_f + 32; step 8 {no vectors, rolled}
            if 0 <= c1_l and c1_l + 8 <= n
              array double B_line[8]
              for c1_n = 0; c1_n < 8 {vectors, 8 wide, rolled}
                let c1 = c1_l + c1_n
                B_line[c1 - c1_l] = A[c1 - 1, c0]
              B[c1_l, c0] = B_line
            else
              for c1 = max(c1_l, 0); c1 < min(c1_l + 8, n) {no vectors, rolled}
                B[c1, c0] = A[c1 - 1, c0]
else
  scope
    var c0 = 0
    let c0_e = n
    for c0; c0 + 2 <= c0_e; step 2
      var c1 = 0
      let c1_e = n
      for c1; c1 < c1_e {vectors}
        let double row0 = A[c1 - 1, c0]
        let double row1 = A[c1 - 1, (c0 + 1)]
        B[c1, c0] = row0
        B[c1, (c0 + 1)] = row1
    for c0; c0 < c0_e
      for c1 = 0; c1 < n {vectors}
        B[c1, c0] = A[c1 - 1, c0]
)");
  const NodePtr plain = counting("c0", counting("c1", shift(), as::Vector{}), as::Jam{2});
  EXPECT_EQ(lowered(rows, false, {}), lowered(plain));
  EXPECT_EQ(lowered(rows, false, {.unitStride = false, .streams = true}),
            lowered(plain, false, {.unitStride = false}));
  EXPECT_EQ(lowered(rows, false, {.mayShareViews = true, .streams = true}),
            lowered(rows, false, {.streams = true}));
  EXPECT_EQ(lowered(rows, true), lowered(plain, true)) << "tiles in time read their results again";
}

/// Each row of a turn is a block behind the one before it, and at the ends some have none.
TEST(LoopLower, StaggeredRowsPastTheCaches) {
  const std::string all =
      lowered(counting("c0", counting("c1", shift(), as::Vector{0, 0, {4, false, true}}), as::Jam{2}));
  EXPECT_EQ(all.substr(0, all.find("        let c1_f")), R"(if streams B if large and 0 + 64 <= n
  for c0_s = 0; c0_s < n; step 4
    let c0_p = min(c0_s + 4, n)
    for c1_t = 0; c1_t < n + 128; step 32
      for c0 = c0_s; c0 < c0_p
        let c1_b = c1_t - 32 * (c0 - c0_s)
        if 0 <= c1_b and c1_b < n + 32
  )");
}

/// What is asked for ahead: the rows that no row before has read, however they are written.
TEST(LoopLower, TheNextRowsComeFromMemory) {
  const Expr x = index("c1"), y = index("c0"), z = index("c2");
  const auto at = [](const Expr &e, long by) { return by ? add(e, integer(by)) : e; };
  const auto aheadOf = [&](std::vector<Expr> reads) {
    Expr sum = reads.front();
    for (std::size_t r = 1; r < reads.size(); ++r)
      sum = make(Expression{Operation{Operation::Op::Add, Scalar::F64, {sum, reads[r]}}});
    const NodePtr body = make(Node{Assign{cell(1, {x, y}), {}, sum}});
    const std::string all = lowered(counting("c0", counting("c1", body, as::Vector{0, 0, {4, true}})));
    const bool isAsked = all.find("prefetch") != std::string::npos;
    EXPECT_EQ(isAsked, all.find("if c0 + 4 < n and n - 0 <= ") != std::string::npos) << all;
    std::string found;
    for (std::size_t p = all.find("prefetch"); p != std::string::npos; p = all.find("prefetch", p + 1))
      found += all.substr(p + 9, all.find(" into", p) - p - 9) + ";";
    return found;
  };
  EXPECT_EQ(aheadOf({cell(0, {x, at(y, -1)}), cell(0, {at(x, 1), y}), cell(0, {x, at(y, 1)})}),
            "A[c1_a, (c0 + 4) + 1];");
  EXPECT_EQ(aheadOf({cell(0, {x, at(y, 1)}), cell(0, {at(x, 1), at(y, 1)})}), "A[c1_a, (c0 + 4) + 1];")
      << "one row is asked for once";
  EXPECT_EQ(aheadOf({cell(0, {x, subtract(integer(9), y)}), cell(0, {x, subtract(integer(8), y)})}),
            "A[c1_a, 8 - (c0 + 4)];")
      << "rows may go back";
  const Expr twice = multiply(integer(2), y);
  EXPECT_EQ(aheadOf({cell(0, {x, twice}), cell(0, {x, add(twice, integer(1))})}),
            "A[c1_a, 2 * (c0 + 4)];A[c1_a, 2 * (c0 + 4) + 1];")
      << "each iteration has two rows of its own";
  EXPECT_EQ(aheadOf({cell(0, {x, y, at(z, -1)}), cell(0, {x, at(y, 1), z}), cell(0, {x, y, at(z, 1)})}),
            "A[c1_a, (c0 + 4), c2 + 1];")
      << "planes around have been read before, but for the last one";
  EXPECT_EQ(aheadOf({cell(0, {y, x}), cell(0, {y, at(x, 1)})}), "") << "cells apart are in a line each";
  EXPECT_EQ(aheadOf({cell(0, {x, z}), cell(0, {at(x, 1), z})}), "") << "the same cells for all rows";
  EXPECT_EQ(aheadOf({cell(0, {x, y})}), "") << "a processor looks ahead by itself";
}

TEST(LoopLower, StoresOfOneRowPastTheCaches) {
  EXPECT_EQ(lowered(counting("c1", shift(), as::Vector{2, 0, {1, true}})), R"(if streams B and 0 + 64 <= n
  for c1_b = 0; c1_b < n + 32; step 32
    let c1_f = c1_b - cells_into_block(B[c1_b, c0])
    if 0 <= c1_f and c1_f + 32 <= n
      array double B_block[32]
      for c1_n = 0; c1_n < 32 {vectors, 32 wide, rolled}
        let c1 = c1_f + c1_n
        B_block[c1 - c1_f] = A[c1 - 1, c0]
      B[c1_f, c0] = B_block
    else
      for c1_l = c1_f; c1_l < c1_f + 32; step 8 {no vectors, rolled}
        if 0 <= c1_l and c1_l + 8 <= n
          array double B_line[8]
          for c1_n = 0; c1_n < 8 {vectors, 8 wide, rolled}
            let c1 = c1_l + c1_n
            B_line[c1 - c1_l] = A[c1 - 1, c0]
          B[c1_l, c0] = B_line
        else
          for c1 = max(c1_l, 0); c1 < min(c1_l + 8, n) {no vectors, rolled}
            B[c1, c0] = A[c1 - 1, c0]
else
  for c1 = 0; c1 < n {vectors, 2 at once}
    B[c1, c0] = A[c1 - 1, c0]
)");
  const NodePtr both = block({shift(), shift()});
  EXPECT_EQ(lowered(counting("c1", both, as::Vector{0, 0, {1, false}})),
            lowered(counting("c1", both, as::Vector{})))
      << "two stores are two matrices, or one matrix twice";
}

TEST(LoopLower, ALoopThatRunsOnce) {
  EXPECT_EQ(lowered(make(Node{For{"c0", integer(3), nullptr, nullptr, counting("c1", shift()), as::Jam{2}}})),
            R"(scope
  let c0 = 3
  for c1 = 0; c1 < n
    B[c1, c0] = A[c1 - 1, c0]
left jam:2 of c0: the loop has only one iteration
)");
}

/// A compiler could not know that the bounds' difference does not overflow.
TEST(LoopLower, ConstantLengthsCountFromZero) {
  const auto loop = [](Expr begin, Expr last) {
    return make(Node{For{"c1", std::move(begin),
                         arithmetic(Arithmetic::Op::LessEqual, {index("c1"), std::move(last)}), integer(1),
                         shift(), as::Vector{1, 8}}});
  };
  const Expr first = multiply(integer(8), index("c0"));
  EXPECT_EQ(lowered(counting("c0", loop(first, add(first, integer(7))))), R"(for c0 = 0; c0 < n
  for c1_n = 0; c1_n < 8 {vectors, 8 wide, 1 at once, rolled}
    let c1 = 8 * c0 + c1_n
    B[c1, c0] = A[c1 - 1, c0]
)");
  EXPECT_EQ(lowered(counting("c0", loop(first, add(index("c0"), integer(7))))), R"(for c0 = 0; c0 < n
  for c1 = 8 * c0; c1 <= c0 + 7 {vectors, 8 wide, 1 at once, rolled}
    B[c1, c0] = A[c1 - 1, c0]
)");
}

TEST(LoopLower, GuardsLeaveLoopsThatDoNotChangeThem) {
  const Expr n = make(Expression{Name{Name::Kind::Value, "n"}});
  const NodePtr both = make(Node{If{
      less(n, integer(9)), make(Node{If{less(index("c0"), n), shift(), nullptr}}), counting("c2", shift())}});
  EXPECT_EQ(lowered(counting("c0", counting("c1", both))), R"(if n < 9
  for c0 = 0; c0 < n
    if c0 < n
      for c1 = 0; c1 < n
        B[c1, c0] = A[c1 - 1, c0]
else
  for c0 = 0; c0 < n
    for c1 = 0; c1 < n
      for c2 = 0; c2 < n
        B[c1, c0] = A[c1 - 1, c0]
)");
  EXPECT_EQ(lowered(counting("c1", make(Node{If{less(index("c1"), n), shift(), nullptr}}))),
            R"(for c1 = 0; c1 < n
  if c1 < n
    B[c1, c0] = A[c1 - 1, c0]
)");
}

TEST(LoopLower, RowsTogether) {
  EXPECT_EQ(lowered(counting("c0", counting("c1", shift(), as::Vector{}), as::Jam{2})), R"(scope
  var c0 = 0
  let c0_e = n
  for c0; c0 + 2 <= c0_e; step 2
    var c1 = 0
    let c1_e = n
    for c1; c1 < c1_e {vectors}
      let double row0 = A[c1 - 1, c0]
      let double row1 = A[c1 - 1, (c0 + 1)]
      B[c1, c0] = row0
      B[c1, (c0 + 1)] = row1
  for c0; c0 < c0_e
    for c1 = 0; c1 < n {vectors}
      B[c1, c0] = A[c1 - 1, c0]
)");
}

TEST(LoopLower, RowsOfAnArrayTogether) {
  const Expr place = make(Expression{Local{"P", Scalar::F32, {index("c0"), index("c1")}}});
  const NodePtr copy = make(Node{Assign{place, {}, cell(0, {index("c1"), index("c0")})}});
  EXPECT_EQ(lowered(counting("c0", counting("c1", copy, as::Vector{}), as::Jam{2}), true), R"(scope
  var c0 = 0
  let c0_e = n
  for c0; c0 + 2 <= c0_e; step 2
    var c1 = 0
    let c1_e = n
    for c1; c1 < c1_e {vectors}
      let float row0 = A[c1, c0]
      let float row1 = A[c1, (c0 + 1)]
      P[c0, c1] = row0
      P[(c0 + 1), c1] = row1
  for c0; c0 < c0_e
    for c1 = 0; c1 < n {vectors}
      P[c0, c1] = A[c1, c0]
)");
}

/// A scalar of the body is no cell.
TEST(LoopLower, RowsOfAScalarRunSingly) {
  const NodePtr scalar = make(
      Node{Assign{make(Expression{Local{"s", Scalar::F64, {}}}), {}, cell(0, {index("c1"), index("c0")})}});
  EXPECT_EQ(lowered(counting("c0", counting("c1", scalar, as::Vector{}), as::Jam{2})), R"(for c0 = 0; c0 < n
  for c1 = 0; c1 < n {vectors}
    s = A[c1, c0]
left jam:2 of c0: the body of the vector loop does not compute one cell
)");
}

TEST(LoopLower, RowsOfDifferentLengthRunSingly) {
  const NodePtr triangle =
      make(Node{For{"c1", index("c0"), less(index("c1"), integer(9)), integer(1), shift(), as::Vector{}}});
  EXPECT_EQ(lowered(counting("c0", triangle, as::Jam{2})), R"(for c0 = 0; c0 < n
  for c1 = c0; c1 < 9 {vectors}
    B[c1, c0] = A[c1 - 1, c0]
left jam:2 of c0: a loop inside has other bounds in the next iteration
)");
}

TEST(LoopLower, LinesOfTheCache) {
  EXPECT_EQ(lowered(counting("c0", counting("c1", shift(), as::Vector{})), true), R"(for c0 = 0; c0 < n
  scope
    var c1 = 0
    let c1_e = n, c1_a = c1 + cells_to_line(B[c1, c0], c1_e - c1)
    for c1; c1 < c1_a {no vectors, rolled}
      B[c1, c0] = A[c1 - 1, c0]
    for c1; c1 < c1_e {vectors}
      B[c1, c0] = A[c1 - 1, c0]
)");
}

/// Not those that only one arm of a choice reads, those of other matrices, and those behind a statement that writes the matrix.
TEST(LoopLower, CellsThatAllIterationsReadAreReadOnce) {
  const Expr fixed = cell(1, {integer(0), index("c0")}), other = cell(1, {integer(1), index("c0")});
  const Expr moving = cell(1, {add(index("c1"), integer(9)), index("c0")});
  const auto operation = [](Operation::Op op, std::vector<Expr> operands) {
    return make(Expression{Operation{op, Scalar::F64, std::move(operands)}});
  };
  const Expr choice =
      operation(Operation::Op::Choose, {operation(Operation::Op::Less, {fixed, moving}), fixed, other});
  const NodePtr first = make(Node{Assign{cell(1, {index("c1"), index("c0")}), {}, choice}});
  const NodePtr second = make(Node{Assign{cell(2, {index("c1"), index("c0")}), {}, fixed}});
  const NodePtr third =
      make(Node{Assign{cell(2, {index("c1"), integer(7)}), {}, cell(0, {integer(0), integer(0)})}});
  Nest nest{{{"A", Scalar::F64, 2, true}, {"B", Scalar::F64, 2}, {"C", Scalar::F64, 2}},
            counting("c0", counting("c1", block({first, second, third}), as::Vector{}))};
  EXPECT_EQ(text(nest, lower(nest, {}).body), R"(for c0 = 0; c0 < n
  scope
    let double pb__fixed0 = 0 < n ? B[0, c0] : 0
    for c1 = 0; c1 < n {vectors}
      B[c1, c0] = pb__fixed0 < B[c1 + 9, c0] ? pb__fixed0 : B[1, c0]
      C[c1, c0] = B[0, c0]
      C[c1, 7] = A[0, 0]
)");
}

TEST(LoopLower, CopiesOfCellsToThemselvesAreLeftOut) {
  const NodePtr copy =
      make(Node{Assign{cell(1, {index("c1"), index("c0")}), {}, cell(1, {index("c1"), index("c0")})}});
  EXPECT_EQ(lowered(counting("c0", counting("c1", copy, as::Vector{}))), "");
  EXPECT_EQ(lowered(counting("c0", counting("c1", block({copy, shift()})))), R"(for c0 = 0; c0 < n
  for c1 = 0; c1 < n
    B[c1, c0] = A[c1 - 1, c0]
)");
}

TEST(LoopLower, Lanes) {
  const Expr s = make(Expression{Local{"s", Scalar::F64, {integer(0)}, true}});
  const NodePtr body = block({make(Node{Array{"s", Scalar::F64, {integer(8)}}}),
                              make(Node{Assign{s, {}, cell(0, {index("c1"), integer(0)})}}),
                              make(Node{Assign{cell(1, {index("c1"), integer(0)}), {}, s}})});
  EXPECT_EQ(lowered(counting("c1", body, as::Lanes{8})), R"(scope
  var c1_g = 0
  let c1_e = n
  for c1_g; c1_g + 8 <= c1_e; step 8
    array double s[8]
    for pb__l = 0; pb__l < 8 {vectors, 8 wide, 1 at once, rolled}
      let c1 = c1_g + pb__l
      s[pb__l] = A[c1, 0]
    for pb__l = 0; pb__l < 8 {vectors, 8 wide, 1 at once, rolled}
      let c1 = c1_g + pb__l
      B[c1, 0] = s[pb__l]
  for c1_g; c1_g + 2 <= c1_e; step 2
    array double s[8]
    for pb__l = 0; pb__l < 2 {vectors, 2 wide, 1 at once, rolled}
      let c1 = c1_g + pb__l
      s[pb__l] = A[c1, 0]
    for pb__l = 0; pb__l < 2 {vectors, 2 wide, 1 at once, rolled}
      let c1 = c1_g + pb__l
      B[c1, 0] = s[pb__l]
  for c1 = c1_g; c1 < c1_e
    array double s[8]
    s[0] = A[c1, 0]
    B[c1, 0] = s[0]
)");
}

/// for c0 [lanes:8] for c1 { .. }: lanes that are rows.
std::string inRows(NodePtr body) {
  return lowered(counting("c0", counting("c1", std::move(body)), as::Lanes{8}));
}

// A strip of cells of each row, as many as vectors have, is turned on its way; what the loop has written is read from the array. The cells that
// are left over come behind all strips.
TEST(LoopLower, RowsInLanesAreTurned) {
  const Expr before = cell(1, {subtract(index("c1"), integer(1)), index("c0")}),
             read = cell(0, {index("c1"), add(index("c0"), integer(1))}),
             sum = make(Expression{Operation{Operation::Op::Add, Scalar::F64, {before, read}}});
  EXPECT_THAT(inRows(make(Node{Assign{cell(1, {index("c1"), index("c0")}), {}, sum}})),
              ::testing::HasSubstr(R"(
    scope
      let c1_n = cells of a vector of double, at most 8
      let c1_e = n
      var c1_s = 0
      for c1_s; c1_s + c1_n <= c1_e; step c1_n
        scope
          array double B_rows0[c1_n + 1, 8]
          array double A_rows1[c1_n, 8]
          for pb__l = 0; pb__l < 8 {no vectors, written out}
            let c0 = c0_g + pb__l
            B_rows0[0, pb__l] = B[(c1_s - 1), c0]
          A_rows1[0, 0] = c1_n cells of 8 rows from A[c1_s, c0_g + 1] on, turned
          for pb__k = 0; pb__k < c1_n
            let c1 = c1_s + pb__k
            for pb__l = 0; pb__l < 8 {vectors, 8 wide, 1 at once, rolled}
              let c0 = c0_g + pb__l
              B_rows0[pb__k + 1, pb__l] = B_rows0[pb__k, pb__l] + A_rows1[pb__k, pb__l]
          c1_n cells of 8 rows from B[c1_s, c0_g] on, turned = B_rows0[1, 0]
      for c1 = c1_s; c1 < c1_e
)"));
}

// What the strip has anyway may be read under any condition; other cells may not be there.
TEST(LoopLower, ChoicesOfCellsThatAreReadAnywayAreTurned) {
  const Expr here = cell(1, {index("c1"), index("c0")}), read = cell(0, {index("c1"), index("c0")}),
             zero = make(Expression{Literal{"0.0", Scalar::F64}}),
             more = make(Expression{Operation{Operation::Op::Greater, Scalar::I32, {read, zero}}});
  const auto isTurned = [&](const Expr &chosen) {
    const Expr choice = make(Expression{Operation{Operation::Op::Choose, Scalar::F64, {more, chosen, zero}}});
    return inRows(make(Node{Assign{here, {}, choice}})).find("turned") != std::string::npos;
  };
  EXPECT_TRUE(isTurned(read));
  EXPECT_FALSE(isTurned(cell(0, {add(index("c1"), integer(1)), index("c0")})));
}

// What a loop reads of its own matrix in another row, at another place for each row, or adds to a cell, is not turned.
TEST(LoopLower, OtherRowsAreNotTurned) {
  const auto isTurned = [](const Expr &target, const Expr &value, std::optional<Operation::Op> op = {}) {
    return inRows(make(Node{Assign{target, op, value}})).find("turned") != std::string::npos;
  };
  const Expr x = index("c1"), y = index("c0"), here = cell(1, {x, y});
  EXPECT_TRUE(isTurned(here, cell(0, {x, y})));
  EXPECT_TRUE(isTurned(here, cell(1, {add(x, integer(1)), y}))); // is read before it is written
  EXPECT_FALSE(isTurned(here, cell(1, {x, subtract(y, integer(1))})));
  EXPECT_FALSE(isTurned(here, cell(1, {subtract(x, integer(9)), y}))); // too far away
  EXPECT_FALSE(isTurned(here, cell(0, {add(x, y), y})));
  EXPECT_FALSE(isTurned(here, cell(0, {x, multiply(integer(2), y)})));
  EXPECT_FALSE(isTurned(here, cell(0, {multiply(integer(2), x), y})));
  EXPECT_FALSE(isTurned(here, cell(0, {x, y}), Operation::Op::Add));
  EXPECT_FALSE(isTurned(cell(1, {y, x}), cell(0, {y, x}))); // lies side by side as it is
}

// Only scalars of the body have an element for each lane; the index of a task's array stays what it is.
TEST(LoopLower, LanesDoNotIndexOtherArrays) {
  const Expr element = make(Expression{Local{"A_copy", Scalar::F64, {integer(0)}}});
  const NodePtr body = make(Node{Assign{cell(1, {index("c1"), integer(0)}), {}, element}});
  EXPECT_NE(lowered(block({make(Node{Array{"A_copy", Scalar::F64, {integer(1)}}}),
                           counting("c1", body, as::Lanes{8})}))
                .find("B[c1, 0] = A_copy[0]"),
            std::string::npos);
}

TEST(LoopLower, LanesThatBranchRunSingly) {
  const NodePtr branch = make(Node{If{less(index("c1"), integer(3)), shift(), nullptr}});
  EXPECT_EQ(lowered(counting("c0", counting("c1", branch, as::Lanes{8}))), R"(for c0 = 0; c0 < n
  for c1 = 0; c1 < n
    if c1 < 3
      B[c1, c0] = A[c1 - 1, c0]
left lanes:8 of c1: a condition inside differs between iterations that would run together
)");
}

} // namespace
} // namespace pbc::loop
