// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Kernel: what a loop nest computes, as data, on which all schedules, scripts and searches work.
//
//   kernel Smooth.0 [n]
//     buffer A double 1-d input;  buffer B double 1-d output;  buffer s double local, one for each i
//     S0[i]: s[i] = 0     S1[i,k]: s[i] += A[i-1+k]     S2[i]: B[i] = s[i] / 3.0
//     domain { S0[i]; S1[i,k]; S2[i] : 1 <= i < n-1, 0 <= k < 3 }
//
// A Kernel consists of buffers, statements (domain, expression tree, access relations) and the dependences between
// their instances. How its loops run is another value (schedule.h). A body that could not be lifted is an opaque
// statement: a call of its emitted function with the regions that its header declares.
//
// Invariants (verify.h): every statement's tuple name is its `name`; accesses' relations have the statement's
// domain space as domain.
#pragma once
#include "compiler/body/device_body.h"
#include "compiler/kernel/group_memory.h"
#include "compiler/poly/poly.h"
#include "compiler/source/source.h"
#include <set>

namespace pbc::kernel {

using body::Scalar;

struct Scheduled;

/// How an input that no program has comes about: it is a copy of a matrix, which a launch of its own makes in front of each launch of the
/// kernel (transform/mapped.h).
struct MappedCopy {
  int from = -1; // buffer
  /// Its only input, buffer 0, is that matrix, its only output the copy. It has items: by axis, the dimensions of the copy, from their first
  /// cell to behind the last one.
  std::shared_ptr<const Scheduled> kernel;
};

struct Buffer {
  enum class Role { Input, Output, Local, Scratch, Group, Item };
  std::string name;        // matrix's mangled name or a local's unique name; C identifiers derive from it
  int matrix = -1;         // sema matrix; -1 for a Local
  Role role = Role::Input; // Output: written (and perhaps read)
  Scalar element = Scalar::F64;
  int rank = 0;
  // Local: a scalar of the rule's body. Its accesses are indexed by the rule's free variables, so that
  // instances do not share it; in printed text it is one variable again, declared at its `alloc` mark. After
  // vectorising it is an array of `lanes`: the index is the iteration's position in its group, or 0 outside
  // of groups.
  long lanes = 0;
  // Scratch: memory that is declared at its `alloc` mark, contiguous in dimension 0. The first dimensions are those of the
  // memory, with one number of cells for each, padding included, as a function of the parameters. The others are the values of
  // the loops around the mark: each of their iterations has memory of its own, and in printed text it is the same memory again.
  std::vector<isl::pw_aff> extents = {};
  bool inRegisters = false; // Scratch: so few cells that registers may hold them
  // Group: memory that all items of a group share, filled by a copying statement (Statement::copy). Dimension 0 is contiguous, its rows
  // `pad` cells longer than what they hold. With `parts`, cells whose places along dimension 0 differ by a multiple of so many lie next to each
  // other, for items that read every second cell; each part has a `gap` of so many cells behind it. With two buffers, the steps of a loop use
  // them in turns: the copy of the next step runs while items read that of this one; with more, what the steps before it have copied is still
  // there. Item: the same of one item, in its registers.
  std::vector<GroupDimension> ofGroup = {};
  long pad = 0, parts = 1, gap = 0;
  int buffers = 1;
  // What it is called in the program, if that is another name: a variable `sum` of a rule's body is the Local "R0_sum", since rules
  // share kernels. Users see it (buffer_names.h).
  std::string called = {};
  // Output: nobody reads it after the kernel, and nobody else writes it. It holds intermediate results, so that a
  // transformation may keep them elsewhere.
  bool isPrivate = false;
  std::optional<MappedCopy> mapped = {}; // Input: it is a copy of another one
  // Output: the cells that other steps read, if that is known; of others, what the kernel has left in them does not matter.
  std::optional<isl::set> readElsewhere = {};
};

/// Whether it is a matrix of the program; others live in the kernel only.
inline bool isMatrix(const Buffer &b) {
  return b.role == Buffer::Role::Input || b.role == Buffer::Role::Output;
}

/// Whether it is memory of a group or an item, which a copying statement fills.
inline bool isFilled(const Buffer &b) {
  return b.role == Buffer::Role::Group || b.role == Buffer::Role::Item;
}

/// By how many cells the rows of a group's memory are longer than what they hold.
inline long addedToRows(const Buffer &b) { return b.pad + (b.parts > 1 ? b.parts * b.gap : 0); }

struct Access {
  int buffer;
  bool isWrite;
  isl::map relation; // { S1[i,k] -> A[i-1+k] }; single-valued for reads and writes of Assign statements
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// body::Value with cells resolved to accesses and iterators to dimensions of the statement.
struct Expr {
  enum class Kind { Literal, Dimension, Name, Read, Unary, Binary, Select, Call, Cast };
  Kind kind;
  Scalar type = Scalar::F64;
  std::string text; // Literal, Name, operator, function
  int index = -1;   // Dimension: of the statement's domain; Read: into Statement::accesses
  std::vector<ExprPtr> operands;
};

struct OpaqueArgument {
  int buffer;
  bool isOutput = false, isCell = false;
  isl::multi_pw_aff begin, end; // over the statement's domain; box in the buffer, half open
  std::vector<int> viewDims;    // dimensions kept by the view
  /// Of an optional cell: whether it is in the matrix, and its value if it is not; else null.
  ExprPtr inside, otherwise;
};

/// All cells of a group's or an item's memory are copied from the matrix. What stands for cells beyond the matrix is never read.
struct GroupCopy {
  int from, to; // buffers
  /// By dimension of the memory: the first cell's coordinate along that of the matrix, over the statement's domain, with first<axis>
  /// (item_values.h) for the group's first point, or begin<axis> for the item's.
  std::vector<isl::pw_aff> first;
  /// Of an item's memory: whether all of these cells are in the matrix if all points of the item are points of the launch.
  bool isWithin = false;
  /// The same: the group's memory, a buffer, through which the cells come that are new in a turn; -1: they come from the matrix.
  int through = -1;
  /// Of a group's memory: the matrix is symmetric, and cells outside of this half are copied from the other side of its diagonal.
  std::optional<Half> stored = {};
};

struct Statement {
  std::string name; // tuple name, unique in the kernel
  int rule = -1;
  source::Origin origin = {};          // of a copy, that of a statement which reads what it copies
  std::vector<std::string> dimensions; // names; the rule's free variables first, then body loops
  int freeCount = 0;                   // how many are free variables of the rule
  isl::set domain;
  std::vector<Access> accesses; // opaque: one per argument (may-access over its box), then ownInputs
  // Assign: access `write` op= value
  int write = -1;
  std::string op;
  ExprPtr value;
  // Copy: the items of a group fill its memory together, from `first` on (transform/group_copies.h)
  std::optional<GroupCopy> copy = {};
  // Opaque: function(frame, free variables..., arguments...)
  bool isOpaque = false;
  std::string function;
  std::vector<OpaqueArgument> arguments;
  std::vector<int>
      ownInputs; // buffers of 0-d inputs that it names without an argument; their accesses come last
  std::shared_ptr<const body::DeviceBody> onDevice; // the body's version for devices; null: none
};

/// Whether it computes no point of a rule, but copies cells between a matrix and scratch memory (transform/copies.h).
inline bool isOfCopy(const Statement &s) { return s.rule < 0; }

struct Kernel {
  std::string name;                    // "Smooth.0"
  std::vector<std::string> parameters; // size variables (mangled); all integers
  std::vector<Buffer> buffers;
  std::vector<Statement> statements;
  isl::set context;           // what is known of the parameters
  isl::union_map dependences; // flow, anti and output, between statement instances
  bool reassociates = false;  // `fast` rules: sums and products may be computed in another order
};

} // namespace pbc::kernel
