// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What differs between the printed languages, all of which are members of the C family: c_printer.h prints loop trees with
// one of these.
//
//                      C++ (cxx.h)                 OpenCL C and CUDA C++ (device_c.h)
//   index              long                        PB_INDEX: int or long
//   minimum            pb::minimum                 pb_minimum
//   infinity(F32)      __builtin_inff()            INFINITY
//   hint               #pragma clang loop ...      nothing
//
// docs/extending/dialect.md shows how to add one. Invariant: a dialect spells and never decides: what is computed, and in
// which order, is in the tree.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::emit {

using loop::Scalar;

/// Functions that every program has (runtime/abi, runtime/device/dialect.h).
enum class Helper { Minimum, Maximum, FloorDivide, CellsToLine, CellsIntoBlock };

/// A parameter of a kernel: a matrix's cells, or a number.
struct Parameter {
  std::string name;
  std::optional<Scalar> type; // none: a whole number, as indices have
  bool isPointer = false, isConstant = false;
  bool isAlone = false; // nothing else points to these cells
};

/// The head of a function that a host calls.
struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
};

class Dialect {
public:
  virtual ~Dialect() = default;

  // ---- types and names
  virtual std::string type(Scalar) const;
  virtual std::string index() const { return "long"; } // the type of indices and bounds
  virtual std::string helper(Helper) const = 0;
  virtual std::string restricted() const = 0; // of a pointer that is alone: " __restrict"
  /// Before the declaration of a name that may be unused: "[[maybe_unused]] ".
  virtual std::string unused() const { return ""; }

  // ---- values
  virtual std::string literal(const loop::Literal &l) const { return l.text; }
  virtual std::string infinity(Scalar) const = 0;
  virtual std::string function(const loop::Function &f) const { return f.name; }
  /// A function for a `float` that is divided by a number, whose reciprocal is no `float`, to the same bits as the operator; "" if there is
  /// none.
  virtual std::string divisionByNumber() const { return ""; }
  /// A function of a condition and two values that computes both; "": `?:` does as well.
  virtual std::string eagerChoice(Scalar) const { return ""; }

  // ---- calls of bodies
  /// The first arguments of every body: "f".
  virtual std::string frame() const { return ""; }
  virtual std::string coordinate(const std::string &value) const = 0;
  /// Declarations before the call, each in its line, and the argument itself.
  struct ViewText {
    std::vector<std::string> before;
    std::string argument;
  };
  /// `first` is the first cell; strides and extents are by dimension of the view. `number`: of the argument.
  virtual ViewText view(std::size_t number, const loop::Call::View &, Scalar element,
                        const std::string &first, const std::vector<std::string> &strides,
                        const std::vector<std::string> &extents) const = 0;

  // ---- what surrounds loops
  /// Lines before a loop; "" for no hint. With their ends of lines.
  virtual std::string hint(const loop::Hint &) const { return ""; }
  virtual std::string parameter(const Parameter &) const = 0;
  virtual std::string signature(const Signature &) const = 0;

  // ---- kernels of devices
  /// Lines before a kernel, and at the begin and the end of its statements.
  virtual std::string prologue() const { return ""; }
  virtual std::string begin() const { return ""; }
  virtual std::string end() const { return ""; }
  /// In front of a kernel: a number by a name, over the numbers that are known when it is built.
  virtual std::string constant(const std::string &name, const std::string &value) const;
  /// Lines before a kernel whose items have about so many registers: two groups shall be at work together, or as many as there are
  /// registers for. Or whose items keep so many numbers of 4 bytes in registers, of which they have others for indices: as many groups as fit
  /// if that leaves enough of them, at most half of the items of a processor, else two.
  enum class GroupsAtOnce { Two, AsManyAsFit, Keeping };
  virtual std::string registers(const std::string &, GroupsAtOnce = GroupsAtOnce::Two) const { return ""; }
  /// A statement that moves a pointer by so many elements.
  virtual std::string moved(const std::string &pointer, const std::string &offset) const {
    return pointer + " += " + offset;
  }
  /// The stride of dimension 0, which is one in most launches.
  virtual std::string firstStride(const std::string &argument) const { return argument; }
  /// Whether it knows the macros of runtime/device/dialect.h, in which functions of bodies are written.
  virtual bool hasBodies() const { return false; }

  // ---- what machines with groups of items have
  /// The item's, group's or lane's number along an axis.
  virtual std::string itemId(loop::Parallel::Over, int axis) const;
  virtual std::string barrier() const;
  /// Before a barrier: waits for what the item copies in the background; "" if nothing is.
  virtual std::string endOfCopies() const { return ""; }
  /// Declares `name` as the value that the item so many lanes further, or before, in the warp has.
  virtual std::string shuffle(const std::string &type, const std::string &name, const std::string &value,
                              const std::string &lanes, bool isBefore) const;
  /// Declares `name` as 1 if the condition holds for all items of the warp; it may be 0 in any case.
  virtual std::string vote(const std::string &name, const std::string &condition) const;
  /// Copies a cell of a matrix into a group's memory, perhaps in the background; or 16 bytes, in a language for devices only.
  virtual std::string copy(const std::string &to, const std::string &from, bool isWide) const;
  enum class Move { Load, LoadOfGroup, Store };
  /// Moves neighbouring cells of 16 bytes from a matrix or a group's memory into an item's own array, or from there to a matrix.
  virtual std::string together(const std::string &type, const std::string &to, const std::string &from,
                               Move) const;
  /// Stores so many cells past the caches, from the first one on, from an array. Only the processor has such stores.
  virtual std::string streamed(const std::string &to, const std::string &from, long cells) const;
  /// An element of the memory that a launch has for values of parts of cells, each of 8 bytes.
  virtual std::string partial(Scalar, const std::string &place) const;
  /// Before the declaration of an array of one task: "alignas(64) static thread_local ".
  virtual std::string taskArray() const;
  /// An array of one task, whose number of elements is a product of names.
  virtual std::string sizedArray(const std::string &type, const std::string &name,
                                 const std::string &extent) const;
  /// A line before the first array that all items of a group share.
  virtual std::string localArrays() const { return ""; }
  /// Such an array; `extents` are products already.
  virtual std::string localArray(const std::string &type, const std::string &name,
                                 const std::string &extent) const;

protected:
  /// All parameters with commas between them.
  std::string parameters(const Signature &) const;
};

} // namespace pbc::emit
