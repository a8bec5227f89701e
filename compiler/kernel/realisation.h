// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a loop of a schedule is carried out, as a value. A mark node of the schedule tree holds it (tree.h), above a band of
// one member; a loop without a mark runs iteration by iteration, and LLVM may vectorise it.
//
//   Realisation how = as::Jam{4};
//   text(how)      "jam:4", as goldens and `--emit=kernels` print it
//   words(how)     "4 at once", as `pbc explain` says it
//
// Invariant: nothing parses these texts; code that needs to know visits the value.
#pragma once
#include <string>
#include <variant>

namespace pbc::kernel {

namespace as {

/// Without vectors, also where LLVM could make them.
struct Scalar {
  bool operator==(const Scalar &) const = default;
};
/// As it is written: without vectors, and without copies of its body.
struct Rolled {
  bool operator==(const Rolled &) const = default;
};
/// Vector code; `interleave` vectors at once, of `width` iterations, 0: as LLVM finds best. If all iterations of a loop are
/// one vector, the code has no loop, and arrays that it fills can be in registers.
struct Vector {
  /// What is stored past the caches (transform/stream.h).
  struct Streaming {
    long rows = 0;            // of the loop around, whose blocks are computed in turns; 0: stores are plain
    bool always = false;      // also if the matrix is small
    bool isStaggered = false; // each row is a block behind the one before it
    bool operator==(const Streaming &) const = default;
  };
  int interleave = 0;
  long width = 0;
  Streaming streaming = {};
  bool operator==(const Vector &) const = default;
};
/// So many iterations together, inside the vector loop below.
struct Jam {
  int rows;
  bool operator==(const Jam &) const = default;
};
/// Written out, iteration by iteration.
struct Unroll {
  bool operator==(const Unroll &) const = default;
};
/// In groups of `count` iterations; each statement runs over all lanes of a group before the next one.
struct Lanes {
  long count;
  bool operator==(const Lanes &) const = default;
};
/// This loop and the one below it in blocks of points, whose values are in registers (register_tile.h).
struct Registers {
  bool operator==(const Registers &) const = default;
};

/// Each iteration by a work-item of a device's launch, along this axis of it; or so many iterations by each item as the
/// configuration says (PB_C<axis>).
struct Item {
  enum class Each {
    Point,
    Block, // of points that are dealt out to suit the memory of a group
    Run,   // of neighbouring points, which along axis 0 begins at a multiple of its length
    Turn,  // of points one after the other: what one reads is there for the next one
  };
  /// What the item belongs to: the launch; or the group of a tile, along a function that is a summand of its rounds or not
  /// (transform/rounds.h), where the last function's axis is no axis of the launch; or the team of a cell, whose neighbour in the group
  /// is of the same cell or of the next one (transform/team.h); or the group of several rounds (transform/steps.h).
  enum class Of { Launch, Tile, Round, Cell, Neighbour, Step };
  int axis;
  Each each = Each::Point;
  Of of = Of::Launch;
  /// Points at a time.
  bool hasSeveral() const { return each == Each::Block || each == Each::Run; }
  bool operator==(const Item &) const = default;
};
/// The steps of a group in its tile, one after the other: its items wait for each other behind each of them.
struct Rounds {
  bool operator==(const Rounds &) const = default;
};

/// The steps are dealt to the items of a team, which fold what their steps have computed behind the loop; or a loop inside has the steps
/// that are dealt.
struct Team {
  bool folds = true, deals = true;
  bool operator==(const Team &) const = default;
};

} // namespace as

using Realisation = std::variant<as::Scalar, as::Rolled, as::Vector, as::Jam, as::Unroll, as::Lanes,
                                 as::Registers, as::Item, as::Rounds, as::Team>;

/// Declares a Local of the kernel for everything below its node.
struct Declare {
  std::string local; // the buffer's name
  bool operator==(const Declare &) const = default;
};

/// Names the loop below its node, whose band has one member; scripts speak of loops by these names (loops.h).
struct Label {
  std::string name;
  bool operator==(const Label &) const = default;
};

/// What a mark node says.
using Mark = std::variant<Realisation, Declare, Label>;

/// The transformation that asks for it: "jam".
std::string name(const Realisation &);
std::string text(const Realisation &);
std::string text(const Mark &);
std::string words(const Realisation &);

} // namespace pbc::kernel
