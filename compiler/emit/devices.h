// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits a transform's tables for devices (runtime/abi/device.h): what each step touches, and its kernels.
//
//   step `rows` of Blur  =>  pb_device_0: kernels "global", "local"; boxes of In and Rows;
//                                         selector place_rows
#pragma once
#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/placements.h"
#include <set>

namespace pbc::emit {

/// Whether some step of the program can run on a device.
bool usesDevices(const Input &);

/// Whether the step's bodies only pass their matrices to transforms (body::Facts::onlyPasses), and these
/// transforms access cells only in steps of their own: then nothing has to be copied to the processor before
/// it.
bool onlyPasses(const Scope &, const schedule::Step &);
/// Whether what the transforms that a rule's body calls leave on devices may stay there, in whichever step
/// the rule runs.
bool callsStay(const Scope &, int rule);

/// The name of the function in a kernel's text.
std::string kernelEntry(const sema::Transform &, const std::string &step);
/// The mangled names of the tunables that are not integers.
std::set<std::string> realNames(const sema::Transform &);

class DeviceTables {
public:
  explicit DeviceTables(const Scope &);
  /// Name of a step's table; "" in a program without anything for devices.
  std::string ofStep(std::size_t plan, std::size_t step);
  /// The name of a table that touches all inputs and outputs, for code that runs without checking single
  /// matrices; or "".
  std::string ofTransform();
  /// The name of a table of these inputs, of which all cells are read; "" in a program without anything for devices.
  std::string ofInputs(const std::vector<int> &matrices);
  /// The number of the step's placement.
  std::size_t placeOf(const std::string &step) const;
  /// The definitions to which the tables refer.
  const std::string &text() const { return text_; }

private:
  std::string table(const schedule::Step &, const kernel::OnDevice *);
  /// The matrix's row in a step's table of matrices.
  std::string matrixRow(const sema::Matrix &, bool reads, bool writes, bool covers) const;
  std::string library(const std::string &step, const sema::LibraryUse &); // library_steps.cpp
  std::string wholeMatrices(const std::string &name, const std::vector<std::pair<int, bool>> &matrices);
  void kernels(const kernel::OnDevice &, const DeviceText &, const Placement &, const std::string &number);
  /// The address of the table for a version in which items work together.
  std::string teams(const kernel::OnDevice &, const DeviceText::Version &, const std::string &number);
  std::string steps(const kernel::DeviceVersion &, const std::string &number);
  /// The table of the copies that the version reads.
  std::string maps(const kernel::OnDevice &, const DeviceText::Version &, const std::string &number);
  /// The table of the sizes for which the version is built; "" for none.
  std::string sizesOfBuild(const DeviceText &, const DeviceText::Version &, const std::string &number);
  /// The address of the table for a version in blocks of rows.
  std::string rowBlocks(const kernel::OnDevice &, const DeviceText::Version &, const std::string &number);
  static std::string limits(const kernel::OnDevice &);
  unsigned long realValues(const std::vector<std::string> &values) const;
  void arguments(const kernel::OnDevice &, const DeviceText &, const std::string &number);
  std::string frameText() const;
  std::string valueInFrame(const std::string &name) const;
  /// A function that gives the ranges of the kernel's functions to the runtime.
  std::string boxFunction(const std::string &name, const kernel::Scheduled &) const;
  std::string partsFunction(const std::string &name, const std::vector<kernel::ItemPart> &) const;

  const Scope &scope_;
  const sema::Transform &t_;
  std::set<std::string> reals_;
  bool isUsed_;
  std::map<const void *, std::string> names_; // by what a table is made of
  int count_ = 0;
  std::string text_;
};

} // namespace pbc::emit
