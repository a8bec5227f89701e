// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/dialect/cxx.h"
#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/kernel/nest.h"
#include <isl/aff.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

// One pointer for each matrix that a body uses, as parameters: LLVM uses __restrict of parameters only.
std::string pointerParameters(const loop::Nest &nest, const Used &used, bool mayShareViews) {
  std::string text;
  for (const int b : used.buffers) {
    const loop::Matrix &m = nest.buffers[static_cast<std::size_t>(b)];
    text += ", " + Cxx().parameter({m.name + "_p", m.element, true, m.isInput, !mayShareViews});
  }
  return text;
}

std::string pointerArguments(const kernel::Scheduled &kernel, const Used &used) {
  std::string text;
  for (int b : used.buffers)
    text += ", f.m_" + kernel.buffers[b].name + ".base()";
  return text;
}

// The declarations of the two versions. The general one is for views with unusual strides, and for kernels
// that cannot be faster otherwise: it is small rather than fast.
const std::string kUnit = "static inline void ", kGeneral = "__attribute__((minsize)) static void ",
                  kRare = "[[gnu::cold, gnu::noinline]] ";

std::string body(const KernelNest &made, const std::string &declared, const Place &place, Used &used,
                 std::vector<loop::Left> &left) {
  const kernel::Scheduled &kernel = made.kernel;
  LoopText text = printLoops(made.nest, place, used);
  left.insert(left.end(), text.left.begin(), text.left.end());
  return text.types + declared + place.function + "([[maybe_unused]] const " + place.frameType +
         " &f, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high" +
         pointerParameters(made.nest, used, place.mayShareViews) + ") {\n" +
         (kernel.reassociates ? kReassociate : "") + definitions(made.nest.buffers, place, used) +
         text.loops + "}\n";
}

/// Whether some matrix is accessed along dimension 0, where neighbours are contiguous. If none is, as at the
/// left edge of a stencil, all strides are equivalent, and vectors are useless.
bool walksAlongRows(const kernel::Scheduled &kernel) {
  for (const kernel::Statement &s : kernel.statements) {
    if (s.isOpaque)
      return true;
    for (const kernel::Access &a : s.accesses) {
      const Buffer &b = kernel.buffers[a.buffer];
      if (!kernel::isMatrix(b) || b.rank == 0)
        continue;
      isl_pw_multi_aff *at = isl_pw_multi_aff_from_map(a.relation.copy());
      isl_pw_aff *x = isl_pw_multi_aff_get_pw_aff(at, 0);
      const bool moves = isl_pw_aff_involves_dims(
                             x, isl_dim_in, 0, static_cast<unsigned>(s.dimensions.size())) != isl_bool_false;
      isl_pw_aff_free(x);
      isl_pw_multi_aff_free(at);
      if (moves)
        return true;
    }
  }
  return false;
}

} // namespace

KernelText kernelText(const kernel::Scheduled &kernel, const std::string &name, const std::string &frameType,
                      bool mayShareViews, bool rowsAreContiguous) {
  return kernelText(kernelNest(kernel), name, frameType, mayShareViews, rowsAreContiguous);
}

KernelText kernelText(const KernelNest &made, const std::string &name, const std::string &frameType,
                      bool mayShareViews, bool rowsAreContiguous) {
  const kernel::Scheduled &kernel = made.kernel;
  Used unit, general;
  std::vector<loop::Left> left;
  const bool hasUnit = walksAlongRows(kernel);
  const std::string unitBody =
      hasUnit
          ? body(made, kUnit, {name + "_unit", frameType, true, mayShareViews, made.shortRows}, unit, left)
          : "";
  std::string isUnit;
  for (int b : unit.buffers)
    if (kernel.buffers[b].rank > 0 && !rowsAreContiguous && !unit.anyStride.contains(b))
      isUnit += (isUnit.empty() ? "" : " && ") + std::string("f.m_") + kernel.buffers[b].name +
                ".strides()[0] == 1";
  for (const auto &[b, cells] : made.shortRows)
    if (unit.strides.contains({b, 1}))
      isUnit += (isUnit.empty() ? "" : " && ") + std::string("f.m_") +
                kernel.buffers[static_cast<std::size_t>(b)].name +
                ".strides()[1] == " + std::to_string(cells);
  const std::string generalBody =
      hasUnit && isUnit.empty() ? ""
                                : body(made, (hasUnit ? kRare : "") + kGeneral,
                                       {name + "_general", frameType, false, mayShareViews}, general, left);
  // A loop that LLVM does not vectorise must not give the user a warning.
  std::string text;
  for (const std::string &function : generalBody.empty() ? unit.vectorFunctions : general.vectorFunctions)
    text += "extern \"C\" __attribute__((const)) " + function + " noexcept;\n";
  text += "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n" + unitBody;
  text += generalBody + "static void " + name +
          "(const void *context, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high) {\n"
          "  const " +
          frameType + " &f = *static_cast<const " + frameType + " *>(context);\n";
  const std::string arguments = "(f, low, high" + pointerArguments(kernel, hasUnit ? unit : general) + ");\n";
  if (!hasUnit || isUnit.empty())
    text += "  " + name + (hasUnit ? "_unit" : "_general") + arguments;
  else
    text += "  if (" + isUnit + ")\n    " + name + "_unit" + arguments + "  else\n    " + name + "_general" +
            arguments;
  std::erase_if(left, [](const loop::Left &l) { return loop::isExpected(l.why); });
  return {(made.note.empty() ? "" : "// " + made.note + "\n") + text + "}\n#pragma clang diagnostic pop\n",
          made.note, std::move(left)};
}

std::string kernelFunction(const kernel::Scheduled &kernel, const std::string &name,
                           const std::string &frameType, bool mayShareViews, bool rowsAreContiguous) {
  return kernelText(kernel, name, frameType, mayShareViews, rowsAreContiguous).text;
}

} // namespace pbc::emit
