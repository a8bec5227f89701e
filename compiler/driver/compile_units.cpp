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

namespace {

build::CompileRequest requestOf(Compilation &c, const emit::Unit &unit, const std::string &cpu,
                                bool isProgram) {
  const body::Beginning &beginning = c.understood.beginning;
  const bool isOneOfSeveral = c.options.cpus.size() > 1 && !isProgram;
  build::CompileRequest r = commonRequest(c.options, cpu, beginning.mayThrow);
  r.headers = headersOf(r, beginning);
  r.preambles = c.preambles.source();
  r.name = unit.name + (isOneOfSeveral ? "." + cpu : "") + ".cpp";
  r.text = unit.text;
  r.files = body::headers(beginning.library);
  r.vectorMath = c.options.vectorMath;
  const std::string space = emit::codeNamespace(c.options.cpus, cpu, c.library ? c.library->name : "");
  if (isOneOfSeveral)
    r.onlyShared = space;
  if (isOneOfSeveral || (c.library && !isProgram))
    r.extraArguments.push_back("-Dpb_program=" + space);
  r.extraArguments.insert(r.extraArguments.end(), beginning.headerPath.begin(), beginning.headerPath.end());
  if (c.options.stage == Stage::Llvm)
    r.wanted = build::CompileRequest::Output::Llvm;
  if (c.options.stage == Stage::Asm)
    r.wanted = build::CompileRequest::Output::Assembly;
  return r;
}

} // namespace

std::vector<UnitRequest> unitRequests(Compilation &c) {
  std::vector<UnitRequest> out;
  for (const auto &[u, cpu] : versions(c))
    out.push_back({u, requestOf(c, *u, cpu, u == &c.units.back())});
  return out;
}

std::vector<build::CompileRequest> kernelRequests(Compilation &c, const std::vector<emit::Unit> &units) {
  std::vector<build::CompileRequest> out;
  for (const emit::Unit &unit : units)
    for (const std::string &cpu : c.options.cpus)
      out.push_back(requestOf(c, unit, cpu, false));
  return out;
}

} // namespace pbc::driver
