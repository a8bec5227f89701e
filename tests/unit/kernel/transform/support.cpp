// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/kernel/transform/support.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/parse.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/sanitized.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <isl/schedule.h>
#include <set>

namespace pbc::kernel {
namespace {

/// The call of a kernel over its whole range, which is cut into the parts of tasks where it has some.
std::string callOf(const Scheduled &kernel, std::size_t number) {
  std::vector<std::string> low, high;
  std::string loops;
  for (std::size_t t = 0; t < kernel.schedule.taskDimensions.size(); ++t) {
    const TaskDimension &task = kernel.schedule.taskDimensions[t];
    const std::string end = poly::cxx(task.high);
    loops += fmt::format("for (long b{0} = {1}; b{0} < {2}; b{0} += 7) ", t, poly::cxx(task.low), end);
    low.push_back(fmt::format("b{}", t));
    high.push_back(fmt::format("pb::minimum(b{} + 7, {})", t, end));
  }
  if (low.empty())
    low = high = {"0"};
  return fmt::format("      {}{{ const long low[] = {{{}}}, high[] = {{{}}}; kernel{}(&f, low, high); }}\n",
                     loops, fmt::join(low, ", "), fmt::join(high, ", "), number);
}

/// A function `runs<name>` that fills matrices, runs the kernels and gives the sum of what is in them, bit by bit. What is in
/// private matrices does not matter.
std::string runOf(const Lifted &lifted, const std::string &name, const std::string &calls,
                  const std::set<std::string> &isPrivate) {
  std::string text = "unsigned long runs" + name + "(Frame f, int step, int most) {\n  seed = 7;\n";
  for (const sema::Matrix &m : lifted.transform().matrices) {
    const std::string id = poly::mangle(m.name);
    std::string sizes;
    for (int d = 0; d < m.rank(); ++d)
      sizes += ", most";
    text += fmt::format("  Matrix<{}, {}> x_{}(step{});\n  f.m_{} = x_{}.region();\n",
                        sema::cxxType(m.element), m.rank(), id, sizes, id, id);
  }
  text += "  {\n" + calls + "  }\n  unsigned long all = 0;\n";
  for (const sema::Matrix &m : lifted.transform().matrices) {
    const std::string id = poly::mangle(m.name);
    if (!isPrivate.contains(id))
      text += fmt::format("  all = bits(x_{}, all);\n", id);
    text += fmt::format("  delete[] x_{}.data;\n", id);
  }
  return text + "  return all;\n}\n";
}

std::string loopsOverSizes(const Scheduled &kernel) {
  std::string text = "  const long sizes[] = {0, 1, 2, 5, 8, 19};\n  const int steps[] = {1, 3};\n";
  for (const std::string &size : kernel.parameters)
    text += fmt::format("  for (long {0} : sizes)\n", size);
  text += "  for (int step : steps) {\n    long most = 0;\n";
  for (const std::string &size : kernel.parameters)
    text += fmt::format("    most = pb::maximum(most, {});\n", size);
  text += "    if (!(" + poly::cxxCondition(kernel.context) + ")) continue;\n    Frame f;\n";
  for (const std::string &size : kernel.parameters)
    text += fmt::format("    f.v_{0} = {0};\n", size);
  return text;
}

const char *kBits = R"(
template <class T, int D> unsigned long bits(const Matrix<T, D> &m, unsigned long all) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(m.data);
  for (unsigned long k = 0; k < m.count * sizeof(T); ++k) all = (all ^ bytes[k]) * 1099511628211ul;
  return all;
}
)";

/// The text of the kernel gives the kernel again.
void expectToReadBack(const Scheduled &kernel) {
  const poly::Context context;
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const std::string text = print(kernel);
  const std::vector<Scheduled> read = parse(sources.add("kernel", text), context, diagnostics);
  for (const auto &d : diagnostics.all())
    ADD_FAILURE() << d->message << " in\n" << text;
  if (!read.empty())
    EXPECT_EQ(print(read.front()), text);
}

} // namespace

script::Script steps(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const std::optional<script::Script> script = syntax::parseScript(sources.add("steps", text), diagnostics);
  EXPECT_TRUE(script) << text;
  return script.value_or(script::Script{});
}

Scheduled after(const Scheduled &kernel, const std::string &script) {
  const ScriptOutcome o = run(steps(script), kernel, Mode::Strict);
  EXPECT_TRUE(o.failed.empty()) << o.failed.front().problem.what;
  EXPECT_THAT(verify(o.kernel), testing::IsEmpty());
  expectToReadBack(o.kernel);
  return o.kernel;
}

std::string whyNot(const Scheduled &kernel, const std::string &script) {
  const ScriptOutcome o = run(steps(script), kernel, Mode::Strict);
  return o.failed.empty() ? "it applies" : o.failed.front().problem.what;
}

std::string scheduleAfter(const Scheduled &kernel, const std::string &script) {
  const std::string text = print(after(kernel, script));
  std::string out = "\n";
  std::size_t begin = text.find('\n', text.find("\n  schedule") + 1) + 1;
  while (begin < text.size() && text.compare(begin, 4, "    ") == 0) {
    const std::size_t end = text.find('\n', begin);
    out += text.substr(begin + 4, end - begin - 3);
    begin = end + 1;
  }
  return out;
}

std::string differences(const std::string &program, const std::vector<std::string> &scripts) {
  Lifted lifted(program);
  if (!lifted.messages.empty())
    return lifted.messages;
  std::vector<Scheduled> kernels;
  const auto add = [&](const Scheduled &kernel) {
    kernels.push_back(kernel);
    return callOf(kernel, kernels.size() - 1);
  };
  std::string calls, functions;
  std::set<std::string> isPrivate;
  for (int step = 0; step < lifted.steps(); ++step) {
    calls += add(lifted.kernel(0, step));
    for (const Buffer &b : kernels.back().buffers)
      if (b.isPrivate)
        isPrivate.insert(b.name);
  }
  const std::string sizes = loopsOverSizes(kernels.front());
  std::string declared;
  for (const std::string &size : kernels.front().parameters)
    declared += fmt::format("    [[maybe_unused]] const long {0} = f.v_{0};\n", size);
  functions = runOf(lifted, "Plain", declared + calls, isPrivate);
  std::string compared;
  for (std::size_t k = 0; k < scripts.size(); ++k) {
    calls.clear();
    std::string why;
    bool isApplied = false;
    for (int step = 0; step < lifted.steps(); ++step) {
      const ScriptOutcome o = run(steps(scripts[k]), lifted.kernel(0, step), Mode::Strict);
      EXPECT_THAT(verify(o.kernel), testing::IsEmpty());
      isApplied |= o.failed.empty();
      if (!o.failed.empty())
        why = o.failed.front().problem.what;
      calls += add(o.failed.empty() ? o.kernel : lifted.kernel(0, step));
    }
    if (!isApplied)
      return scripts[k] + " does not apply: " + why;
    functions += runOf(lifted, std::to_string(k), declared + calls, isPrivate);
    compared += fmt::format("    if (runs{}(f, step, most + 8) != wanted) printf(\"{} at", k, scripts[k]);
    std::string values;
    for (const std::string &size : kernels.front().parameters) {
      compared += fmt::format(" {} = %ld", size);
      values += ", " + size;
    }
    compared += "\\n\"" + values + ");\n";
  }
  const std::string text = kBits + functions + "int main() {\n" + sizes +
                           "    const unsigned long wanted = runsPlain(f, step, most + 8);\n" + compared +
                           "  }\n}\n";
  if (!runsMadeCode()) {
    EXPECT_NE(lifted.text(kernels), "");
    return "";
  }
  return compileAndRun(lifted, kernels, text);
}

} // namespace pbc::kernel
