// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries out what the loops of a nest are to be realised as. Each pass is a file of this folder:
//
//   registers  two loops become a BlockOfPoints           lines  a vector loop begins at a line of the cache
//   stream     blocks of rows that are stored past the caches, beside the plain loops
//   jam        rows together, inside the vector loop      hints  vectors, none, written out: left to LLVM
//   lanes      groups of iterations, statement by         once   a loop with one iteration becomes a Let
//              statement; rows in strips that are turned  lengths  a loop of constant length counts from 0
//   inside     iterations that need not ask whether optional cells are there have a loop of their own
//   fixed_reads  what all iterations of a vector loop read from one cell is read in front of it
//   self_copies  statements that copy a cell to itself are left out
//   guards     a condition that a loop does not change leaves it
//   points     the points of a launch become loops of each item
//   item_copies   what an item's points read, in its registers
//   teams, scans   the cells of teams: steps of loops are dealt to items, and what they compute is folded or scanned
//   group_copies   copies into a group's memory, dealt out to its items
//   row_parts  where cells lie in rows of a group's memory that have parts
//
// A realisation that a loop cannot have is in `left`, with the reason: the loop then runs plainly. Some reasons belong
// to the nest (isExpected); all others mean that a transformation has asked for what its loops cannot do.
//
// Invariant: no loop of the result has a realisation, and each of the nest's was carried out or is in `left`.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

struct Left {
  enum class Why {
    RunsOnce,       // the loop has only one iteration
    GeneralStrides, // neighbours in a row are not neighbours in memory, where this pays
    NotCounting,    // the loop does not go up in steps of one
    Branches,       // a condition inside differs between the iterations that would run together
    BoundsMove,     // a loop inside has other bounds in the next iteration
    NoVectorLoop,   // the loop is not directly around a vector loop
    NotOneCell,     // the body of the vector loop does not compute one cell
    NotTwoLoops,    // the loop is not directly around another loop
    OwnRealisation, // a loop inside is to be realised, too
    OtherBody,      // the body has other parts than blocks of points can have
    NoStrips,       // the loops inside need strips, and read nothing of that kind
    NotAnalysed,    // the schedule has no RegisterTile (kernel/register_tile.h)
    Shifted,        // a statement's dimensions are not the two loops' iterators
    NotAllItems,    // not all items of a group come to the loop, or to all of its steps
    NoTeam,         // the points belong to no teams
  };
  kernel::Realisation how;
  std::string iterator; // of the loop; "" if there is none
  Why why;
};
/// One sentence without a full stop.
std::string words(Left::Why);
/// Whether the nest, and not a mistake of a transformation, is the reason.
bool isExpected(Left::Why);

struct Target {
  bool unitStride = true;     // dimension 0 of every matrix has stride 1
  bool mayShareViews = false; // an output may be the very same view as an input
  bool isDevice = false;
  bool streams = false; // stores may go past the caches; without, loops are lowered as if none did
};

/// What teams do together.
struct SharedOut {
  int loops = 0; // whose steps were dealt
  int values =
      0; // of a part of a cell, which several groups can compute in parts; 0: one group computes all of it
  std::vector<Scalar> arrays =
      {}; // of the group, with a value for each item; they are declared at the begin of the body
};

struct Lowered {
  NodePtr body;
  std::vector<Left> left;
  SharedOut sharedOut = {};
};

Lowered lower(const Nest &, const Target &);

} // namespace pbc::loop
