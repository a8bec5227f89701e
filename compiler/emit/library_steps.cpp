// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the table of a step that a library function computes on devices (sema::Rule::library); the header is
// devices.h.
//
//   rule Blas to(C c) from(A a, B b) gpu cublas.gemm(c, a, b) of Product
//   => pb_device_0: matrices C, A, B as wholes; one kernel, "cublas.gemm double"; values: their extents
#include "compiler/emit/devices.h"
#include "compiler/emit/initialiser.h"

namespace pbc::emit {

std::string DeviceTables::library(const std::string &step, const sema::LibraryUse &use) {
  const std::string number = std::to_string(count_++);
  std::string rows, body, values;
  int position = 0, value = 0;
  for (const int m : use.matrices) {
    const sema::Matrix &matrix = t_.matrices[static_cast<std::size_t>(m)];
    const bool isWritten = position < use.outputs;
    rows += matrixRow(matrix, !isWritten, isWritten, isWritten);
    std::string low, high;
    for (int d = 0; d < matrix.rank(); ++d) {
      const std::string extent = fmt::format("pb_f.m_{}.size({})", poly::mangle(matrix.name), d);
      low += d ? ", 0" : "0";
      high += (d ? ", " : "") + extent;
      values += fmt::format("  pb_a->value[{}].integer = {};\n", value++, extent);
    }
    body += fmt::format("  pb_a->{}[{}] = {{{{{}}}, {{{}}}}};\n", isWritten ? "written" : "read", position++,
                        low, high);
  }
  const sema::Matrix &first = t_.matrices[static_cast<std::size_t>(use.matrices.front())];
  const int place = static_cast<int>(placeOf(step)) * t_.binCount();
  const std::size_t schedules = placements(scope_)[placeOf(step)].versions.size();
  const auto slot = [&](const char *of, int each) {
    return fmt::format("{}.own + {}", placementSlot(scope_, of), each * place);
  };
  text_ += fmt::format(
      "static const pb::DeviceKernel pb_kernels_{0}[] = {{{1}}};\n\n"
      "static const pb::DeviceMatrix pb_touched_{0}[] = {{\n{2}}};\n\n"
      "PB_SMALL static void pb_items_{0}(const pb::Frame *, pb::Box *pb_box) {{ pb_box->rank = 0; }}\n\n"
      "PB_SMALL static void pb_arguments_{0}(const pb::Frame *pb_p, const pb::Box *, pb::DeviceArguments "
      "*pb_a) {{\n"
      "  [[maybe_unused]] const {3} &pb_f = *static_cast<const {3} *>(pb_p);\n{4}{5}}}\n\n"
      "static const pb::DeviceStep pb_device_{0} = {6};\n\n",
      number,
      initialiser({{"variant", quoted("library")},
                   {"source", quoted(fmt::format("{} {}", use.entry, sema::name(first.element)))},
                   {"entry", quoted(kernelEntry(t_, step))},
                   {"isLibrary", true}}),
      rows, scope_.frame(), body, values,
      initialiser({{"name", quoted(step)},
                   {"kernels", "pb_kernels_" + number},
                   {"kernelCount", 1},
                   {"matrices", "pb_touched_" + number},
                   {"matrixCount", use.matrices.size()},
                   {"valueCount", value},
                   {"box", "pb_items_" + number},
                   {"arguments", "pb_arguments_" + number},
                   {"shared", -1},
                   {"sharedInLoop", -1},
                   {"placement", slot("place", 1)},
                   {"ratio", placementSlot(scope_, "ratio") + ".own"},
                   {"group", slot("group", 3)},
                   {"cells", slot("cells", 3)},
                   {"versions", schedules ? std::to_string(schedules) : ""}}));
  return "pb_device_" + number;
}

} // namespace pbc::emit
