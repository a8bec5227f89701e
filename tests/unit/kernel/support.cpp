// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/kernel/support.h"
#include "compiler/choice/verify.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/lift.h"
#include "compiler/schedule/copied_reads.h"
#include "compiler/schedule/private_matrices.h"
#include "compiler/schedule/verify.h"
#include "compiler/schedule/versions.h"

namespace pbc::kernel {

Lifted::Lifted(const std::string &program) {
  const source::FileId file = sources_.add("test.pbcc", program);
  program_ = syntax::parse(syntax::preprocess(sources_, file, diagnostics_), file, diagnostics_);
  if (!diagnostics_.hasErrors())
    module_ = sema::check(program_, "test", "", diagnostics_);
  if (!diagnostics_.hasErrors())
    facts_ = body::understand(module_, diagnostics_).facts;
  if (!diagnostics_.hasErrors())
    choices_ = choice::chooseGrids(module_, facts_, context_, diagnostics_);
  if (!diagnostics_.hasErrors())
    plans_ = schedule::plan(module_, facts_, choices_, context_, diagnostics_);
  if (!diagnostics_.hasErrors()) {
    schedule::copyReads(module_, facts_, choices_, plans_, context_);
    for (const auto &violations :
         {choice::verify(module_, choices_, context_), schedule::verify(module_, choices_, plans_)})
      for (const std::string &violation : violations)
        messages += violation + "\n";
  }
  if (!diagnostics_.hasErrors())
    module_ = schedule::foldVersions(module_, facts_, choices_, plans_).module;
  for (const auto &d : diagnostics_.all())
    messages += d->message + "\n";
}

Scheduled Lifted::kernel(int plan, int step) {
  const schedule::Step &lifted = plans_.at(0).plans.at(plan).steps.at(step);
  return lift(transform(), lifted, facts_.at(0), choices_.at(0).grid, context_,
              schedule::privateMatrices(transform(), plans_.at(0), lifted))
      .kernel;
}

std::string Lifted::text(const std::vector<Scheduled> &kernels, const std::string &before) {
  std::string text = "#include \"runtime/abi/region.h\"\n#include \"runtime/abi/index.h\"\n#include "
                     "\"runtime/abi/predicates.h\"\n#include "
                     "\"runtime/abi/register_tile.h\"\n#include \"runtime/abi/streaming_stores.h\"\nextern "
                     "\"C\" double fmin(double, double), fmax(double, double);\nstruct Frame {\n";
  for (const std::string &n : parameterNames(transform()))
    text += "  long v_" + n + ";\n";
  for (const sema::Tunable &t : transform().tunables)
    if (t.isFloat)
      text += "  double v_" + poly::mangle(t.name) + ";\n";
  for (const sema::Matrix &m : transform().matrices)
    text += std::string("  pb::Region<") + sema::cxxType(m.element) + ", " + std::to_string(m.rank()) +
            "> m_" + poly::mangle(m.name) + ";\n";
  text += "};\n" + before;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    text += emit::kernelFunction(kernels[k], "kernel" + std::to_string(k), "Frame");
  return text;
}

} // namespace pbc::kernel
