// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel_functions.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/nest.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace pbc::emit {

namespace {

/// A row of so many cells is a vector at most, so that LLVM takes it apart in registers.
constexpr long kLongestShortRow = 16;

/// So many bytes of kernels are worth a unit of their own: Clang takes about a quarter of a second for them, and a tenth of one for what
/// each unit begins with.
constexpr std::size_t kBytesOfUnit = 12 << 10;
constexpr std::size_t kMostUnits = 4;

constexpr const char *kParameters = "(const void *context, const long *low, const long *high)";

std::string kernelsOf(const sema::Transform &t) { return t.symbol + "_kernels"; }

/// The number that an extent is; 0 if it is none.
long constantExtentOf(const sema::Affine &extent) {
  long cells = 0;
  const std::string &text = extent.isl;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cells);
  return error == std::errc() && end == text.data() + text.size() ? cells : 0;
}

std::map<int, long> shortRowsOf(const sema::Transform &transform, const kernel::Kernel &kernel) {
  std::map<int, long> rows;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const kernel::Buffer &buffer = kernel.buffers[b];
    if (buffer.matrix < 0 || buffer.rank < 2)
      continue;
    const long cells =
        constantExtentOf(transform.matrices[static_cast<std::size_t>(buffer.matrix)].extents.front());
    if (cells > 1 && cells <= kLongestShortRow)
      rows.emplace(static_cast<int>(b), cells);
  }
  return rows;
}

} // namespace

const std::string &KernelFunctions::name(const kernel::Scheduled &kernel, bool mayShareViews) {
  const std::pair key(kernel.schedule.tree.get(), mayShareViews);
  const auto at = nameOfSchedule_.find(key);
  return at != nameOfSchedule_.end()
             ? at->second
             : nameOfSchedule_.emplace(key, nameFor(kernel, mayShareViews)).first->second;
}

std::string KernelFunctions::nameFor(const kernel::Scheduled &kernel, bool mayShareViews) {
  KernelNest made = kernelNest(kernel);
  made.shortRows = shortRowsOf(transform_, kernel);
  const auto called = [&](const std::string &name) {
    return kernelText(made, name, frameType_, mayShareViews).text;
  };
  const auto [at, isNew] =
      nameOfText_.emplace(called("kernel"), fmt::format("pb_kernel_{}", nameOfText_.size()));
  if (isNew && isClosed_)
    throw std::logic_error("a kernel is named after all of them have been printed");
  if (isNew)
    functions_.push_back({at->second, called(at->second) + "\n",
                          std::any_of(kernel.statements.begin(), kernel.statements.end(),
                                      [](const kernel::Statement &s) { return s.isOpaque; })});
  return at->second;
}

std::vector<std::vector<const KernelFunctions::Function *>> KernelFunctions::unitsApart() const {
  std::vector<const Function *> movable;
  std::size_t bytes = 0;
  for (const Function &f : functions_)
    if (!f.callsBodies) {
      movable.push_back(&f);
      bytes += f.text.size();
    }
  const std::size_t count =
      bytes < kBytesOfUnit ? 0 : std::min({kMostUnits, movable.size(), 1 + bytes / kBytesOfUnit});
  // The longest first, each into the unit that is the shortest so far.
  std::stable_sort(movable.begin(), movable.end(),
                   [](const Function *a, const Function *b) { return a->text.size() > b->text.size(); });
  std::vector<std::vector<const Function *>> units(count);
  std::vector<std::size_t> lengths(count, 0);
  for (const Function *f : movable)
    if (count > 0) {
      const auto shortest = std::min_element(lengths.begin(), lengths.end());
      units[static_cast<std::size_t>(shortest - lengths.begin())].push_back(f);
      *shortest += f->text.size();
    }
  return units;
}

std::string KernelFunctions::text() const {
  std::set<const Function *> elsewhere;
  for (const auto &unit : unitsApart())
    elsewhere.insert(unit.begin(), unit.end());
  std::string declared, here;
  for (const Function &f : functions_)
    if (elsewhere.count(&f))
      declared += fmt::format("namespace {0} {{ void {1}{2}; }}\nusing {0}::{1};\n", kernelsOf(transform_),
                              f.name, kParameters);
    else
      here += f.text;
  return declared + here;
}

std::vector<std::string> KernelFunctions::apart() const {
  std::vector<std::string> units;
  for (const auto &unit : unitsApart()) {
    std::string &text = units.emplace_back();
    for (const Function *f : unit)
      text +=
          f->text + fmt::format("namespace {} {{ void {}{} {{ pb_program::{}(context, low, high); }} }}\n",
                                kernelsOf(transform_), f->name, kParameters, f->name);
  }
  return units;
}

} // namespace pbc::emit
