// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/reads_back.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/parse.h"
#include "compiler/kernel/print.h"

namespace pbc::driver {

std::vector<std::string> readsBack(const kernel::Scheduled &kernel, poly::Context &ctx) {
  const std::string text = kernel::print(kernel);
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const std::vector<kernel::Scheduled> read = kernel::parse(sources.add("kernel", text), ctx, diagnostics);
  if (read.size() != 1)
    return {"the text of a kernel is not read back:\n" + diagnostics.render() + text};
  if (const std::string again = kernel::print(read.front()); again != text)
    return {"the text of a kernel is another one after reading it:\n" + text + again};
  const auto code = [&](const kernel::Scheduled &k) { return emit::kernelFunction(k, "kernel", "Frame"); };
  if (const std::string before = code(kernel), after = code(read.front()); before != after)
    return {"a kernel that is read back becomes other code:\n" + text + before + after};
  return {};
}

} // namespace pbc::driver
