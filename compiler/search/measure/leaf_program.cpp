// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/leaf_program.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/poly/at_values.h"
#include "runtime/base/machine.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace pbc::search {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::Expr;
using kernel::Scheduled;
using kernel::Statement;

/// More than this is no kernel for a search.
constexpr long kMostBytes = 4L << 30;

constexpr const char *kPrelude = R"(extern "C" {
void pb_storage_retain(pb::Storage *) {}
void pb_storage_release(pb::Storage *) {}
pb::Storage *pb_storage_allocate(unsigned long, void **) { return nullptr; }
void *pb_scratch(long bytes) {
  static thread_local long room = 0;
  static thread_local void *memory = nullptr;
  if (bytes > room) {
    __builtin_free(memory);
    room = bytes;
    memory = __builtin_malloc(static_cast<unsigned long>(room) + 64);
  }
  return reinterpret_cast<void *>((reinterpret_cast<unsigned long>(memory) + 63) / 64 * 64);
}
void *pb_cells_allocate(long bytes, unsigned long *capacity) {
  *capacity = static_cast<unsigned long>(bytes > 0 ? bytes : 1);
  void *memory = __builtin_malloc(*capacity + 128);
  void **cells = reinterpret_cast<void **>((reinterpret_cast<unsigned long>(memory) + 127) / 64 * 64);
  cells[-1] = memory;
  return cells;
}
void pb_cells_release(void *cells, unsigned long) { __builtin_free(static_cast<void **>(cells)[-1]); }
)";

/// A name in an expression that is no size: a parameter of the program.
std::string firstUnknownName(const Expr &e, const std::vector<std::string> &sizes) {
  if (e.kind == Expr::Kind::Name && std::find(sizes.begin(), sizes.end(), e.text) == sizes.end())
    return e.text;
  for (const kernel::ExprPtr &operand : e.operands)
    if (std::string found = firstUnknownName(*operand, sizes); !found.empty())
      return found;
  return "";
}

} // namespace

long Array::cells() const { return std::accumulate(extents.begin(), extents.end(), 1L, std::multiplies<>()); }
long Array::bytes() const { return cells() * long(kernel::bytesOf(element)); }

ArraysOutcome arraysOf(const Scheduled &lifted, const std::map<std::string, long> &values) {
  Arrays made;
  for (const std::string &parameter : lifted.parameters) {
    const auto value = values.find(parameter);
    if (value == values.end())
      return {std::nullopt, fmt::format("no value is given for {}", poly::displayed(parameter))};
    made.sizes.emplace_back(*value);
  }
  for (const Statement &statement : lifted.statements) {
    if (statement.isOpaque)
      return {std::nullopt,
              fmt::format("the body of {} was not lifted, so that it cannot run without its program",
                          statement.name)};
    if (statement.value)
      if (const std::string name = firstUnknownName(*statement.value, lifted.parameters); !name.empty())
        return {std::nullopt, fmt::format("it uses `{}`, which is no size", poly::displayed(name))};
  }
  double bytes = 0;
  for (std::size_t b = 0; b < lifted.buffers.size(); ++b) {
    const Buffer &buffer = lifted.buffers[b];
    if (!kernel::isMatrix(buffer))
      continue;
    Array array{buffer.name, buffer.element, std::vector<long>(std::size_t(buffer.rank), 1)};
    for (const Statement &statement : lifted.statements)
      for (const Access &access : statement.accesses) {
        if (access.buffer != int(b))
          continue;
        array.isResult = array.isResult || (access.isWrite && !buffer.isPrivate);
        const isl::set cells = poly::atValues(statement.domain, values).apply(access.relation);
        if (cells.is_empty())
          continue;
        for (int d = 0; d < buffer.rank; ++d) {
          if (cells.dim_min_val(d).num_si() < 0)
            return {std::nullopt, fmt::format("it uses a cell of {} that does not exist",
                                              kernel::programName(lifted, buffer))};
          array.extents[std::size_t(d)] =
              std::max(array.extents[std::size_t(d)], cells.dim_max_val(d).num_si() + 1);
        }
      }
    double size = double(kernel::bytesOf(array.element));
    for (const long extent : array.extents)
      size *= double(extent);
    bytes += size;
    made.all.push_back(std::move(array));
  }
  if (bytes > double(kMostBytes))
    return {std::nullopt, fmt::format("its matrices have {:.1f} GB at these sizes", bytes / 1e9)};
  return {std::move(made), ""};
}

std::string leafHeaders() {
  std::string lines;
  for (const char *name : {"prelude", "index", "region", "register_tile", "streaming_stores"})
    lines += fmt::format("#include \"pb/{}.h\"\n", name);
  return lines;
}

/// The last dimension of the tasks is shared out; where parts wait for each other, the first part is the whole.
static std::string limitsOfPart(const Scheduled &scheduled) {
  const std::vector<kernel::TaskDimension> &tasks = scheduled.schedule.taskDimensions;
  if (tasks.empty() || scheduled.schedule.taskOrder != kernel::TaskOrder::Any)
    return "  if (part > 0) return;\n";
  return fmt::format(
      "  const long begin = low[{0}], grain = {1}, pieces = (high[{0}] - begin + grain - 1) / grain;\n"
      "  if (pieces > 0) {{ low[{0}] = begin + pieces * part / parts * grain;\n"
      "    if (part + 1 < parts) high[{0}] = begin + pieces * (part + 1) / parts * grain; }}\n",
      tasks.size() - 1, tasks.back().grain);
}

std::string leafFunctions(const Scheduled &scheduled, const Arrays &arrays) {
  std::string low, high, names;
  for (const kernel::TaskDimension &task : scheduled.schedule.taskDimensions) {
    low += poly::cxx(task.low) + ", ";
    high += poly::cxx(task.high) + ", ";
  }
  for (const auto &[name, value] : arrays.sizes)
    names += fmt::format("  [[maybe_unused]] const long {0} = f.v_{0};\n", name);
  return fmt::format(
      "{}static void run(const Frame &f, [[maybe_unused]] long part, [[maybe_unused]] long parts) {{\n{}"
      "  long low[] = {{{}0}}, high[] = {{{}0}};\n{}  leaf(&f, low, high);\n}}\n",
      emit::kernelFunction(scheduled, "leaf", "Frame", false, true), names, low, high,
      limitsOfPart(scheduled));
}

std::string leafFunctionName(std::size_t leaf) { return fmt::format("pb_leaf_{}", leaf); }

std::string leafProgram(const std::vector<std::string> &leaves, const Arrays &arrays) {
  const pb::base::Machine machine = pb::base::thisMachine();
  std::string frame, set;
  for (std::size_t s = 0; s < arrays.sizes.size(); ++s) {
    frame += fmt::format("  long v_{};\n", arrays.sizes[s].first);
    set += fmt::format("  f.v_{} = sizes[{}];\n", arrays.sizes[s].first, s);
  }
  for (std::size_t a = 0; a < arrays.all.size(); ++a) {
    const Array &array = arrays.all[a];
    const std::string type = body::cxxType(array.element);
    std::string strides, extents;
    long stride = 1;
    for (const long extent : array.extents) {
      strides += fmt::format("{}, ", stride);
      extents += fmt::format("{}, ", extent);
      stride *= extent;
    }
    frame += fmt::format("  pb::Region<{}, {}> m_{};\n", type, array.extents.size(), array.name);
    set += fmt::format(
        "  {{ const long strides[] = {{{0}1}}; const int extents[] = {{{1}1}};\n"
        "    f.m_{2} = pb::Region<{3}, {4}>(static_cast<{3} *>(cells[{5}]), strides, extents); }}\n",
        strides, extents, array.name, type, array.extents.size(), a);
  }
  std::string text = fmt::format(
      "{}long pb_cache_bytes(int level) {{ return level == 1 ? {}L : level == 2 ? {}L : {}L; }}\n}}\n"
      "struct Frame {{\n{}}};\n"
      "static inline void set([[maybe_unused]] const long *sizes, void *const *cells, Frame &f) {{\n{}}}\n",
      kPrelude, machine.firstCache, machine.secondCache, machine.thirdCache, frame, set);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    text += fmt::format("namespace leaf{0} {{\n{1}}}\nextern \"C\" void {2}(const long *sizes, void *const "
                        "*cells, long part, long parts) {{\n"
                        "  Frame f;\n  set(sizes, cells, f);\n  leaf{0}::run(f, part, parts);\n}}\n",
                        leaf, leaves[leaf], leafFunctionName(leaf));
  return text;
}

} // namespace pbc::search
