// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/loops.h"
#include "compiler/kernel/tree.h"
#include "compiler/loop/build.h"
#include <isl/aff.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

// Takes fractions of a second; the project's own programs need less.
constexpr unsigned long kAstBudget = 1'000'000;

// One pointer for each matrix that a body uses, as parameters: LLVM uses __restrict of parameters only.
std::string pointerParameters(const kernel::Scheduled &kernel, const Used &used, bool mayShareViews) {
  std::string text;
  for (int b : used.buffers) {
    const Buffer &buffer = kernel.buffers[b];
    text += std::string(", ") + (buffer.role == Buffer::Role::Input ? "const " : "") +
            body::cxxType(buffer.element) + (mayShareViews ? " *" : " *__restrict ") + buffer.name + "_p";
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

std::string body(const kernel::Scheduled &kernel, const loop::Nest &nest, const std::string &declared,
                 const Place &place, Used &used) {
  const LoopText text = printLoops(nest, place, used);
  return text.types + declared + place.function + "([[maybe_unused]] const " + place.frameType +
         " &f, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high" +
         pointerParameters(kernel, used, place.mayShareViews) + ") {\n" +
         (kernel.reassociates ? kReassociate : "") + definitions(nest.buffers, place.unitStride, used) +
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
      if (b.role == Buffer::Role::Local || b.rank == 0)
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

/// The kernel with a schedule that leaves loops as they are.
kernel::Scheduled plain(const kernel::Scheduled &kernel) {
  kernel::Scheduled simple = kernel;
  if (kernel.schedule.plain)
    simple.schedule.tree = *kernel.schedule.plain;
  simple.schedule.plain.reset();
  simple.schedule.registerTile.reset();
  for (Buffer &b : simple.buffers)
    b.lanes = 0;
  return simple;
}

/// The kernel with a schedule whose loops can be printed, and these loops. Loops over sets of many pieces
/// have as many cases; if there are too many, each loop runs over all pieces and tests each point.
kernel::Scheduled printable(const kernel::Scheduled &asked, const poly::Context &ctx, std::string &note,
                            isl::ast_node &nest) {
  if (ctx.withBudget(kAstBudget, [&] { nest = loop::generate(asked); }))
    return asked;
  note = "its loops have too many cases: they run over all points, and conditions inside choose those that "
         "count";
  kernel::Scheduled kernel = plain(asked);
  kernel.schedule.tree = kernel::withSingleLoops(kernel.schedule.tree);
  nest = loop::generate(kernel);
  return kernel;
}

} // namespace

KernelText kernelText(const kernel::Scheduled &asked, const std::string &name, const std::string &frameType,
                      poly::Context &ctx, bool mayShareViews) {
  isl::ast_node ast;
  std::string note;
  const kernel::Scheduled kernel = printable(asked, ctx, note, ast);
  const loop::Nest nest = loop::build(kernel, ast); // of both versions
  Used unit, general;
  const bool hasUnit = walksAlongRows(kernel);
  const std::string generalBody = body(kernel, nest, (hasUnit ? kRare : "") + kGeneral,
                                       {name + "_general", frameType, false, mayShareViews}, general);
  const std::string unitBody =
      hasUnit ? body(kernel, nest, kUnit, {name + "_unit", frameType, true, mayShareViews}, unit) : "";
  std::string isUnit;
  for (int b : unit.buffers)
    if (kernel.buffers[b].rank > 0)
      isUnit += (isUnit.empty() ? "" : " && ") + std::string("f.m_") + kernel.buffers[b].name +
                ".strides()[0] == 1";
  // A loop that LLVM does not vectorise must not give the user a warning.
  std::string text;
  for (const std::string &function : general.vectorFunctions)
    text += "extern \"C\" __attribute__((const)) " + function + " noexcept;\n";
  text += "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n" + unitBody;
  if (!hasUnit || !isUnit.empty())
    text += generalBody;
  text += "static void " + name +
          "(const void *context, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high) {\n"
          "  const " +
          frameType + " &f = *static_cast<const " + frameType + " *>(context);\n";
  const std::string arguments = "(f, low, high" + pointerArguments(kernel, hasUnit ? unit : general) + ");\n";
  if (!hasUnit || isUnit.empty())
    text += "  " + name + (hasUnit ? "_unit" : "_general") + arguments;
  else
    text += "  if (" + isUnit + ")\n    " + name + "_unit" + arguments + "  else\n    " + name + "_general" +
            arguments;
  return {(note.empty() ? "" : "// " + note + "\n") + text + "}\n#pragma clang diagnostic pop\n", note};
}

std::string kernelFunction(const kernel::Scheduled &kernel, const std::string &name,
                           const std::string &frameType, poly::Context &ctx, bool mayShareViews) {
  return kernelText(kernel, name, frameType, ctx, mayShareViews).text;
}

} // namespace pbc::emit
