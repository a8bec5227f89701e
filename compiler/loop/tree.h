// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop tree: the loops and statements that a schedule stands for, between the Kernel and printed text.
//
//   for c0 = 1; c0 < n - 1; step 1 [vector]     For { "c0", 1, c0 < n - 1, 1, Assign, how: Vector }
//     B[c0] = A[c0 - 1] * 0.5                   Assign { Element B[c0], Operation { Multiply, .. } }
//
// build.h makes a Nest from a schedule, once. Passes (lower/) carry out what the loops' realisations ask for, and
// verify.h says what holds before and after them. Text is made of it by emit/dialect/.
//
// Invariants: a node never changes after it was made, so trees share nodes. A name is declared by a loop, a Let or an
// Array around its use. No node holds an object of isl or a spelling of some printed language.
#pragma once
#include "compiler/kernel/group_memory.h"
#include "compiler/kernel/realisation.h"
#include "compiler/loop/combination.h"
#include "compiler/loop/expression.h"
#include <optional>
#include <set>

namespace pbc::loop {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// Nodes one after the other. Names that are declared in a scope end with it; without an own scope they go on.
struct Block {
  std::vector<NodePtr> nodes;
  bool isScope = false;
};

/// What a compiler of the printed text is asked to do with a loop.
struct Hint {
  enum class Vectors { AsItLikes, Never, Always };
  enum class Unrolling { AsItLikes, Never, Fully };
  Vectors vectors = Vectors::AsItLikes;
  Unrolling unrolling = Unrolling::AsItLikes;
  long width = 0;     // of vectors; 0: as it likes
  int interleave = 0; // vectors at once; 0: as it likes
  bool operator==(const Hint &) const = default;
};

/// for (iterator = begin; condition; iterator += step) body
struct For {
  std::string iterator;
  Expr begin;     // null: a variable that a Let declares goes on from its value
  Expr condition; // null: the loop has one iteration
  Expr step;      // null: one
  NodePtr body;
  std::optional<kernel::Realisation> how = {}; // what is to be done with it; none after lowering
  Hint hint = {};
};

struct If {
  Expr condition;
  NodePtr then;
  NodePtr otherwise; // or null
};

/// Declares names for the rest of the enclosing block.
struct Let {
  struct Variable {
    std::string name;
    Expr value;
  };
  std::vector<Variable> variables;
  /// What is known to be larger than a whole number: the places that a group's memory has along an axis; or those of an item, of which
  /// the factors and summands are, too; or the launch's cells, times the values and the parts of a cell.
  enum class Within { Nothing, Group, Places, Launch };
  std::optional<Scalar> type = {}; // none: a whole number
  bool isConstant = true;
  bool mayBeUnused = false;
  Within within = Within::Nothing;
};

/// Declares a scalar of the rule's body, or an array of them, for the rest of the enclosing block.
struct Array {
  enum class Space {
    Own,   // of one thread or work-item
    Task,  // of one task, too large for its stack
    Sized, // of one task; how many elements it has is known when the task runs
    Group, // of all items of a group
    Item,  // of one item, for all of its points
  };
  std::string name;
  Scalar element;
  std::vector<Expr> extents; // none: a scalar
  bool ofVectors = false;    // each element is a vector (BlockOfPoints)
  Space space = Space::Own;
};

/// The value goes to the target, or is combined with what is there.
struct Assign {
  Expr target; // Element, Local, CellVector, StripValue, KeptValue, or Name of a variable
  std::optional<Operation::Op> op;
  Expr value;
  int statement = -1; // of the kernel; -1: lowering has made it
  std::vector<Expr> dimensions = {};
  bool isBackground = false; // the value may arrive as late as at the next barrier that ends copies
  long together =
      1; // so many neighbouring cells, of 16 bytes, from a matrix or a group's memory, or to a matrix
  /// `together` neighbouring cells, a block of the row, go past the caches from an array (runtime/abi/streaming_stores.h).
  bool isStreamed = false;
};

/// A call of the function of a rule's body.
struct Call {
  struct Coordinate { // of the point
    Expr value;
  };
  struct Number {
    Expr value;
  };
  struct Place { // where the cell is
    Expr cell;
  };
  struct View { // a box of cells
    Expr first; // an Element
    std::vector<int> dimensions;
    std::vector<Expr> extents; // by dimension of the view
    bool isOutput;
  };
  using Argument = std::variant<Coordinate, Number, Place, View>;
  std::string function;
  std::vector<Argument> arguments;
  Expr result; // the Element that gets the function's value; or null
};

/// All items of a group wait here for each other.
struct Barrier {
  bool endsCopies = false; // those of the item, before it waits for the others
};

/// Declares a name for a value that the item so many lanes further, or before, in the same warp has; where there is none, for the
/// item's own. All items of a warp come here.
struct Shuffle {
  std::string name;
  Scalar type;
  Expr value, lanes;
  bool isBefore = false;
};

/// Declares a number that is 1 if the condition holds for all items of the warp, and may be 0 also where it does: it is always 0 on
/// devices whose items cannot read each other's registers. All items of a group come here.
struct Vote {
  std::string name;
  Expr condition;
};

/// The iterations are carried out by what the machine has for them: exactly so many of it run, each with its own value of
/// the iterator. What only some of them do stands in an If, where no barrier may be.
struct Parallel {
  enum class Over {
    Tasks,
    Launch, // all items of a launch
    Groups,
    Items,   // those of a group, along an axis
    InGroup, // those of a group, by one number
    Lanes
  };
  Over over;
  int axis; // of the machine's grid
  std::string iterator;
  Expr begin, end; // end null: as many as the launch has along the axis
  NodePtr body;
};

/// The points of a launch. Each item has one, or a block of PB_C0 x PB_C1 points. The names of an axis are in scope in the body, which
/// says what to do for one point; lower/points.cpp makes loops of it.
struct Points {
  struct Axis {
    std::string item;  // the point's coordinate: of the last one for points beyond it
    std::string place; // in the group
    std::string first; // the coordinate of the group's first point
    std::string last;  // and of its last one that is a point of the launch
    std::string begin; // the coordinate of the item's first point, where it has a run of them
    std::string point; // the number of a point of the item
    Expr low, high;    // of the launch, half open
    kernel::as::Item::Each each = kernel::as::Item::Each::Point;
    bool hasSeveral() const { return kernel::as::Item{0, each}.hasSeveral(); }
  };
  std::vector<Axis> axes; // of the machine's grid, from 0 on
  NodePtr body;
};

/// The cells of a launch, each of which a team of a group's items computes. The names of the axes are in scope in the body, which says
/// how one item would compute the cell; lower/teams.cpp shares the steps of its loops out. Without axes there is one cell.
struct Cells {
  struct Axis {
    std::string item; // the cell's coordinate: of the last one for cells beyond it
    Expr low, high;   // of the launch, half open
  };
  std::vector<Axis> axes;
  bool areNeighbours = false; // neighbouring items have neighbouring cells, not steps
  NodePtr body;
};

/// All items of a group fill its memory together, in the places of cells that lie outside of the matrix with others of it, and wait for each other before and after it
/// (lower/group_copies.cpp). Or an item fills its own memory (lower/item_copies.cpp).
struct GroupCopy {
  int from, to;                         // buffers of the nest
  std::vector<Expr> first;              // by dimension of the memory: where the box begins in the matrix
  std::vector<bool> mayBeNegative = {}; // the same: whether that may lie before the matrix
  std::vector<bool> isWithin = {}; // the same: whether all cells of the box lie before the end of the matrix
  bool mayBeEmpty = true;          // whether the matrix may have no cells where the copy is made
  /// Whether it begins along dimension 0 of the matrix at a multiple of 16 bytes, if the first points of all groups do.
  bool isAligned = false;
  bool isAlignedAcross = false; // the same along dimension 1, for cells from the other side of the diagonal
  bool isOfItem = false;
  /// Of an item: whether all cells are in the matrix if all points of the item are points of the launch; and how many cells behind a
  /// multiple of 16 bytes it begins along dimension 0, if the item's run begins at one.
  bool isWithinPoints = false;
  std::optional<long> phase = {};
  /// The axis along which the item's points come in turns, in each of which it stands (lower/points.cpp); 0: none.
  int turns = 0;
  /// Of an item: the group's memory through which the cells come that are new in a turn; -1: they come from the matrix.
  int through = -1;
  /// Of a group: it fills such a memory, in each turn.
  bool isOfTurn = false;
  /// Of a group: the matrix is symmetric, and cells outside of this half come from the other side of its diagonal.
  std::optional<kernel::Half> stored = {};
  Expr condition; // which is the same for the whole group; null: it always takes place
};

/// Fetches the cache line in which the cells of a block of points begin, or a cell, before they are used. It changes no value.
struct Prefetch {
  Expr cells; // a CellVector, a KeptValue or an Element
  bool isWritten = false;
  int cache = 1; // into which the line comes: the nearest one, or the second
};

/// Some neighbouring cells of each of `count` rows go into an array, in which those at one place along the rows lie side by side, or
/// back from there (runtime/abi/block_vectors.h).
struct TurnedRows {
  Expr first, next; // Elements: where the first and the second row begin
  Expr array;       // a Local: where the cells at the first place lie
  long count;
  Expr cells; // of each row: a constant of the machine's
  bool isBack = false;
};

/// A remark for a reader of the text.
struct Comment {
  std::string text;
};

/// Two loops that are covered by blocks of points whose values are in registers (lower/registers.h).
struct BlockOfPoints {
  /// What a block reads along one of its sides at all steps of the loop over k.
  struct Strip {
    bool isAlongX, isOutput, isKept;
    Expr first;            // the Element at the point (kY, kX, kK)
    Distance across, step; // of neighbours along its side, and of those at neighbouring steps
    Expr folded = nullptr; // what the block reads at row `y` and step kK, of the cell kCell; null: that cell
    int then = -1;         // the strip, behind the operands, that takes its place from step `change` on
  };
  /// What the program asks for; 0: the runtime decides.
  struct Size {
    long rows = 0, vectors = 0, depth = 0, columns = 0;
  };
  /// The loops over k inside, if the runtime may cut them and copy what they read.
  struct Depth {
    Expr begin, end;           // as functions of y
    std::vector<Strip> strips; // the operands, then what takes their places
    int operands = 0;
    Expr change;            // as a function of y; null: no strip takes the place of another
    bool isUneven = false;  // rows have other ends, or wait for each other, or there are several loops
    bool isStrided = false; // some strip is no vector before it is copied
    bool isResumed = false; // what points have computed is kept between two parts
    Expr behind;            // if set, step k of a row may run once the rows before k - behind are done
  };
  std::string y, x;
  Expr yBegin, yEnd;
  Expr xBegin, xEnd; // as functions of y
  NodePtr cells;     // what a block does; it uses the names below
  Scalar element;
  int scalars; // of each point, in registers
  Size size;
  std::optional<Depth> depth;
  std::vector<std::string> around; // iterators of the loops around

  // Names in `cells`: the block's first row and column, how many columns exist; the row and the vector of a point;
  // the first step and the end of this part of the loop over k. In `folded`: the cell of the operand.
  static constexpr const char *kY = "pb__y", *kX = "pb__x", *kRow = "r", *kVector = "v", *kRows = "R",
                              *kVectors = "V", *kWidth = "W", *kK = "pb__k", *kFirstStep = "pb__k0",
                              *kPastStep = "pb__k1", *kIsFirst = "pb__isFirst", *kIsLast = "pb__isLast",
                              *kCell = "pb__cell";
};

struct Node {
  std::variant<Block, For, If, Let, Array, Assign, Call, Barrier, Shuffle, Vote, Parallel, Points, Cells,
               GroupCopy, Prefetch, TurnedRows, Comment, BlockOfPoints>
      as;
};

NodePtr make(Node);

template <class Kind>
const Kind *as(const NodePtr &n) {
  return n ? std::get_if<Kind>(&n->as) : nullptr;
}

/// The nodes of a block in their order; of another node, the node itself.
std::vector<NodePtr> sequence(const NodePtr &);
/// One node for all of them.
NodePtr block(std::vector<NodePtr>);
NodePtr scope(std::vector<NodePtr>);

/// The end of a loop that goes up, half open; null if its condition is no upper bound.
Expr endOf(const For &);
/// Whether the loop has the form for (i = begin; i < end; ++i).
bool isCounting(const For &);

/// A matrix or a group's memory that the nest uses.
struct Matrix {
  std::string name;
  Scalar element;
  int rank = 0;
  bool isInput = false;
  /// Memory of a group, or of an item: its dimensions; empty: a matrix of the program.
  std::vector<kernel::GroupDimension> ofGroup = {};
  long pad = 0, parts = 1, gap = 0; // of its rows (kernel/kernel.h)
  bool isOfItem = false;
  /// Of a group: how many buffers it has. An Element has one index more than dimensions where it is not in the first one; before
  /// copies have loops, the index says how many steps ago the cell was copied.
  int buffers = 1;
  /// Memory of a task, whose size it knows: an Array declares it, and a Let its strides (strideName). Dimension 0 is contiguous.
  bool isOwn = false;
};

/// What the distance of neighbours along a dimension is called; for one dimension more than there are, it is the number of cells.
std::string strideName(const std::string &matrix, std::size_t dimension);

/// How many cells the memory of a group has along its dimension `d`, without padding; and its number of points along an axis.
Expr groupExtent(const kernel::GroupDimension &);
/// The number of its points along an axis that an item has at a time: of runs along axis 1, PB_R1.
Expr pointsAtOnce(int axis);
/// The same of the memory of an item.
Expr itemExtent(const kernel::GroupDimension &);
Expr pointsOfGroup(int axis, bool isBlock);
/// The cells from one to the next along a dimension; of dimension 0 in parts, before lower/row_parts.cpp.
Expr groupStride(const Matrix &, std::size_t d);
/// The cells from one part of a row to the next.
Expr partLength(const Matrix &);

/// What blocks of points in registers need to know of the kernel (kernel/register_tile.h).
struct Registers {
  struct Reader {
    int statement, access;
  };
  struct Strip {
    std::vector<Reader> readers; // all of them read the same cells
    bool isAlongX, isOutput, isKept, isStrided;
    Distance across, step;
  };
  /// Cells that are read or written for each point, and do not lie side by side along x.
  struct Apart {
    int statement, access;
    Distance along;
    int down; // 1 or -1 if the cells of the next row lie side by side with these, before or behind them; else 0
  };
  int y, x; // dimensions of the statements
  Scalar element;
  int scalars = 0;
  BlockOfPoints::Size size;
  bool isDeep = false, isUneven = false;
  std::vector<Strip> strips;
  std::vector<Apart> apart;
  bool resumes = false;        // Locals may be kept between parts of the loop over k
  Expr joinedBegin, joinedEnd; // of two loops together, for all points; null: they are apart
  bool isBackward = false;     // the loop over y runs over -y
  Expr behind;                 // of the kernel's tile; null: rows do not wait
};

/// What the loops of teams compute (kernel/cooperate.h).
struct Teams {
  struct Fold {
    std::string local;
    Combination with;
  };
  struct Shared {
    std::vector<int> statements; // of the loop
    std::vector<Fold> folds;
  };
  struct Scan {
    int statement;
    std::set<int> previous; // its accesses that read the cell of the step before
    Combination with;
  };
  std::vector<Shared> loops;
  std::optional<Scan> scan; // if set, there are no loops
};

struct Nest {
  std::vector<Matrix> buffers; // by the kernel's buffers; those of scalars of the body are unused
  NodePtr body;
  std::optional<Registers> registers;
  std::optional<Teams> teams;
  /// Tiles in time begin anywhere, and go over the same cells again.
  bool isTiledInTime = false;
  /// Realisations whose loop runs only once, so that there is nothing to be done.
  std::vector<kernel::Realisation> withoutLoop;
};

} // namespace pbc::loop
