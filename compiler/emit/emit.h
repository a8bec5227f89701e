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
#include "compiler/schedule/plan.h"
#include <memory>

namespace pbc::emit {

/// kernels[transform][plan][step]: nothing for steps whose bodies call transforms.
using Kernels = std::vector<std::vector<std::vector<std::optional<kernel::Kernel>>>>;

/// fusions[transform][plan]: which of its `through` matrices tiles can stand for.
using Fusions = std::vector<std::vector<kernel::Fusion>>;

/// devices[transform][plan][step]: null for steps whose bodies call transforms. Empty: nothing is for
/// devices.
using Devices = std::vector<std::vector<std::vector<std::shared_ptr<const kernel::OnDevice>>>>;

struct Input {
  const sema::Module &module;
  const std::vector<std::vector<body::Facts>> &facts;
  const std::vector<choice::Choices> &choices;
  const std::vector<schedule::TransformPlans> &plans;
  const Kernels &kernels;
  const Fusions &fusions;
  const source::SourceManager *sources = nullptr;   // for the places that assertions name
  std::vector<std::string> processors = {"native"}; // in one program, the least able one first
  std::vector<std::string> rawBlocks = {}; // the module's, as body::understand has them for each unit
  std::string kernelOptions = {};          // lines of a configuration's [kernels], for the program to know
  const Devices *devices = nullptr;
};

struct Unit {
  std::string name; // "Sort", "program"
  std::string text;
};

Fusions fuse(const sema::Module &, const std::vector<schedule::TransformPlans> &, const Kernels &);

/// Where the units for one of several processors have everything: "pb_program_x86_64_v3".
std::string versionNamespace(const std::string &processor);

/// The last one is the program's, the same for all processors; all others stand in the namespace pb_program,
/// which a macro renames where there are several.
std::vector<Unit> emit(const Input &, poly::Context &, const std::string &bakedConfiguration);

/// Choices and tunables for a tuner that reads XML; the program tells its own tuner by --info.
std::string infoXml(const Input &);

/// Hash of all names that a configuration may use, with their ranges: Program::hash.
std::string programHash(const Input &);

/// Hash of a transform's text, without comments and spaces: Transform::hash. What it calls does not count.
std::string transformHash(const Input &, const sema::Transform &);

} // namespace pbc::emit
