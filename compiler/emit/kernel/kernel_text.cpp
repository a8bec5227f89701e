#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/loops.h"

namespace pbc::emit {

using kernel::Buffer;

namespace {

constexpr unsigned long kAstBudget = 100'000'000;

// One pointer per matrix that a body uses, as parameters: LLVM takes __restrict from parameters only.
std::string pointerParameters(const kernel::Kernel &kernel, const Used &used, bool mayShareViews) {
  std::string text;
  for (int b : used.buffers) {
    const Buffer &buffer = kernel.buffers[b];
    text += std::string(", ") + (buffer.role == Buffer::Role::Input ? "const " : "") +
            body::cxxType(buffer.element) + (mayShareViews ? " *" : " *__restrict ") + buffer.name + "_p";
  }
  return text;
}

std::string pointerArguments(const kernel::Kernel &kernel, const Used &used) {
  std::string text;
  for (int b : used.buffers)
    text += ", f.m_" + kernel.buffers[b].name + ".base()";
  return text;
}

std::string body(const kernel::Kernel &kernel, const isl::ast_node &nest, const Place &place, Used &used) {
  const LoopText text = printLoops(kernel, nest, place, used);
  // The general version is for views with strange strides: small rather than fast.
  return text.types +
         (place.unitStride ? "static inline void "
                           : "[[gnu::cold, gnu::noinline]] __attribute__((minsize)) static void ") +
         place.function + "([[maybe_unused]] const " + place.frameType +
         " &f, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high" +
         pointerParameters(kernel, used, place.mayShareViews) + ") {\n" +
         (kernel.reassociates ? kReassociate : "") + definitions(kernel, place.unitStride, used) +
         text.loops + "}\n";
}

} // namespace

std::string definitions(const kernel::Kernel &kernel, bool unitStride, const Used &used) {
  std::string text;
  for (const std::string &v : used.values)
    text += "  [[maybe_unused]] const auto " + v + "_v = f.v_" + v + ";\n";
  for (int k = 0; k < used.tasks; ++k) {
    const std::string n = std::to_string(k);
    text += "  [[maybe_unused]] const long low" + n + " = low[" + n + "], high" + n + " = high[" + n + "];\n";
  }
  for (const auto &[b, d] : used.strides) {
    const std::string stride = kernel.buffers[b].name + "_s" + std::to_string(d);
    text +=
        "  [[maybe_unused]] const long " + stride + " = " +
        (unitStride && d == 0 ? "1"
                              : "f.m_" + kernel.buffers[b].name + ".strides()[" + std::to_string(d) + "]") +
        ";\n";
  }
  return text;
}

KernelText kernelText(const kernel::Kernel &kernel, const std::string &name, const std::string &frameType,
                      poly::Context &ctx, bool mayShareViews) {
  isl::ast_node nest;
  if (!ctx.withBudget(kAstBudget, [&] { nest = generate(kernel); })) {
    if (kernel.plain) {
      kernel::Kernel simple = kernel;
      simple.schedule = *kernel.plain;
      simple.plain.reset();
      simple.registerTile.reset();
      for (Buffer &b : simple.buffers)
        b.lanes = 0;
      KernelText text = kernelText(simple, name, frameType, ctx, mayShareViews);
      text.note = "the loops of " + kernel.name + " are too many to optimise; the plain order is used";
      return text;
    }
    nest = generate(kernel);
  }
  Used unit, general;
  const std::string unitBody = body(kernel, nest, {name + "_unit", frameType, true, mayShareViews}, unit);
  const std::string generalBody =
      body(kernel, nest, {name + "_general", frameType, false, mayShareViews}, general);
  std::string isUnit;
  for (int b : unit.buffers)
    if (kernel.buffers[b].rank > 0)
      isUnit += (isUnit.empty() ? "" : " && ") + std::string("f.m_") + kernel.buffers[b].name +
                ".strides()[0] == 1";
  // A loop that LLVM declines to vectorise is no matter for a user's warning.
  std::string text;
  for (const std::string &function : unit.vectorFunctions)
    text += "extern \"C\" __attribute__((const)) " + function + " noexcept;\n";
  text += "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n" + unitBody;
  if (!isUnit.empty())
    text += generalBody;
  text += "static void " + name +
          "(const void *context, [[maybe_unused]] const long *low, [[maybe_unused]] const long *high) {\n"
          "  const " +
          frameType + " &f = *static_cast<const " + frameType + " *>(context);\n";
  const std::string arguments = "(f, low, high" + pointerArguments(kernel, unit) + ");\n";
  if (isUnit.empty())
    text += "  " + name + "_unit" + arguments;
  else
    text += "  if (" + isUnit + ")\n    " + name + "_unit" + arguments + "  else\n    " + name + "_general" +
            arguments;
  return {text + "}\n#pragma clang diagnostic pop\n", ""};
}

std::string kernelFunction(const kernel::Kernel &kernel, const std::string &name,
                           const std::string &frameType, poly::Context &ctx, bool mayShareViews) {
  return kernelText(kernel, name, frameType, ctx, mayShareViews).text;
}

} // namespace pbc::emit
