// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All kernels for devices: as one text after the prelude of a language, which --emit=opencl, cuda or metal prints, and as a
// device builds them where the configuration says nothing of their sizes.
//
//   // ==== prelude
//   // ==== Blur.rows, global
//   PB_KERNEL(pb_Blur_rows)(...) { ... }
#pragma once
#include "compiler/emit/dialect/dialect.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/kernel/device_text.h"
#include "runtime/device/device.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pbc::emit {

/// A language of devices; its name is a value of --emit.
struct DeviceLanguage {
  const char *name;
  const Dialect &dialect;
  const char *prelude; // stands before all kernels
};
const std::vector<DeviceLanguage> &deviceLanguages();

std::string deviceTexts(const Input &, const DeviceLanguage &);

struct DeviceSource {
  std::string transform, step, version; // "Blur", "rows", "global"
  std::string alternative;              // the first one of the transform that has this kernel
  pb::device::KernelSource source;
  std::vector<loop::BankUse> banks; // conflicts in the memory of groups of this size
  std::vector<loop::SectorUse> sectors = {};
  std::optional<loop::Traffic> traffic = {};
  std::vector<LocalArray> localArrays = {};
  /// Of the program, a number in this kernel. Programs take another version below the least value, and above mostSizeOfBuild().
  struct Size {
    std::string name;
    long value, least;
  };
  std::vector<Size> sizes = {};
  int cells[3] = {1, 1, 1};                 // of an item
  loop::NodePtr loops = nullptr;            // lowered
  std::vector<loop::Matrix> matrices = {};  // that they use
  std::vector<source::Origin> origins = {}; // by statement of the loops
  std::vector<int> statements = {}; // by line of `body`: the one for which it is, or DeviceText::kNoStatement
  loop::LaunchShape shape = {};
  script::Script script = {}; // by which this version was made
  bool sharesPoints = false;  // items compute points together, or in rounds
  int dimensions = 1;         // along which groups have items
  bool hasCells = false;      // items of this version have several points
  int rowsAtOnce = 0;         // that an item has at a time; 0: all
  std::string body = {};      // of source.text: behind the numbers that say what an item has
  int indexBits = 64;
};
/// By line of source.text: the part of the program for which it is; an unknown one if it is for none.
std::vector<source::Origin> originsOfLines(const DeviceSource &);
/// What a group needs of its memory, in bytes.
long localBytes(const DeviceSource &);

/// Sizes of windows that are numbers in a kernel (kernel/group_memory.h), by their names in isl.
struct BuiltSizes {
  std::map<std::string, long> given = {};
  long others = 9; // a window of common size
};
/// Of groups and of the points of an item, along x, y and z; none: the default. Only versions whose items have several points have other
/// ones. And for which sizes kernels are built.
struct LaunchRequest {
  std::optional<std::array<int, 3>> group = {}, cells = {};
  BuiltSizes sizes = {};
  bool isWide =
      false; // indices of 64 bits, as for matrices with 2^31 and more cells; else of 32 bits where a launch may have them
};

/// The largest size for which programs build a kernel of its own.
long mostSizeOfBuild();

/// Where rows of matrices are contiguous, and for groups of the default sizes unless others are asked for.
std::vector<DeviceSource> deviceSources(const Input &, const LaunchRequest & = {});
/// The same kernel in another shape, for the same sizes. What was counted for its old one (banks, sectors, traffic) stays as it is.
DeviceSource shaped(const DeviceSource &, const LaunchRequest &);

} // namespace pbc::emit
