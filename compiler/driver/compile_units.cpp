// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/compile_units.h"
#include "compiler/body/prelude.h"
#include "compiler/driver/front_end.h"

namespace pbc::driver {
namespace {

/// Each unit for each processor; the program's own unit comes last, for the least capable processor.
std::vector<std::pair<const emit::Unit *, std::string>> versions(const Compilation &c) {
  const std::vector<std::string> &cpus = c.options.cpus;
  std::vector<std::pair<const emit::Unit *, std::string>> all;
  for (const auto &u : c.units)
    for (const auto &cpu : cpus)
      if (&u != &c.units.back())
        all.emplace_back(&u, cpu);
  all.emplace_back(&c.units.back(), cpus.size() > 1 ? "x86-64" : cpus.front());
  return all;
}

} // namespace

std::vector<UnitRequest> unitRequests(Compilation &c) {
  const body::Beginning &beginning = c.understood.beginning;
  std::vector<UnitRequest> out;
  for (const auto &[u, cpu] : versions(c)) {
    const bool isOneOfSeveral = c.options.cpus.size() > 1 && u != &c.units.back();
    build::CompileRequest r = commonRequest(c.options, cpu, beginning.mayThrow);
    r.headers = headersOf(r, beginning);
    r.preambles = c.preambles.source();
    r.name = u->name + (isOneOfSeveral ? "." + cpu : "") + ".cpp";
    r.text = u->text;
    r.files = body::headers(beginning.library);
    r.vectorMath = c.options.vectorMath;
    const std::string space = emit::codeNamespace(c.options.cpus, cpu, c.library ? c.library->name : "");
    if (isOneOfSeveral)
      r.onlyShared = space;
    if (isOneOfSeveral || (c.library && u != &c.units.back()))
      r.extraArguments.push_back("-Dpb_program=" + space);
    r.extraArguments.insert(r.extraArguments.end(), beginning.headerPath.begin(), beginning.headerPath.end());
    if (c.options.stage == Stage::Llvm)
      r.wanted = build::CompileRequest::Output::Llvm;
    if (c.options.stage == Stage::Asm)
      r.wanted = build::CompileRequest::Output::Assembly;
    out.push_back({u, std::move(r)});
  }
  return out;
}

} // namespace pbc::driver
