// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts from which a space of implementations is made: what is computed, in which dimensions, and what a machine allows.
//
//   X <- alpha X:  sizes N/(T1 T2), T1, T2
//     dimensions   d0: N/(T1 T2)   d1: T1   d2, d3, d4: T2
//     instructions load in d0 d1 d2;  multiply in d0 d1 d3;  store in d0 d1 d4
//     data         load -> multiply -> store
//     communications  a[d2 -> d3]  b[d3 -> d4]
//
// Whether d2 and d3 are one loop or two, which loops are blocks, threads or vectors, and where `a` lies is undecided: see
// space.h. Indices name objects in the order in which they were added. Source: lower-bound-search.md, sections 2.1 and 2.4.
#pragma once
#include "compiler/search/values.h"
#include <string>
#include <vector>

namespace pbc::search {

/// The number of iterations of one or more dimensions, which have it together.
struct Size {
  std::string name;
  std::vector<long> values; // those that it may have, ascending
  bool isConstant = true;   // known when code is generated; else only when it is launched
};

struct Dimension {
  std::string name;
  int size = -1; // into Structure::sizes
  KindSet kinds = KindSet::all();
  bool isParallel = true; // no iteration depends on another one
  int family = -1;        // dimensions of different families never become one loop
};

/// How far a copy extends in one direction: what one iteration uses, and what the iterations of loops add, each level of a loop with
/// as many as it has.
struct CopyExtent {
  struct Loop {
    long coefficient;            // cells from one iteration to the next
    std::vector<int> dimensions; // objects: its levels
  };
  long cells = 1;
  std::vector<Loop> loops;
};

struct Instruction {
  std::string name;
  std::vector<int> dimensions;   // objects: the dimensions in which it must be
  bool hasEffects = false;       // it may not be repeated in other dimensions
  bool isVectorisable = false;   // the machine has an instruction for several of it: loads and stores
  bool isInitialisation = false; // of a sum: it stays outside of the dimensions of the sum
  /// A copy of what the dimensions read that it lies outside of. Inside of all of them it copies one element, so that there is
  /// no copy at all.
  bool isCopy = false;
  std::vector<CopyExtent> copied = {}; // of a copy
  long bytesOfCell = 8;                // of a copy
};

/// A loop or an instruction: they lie before, after, inside or outside of each other.
struct Object {
  bool isDimension;
  int index; // into Structure::dimensions or instructions
};

/// The value that one instruction makes in an iteration is used by another one in the same iteration: of the same loop,
/// or of another one, for which it lies in a buffer between. Or the value is a sum: one iteration of its dimensions passes it to
/// the next one.
struct Communication {
  std::string name;
  struct Pair {
    int source, target; // objects, dimensions
  };
  std::vector<Pair> pairs;
  std::vector<int> sumDimensions =
      {}; // objects: along which it is summed up, the innermost level of each loop
  std::vector<int> cellDimensions = {}; // objects: in which there are several sums
  long elementBytes = 4;
  PlaceSet places = PlaceSet::all();
  /// Of a buffer that has few cells because it lies in a loop: the pairs, by index, all of which have to be one loop then, for each loop
  /// that may be around it. None: a buffer is there anyway.
  std::vector<std::vector<std::size_t>> holders = {};
  std::vector<std::size_t> shifted =
      {}; // pairs, by index: what one iteration makes, others of the same loop use
};

/// An instruction that loads or stores, and the caches that it may use.
struct MemoryAccess {
  int instruction; // object
  CacheSet caches = CacheSet::all();
  std::vector<int> rowDimensions = {}; // objects: past the caches only vectors along one of them are stored
};

/// What a machine allows. 0: there is no limit.
struct MachineLimits {
  long threadsInBlock = 0;
  long blockDimensions = 0, threadDimensions = 0;
  long unrolled = 0;          // copies of a body
  long sharedBytes = 0;       // for one block
  long registersInThread = 0; // of 4 bytes, for one communication
  long copyBytes = 0;         // for one copy
  bool unrollsInnermostOnly =
      true; // a smaller space: what is inside an unrolled loop is unrolled or a vector
  /// Unrolled loops directly inside each other are in the order of their numbers: the copies of a body in another order are the same program.
  bool unrolledInOneOrder = false;
  bool vectorsAreLoops =
      false;                 // a vector dimension may have any length: it is a loop whose steps are vectors
  bool hasOneMemory = false; // registers pass a value on inside of one loop only, whatever is written out
  bool fusesOtherLengths = false; // loops of one family become one whatever their numbers of iterations are
};

/// The sizes of the tiles of one loop, whose product is the iterations of a tile: at least one of them is whole.
struct SizeProduct {
  std::vector<int> sizes;
  long most;      // iterations of the loop
  long first = 0; // the least value of its variable
};

struct Structure {
  std::string name;
  std::vector<Size> sizes;
  std::vector<Dimension> dimensions;
  std::vector<Instruction> instructions;
  std::vector<Object> objects;
  struct Edge {
    int before, after; // objects, instructions
  };
  std::vector<Edge> edges;
  std::vector<Communication> communications;
  std::vector<MemoryAccess> accesses;
  std::vector<SizeProduct> sizeProducts;
  /// Dimensions of one loop, outer ones first: they stay in this order.
  std::vector<std::vector<int>> nested;
  MachineLimits limits;

  int addSize(Size);
  int addDimension(Dimension);
  int addInstruction(Instruction);
  const Dimension &dimension(int object) const {
    return dimensions[std::size_t(objects[std::size_t(object)].index)];
  }
  const Instruction &instruction(int object) const {
    return instructions[std::size_t(objects[std::size_t(object)].index)];
  }
  bool isDimension(int object) const { return objects[std::size_t(object)].isDimension; }
  const std::string &nameOf(int object) const;
};

/// Whether both dimensions may be one loop even if their numbers of iterations differ: those of all of a loop on a processor.
bool canFuseAnyLengths(const Structure &, int a, int b);

} // namespace pbc::search
