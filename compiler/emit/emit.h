// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits C++ from plans and kernels: one translation unit per transform, and one for the program.
//
//   transform Sort, alternatives InsertionSort | MergeSort
//   =>  Sort.cpp:     struct Sort_Frame {regions, sizes}; the rules' bodies; kernels;
//                     for each alternative a sequential function and a coroutine;
//                     pb_seq_Sort(depth, out, in), pb_par_Sort(depth, out, in); its descriptor
//       program.cpp:  the table of descriptors and main()
//
// A transform's entry solves its sizes from the regions' extents, checks every formula, copies inputs whose
// overlap with an output the chosen plan does not allow, asks the selector and runs that plan: sequentially
// below `sequential_cutoff` (without tasks or coroutines), in tasks above. Nothing here depends on which
// transform is printed.
#pragma once
#include "compiler/kernel/fuse.h"
#include "compiler/kernel/on_device.h"
#include "compiler/kernel/row_turns.h"
#include "compiler/schedule/plan.h"
#include "compiler/script/adaptor.h"
#include <functional>
#include <memory>

namespace pbc::emit {

/// kernels[transform][plan][step]: nothing for steps whose bodies call transforms.
using Kernels = std::vector<std::vector<std::vector<std::optional<kernel::Scheduled>>>>;

/// fusions[transform][plan]: the `through` matrices that can be replaced by tiles.
using Fusions = std::vector<std::vector<kernel::Fusion>>;

/// turns[transform][plan]: the steps that take rows of a matrix in turn.
using Turns = std::vector<std::vector<kernel::RowTurns>>;

/// devices[transform][plan][step]: null for steps whose bodies call transforms. Empty: no code for devices.
using Devices = std::vector<std::vector<std::vector<kernel::LaterOnDevice>>>;

/// Another schedule of a step's loops.
struct Version {
  std::string choice, doc; // "cpu:wide", "on the processor, by the schedule `wide`"
  std::shared_ptr<const kernel::Scheduled>
      kernel;                                 // null: it does not apply to this step, which stays as it is
  std::vector<script::Condition> guards = {}; // all hold in the calls in which it runs (guards.h)
};

/// versions[transform][plan][step]: steps of one name have the same choices, in the same order.
using Versions = std::vector<std::vector<std::vector<std::vector<Version>>>>;

/// What a library is to have instead of a command line.
struct Library {
  std::string name;             // part of the names of its functions: "pbc_NAME_Sort"
  std::vector<bool> isCallable; // by transform
};

/// The section in which all values lie that a configuration sets.
std::string slotSection(const Library &);

struct Input {
  const sema::Module &module;
  const std::vector<std::vector<body::Facts>> &facts;
  const std::vector<choice::Choices> &choices;
  const std::vector<schedule::TransformPlans> &plans;
  const Kernels &kernels;
  const Fusions &fusions;
  const source::SourceManager *sources = nullptr;   // for the places in messages of assertions
  std::vector<std::string> processors = {"native"}; // of one program, the least capable first
  std::vector<std::string> rawBlocks = {}; // the module's, as body::understand prepares them for each unit
  std::vector<std::uint32_t> directivesOf = {}; // of each raw block: how much of it a preamble may hold
  std::string kernelOptions = {}; // lines of a configuration's [kernels], which the program records
  const Devices *devices = nullptr;
  const Versions *versions = nullptr;
  const Library *library = nullptr; // null: a program
  const Turns *turns = nullptr;     // null: there are none
  const std::vector<kernel::TurnGroup> &turnsOf(int transform, std::size_t plan) const;
  /// Empty if there are none.
  const std::vector<Version> &versionsOf(int transform, std::size_t plan, std::size_t step) const;
  bool checksBounds = false;  // the program contains a table of the rules' lines
  bool takesPointers = false; // some code asks regions for their memory: matrices then have no gaps
};

struct Unit {
  std::string name; // "Sort", "program"
  std::string text;
};

Fusions fuse(const sema::Module &, const std::vector<schedule::TransformPlans> &, const Kernels &);
Turns rowTurns(const std::vector<schedule::TransformPlans> &, const Kernels &);

/// The namespace of all code for one processor: "pb_program"; where there are several, "pb_program_x86_64_v3"; and in a
/// library, whose code may be linked beside that of another, "pb_program_mm" or "pb_program_mm_x86_64_v3".
std::string codeNamespace(const std::vector<std::string> &processors, const std::string &processor,
                          const std::string &library);

/// The last unit is the program's, which is the same for all processors. All others are in the namespace
/// pb_program, which a macro renames to codeNamespace().
/// `take` gets units of kernels for the processor as soon as their text is known, before anything is found out about devices.
using TakeUnits = std::function<void(const std::vector<Unit> &)>;
std::vector<Unit> emit(const Input &, poly::Context &, const std::string &bakedConfiguration,
                       const TakeUnits &take = {});

/// The C header of a library: `interface` is the text that all such headers begin with (runtime/abi/pbc.h).
std::string libraryHeader(const Input &, poly::Context &, const std::string &interface);

/// Its C++ header, which includes the C header of that name; `interface`: runtime/abi/pbc_cxx.h.
std::string libraryCxxHeader(const Input &, poly::Context &, const std::string &header,
                             const std::string &interface);

/// Choices and tunables as XML, for tuners that read it; the project's own tuner uses the program's --info.
std::string infoXml(const Input &);

/// Hash of all names that a configuration may use, with their ranges: Program::hash.
std::string programHash(const Input &);

/// Hash of a transform's text, without comments and spaces: Transform::hash. Transforms that it calls are not
/// included.
std::string transformHash(const Input &, const sema::Transform &);

} // namespace pbc::emit
