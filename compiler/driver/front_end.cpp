// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/front_end.h"
#include "compiler/body/prelude.h"
#include "compiler/sema/module.h"
#include <fmt/format.h>

namespace pbc::driver {

build::CompileRequest commonRequest(const Options &options, const std::string &cpu, bool mayThrow) {
  build::CompileRequest r;
  r.optimisation = options.optimisation;
  r.cpu = cpu;
  r.boundsCheck = options.boundsCheck;
  r.extraArguments = {"-w"};
  if (options.element != sema::Element{})
    r.extraArguments.push_back(fmt::format("-DPB_ELEMENT={}", sema::cxxType(options.element)));
  // Without exceptions no code for unwinding is generated, which saves a seventh of the compile time. In a library every
  // failure is one.
  if (!mayThrow && options.product == Product::Program)
    r.extraArguments.push_back("-fno-exceptions");
  return r;
}

std::optional<preamble::Request> headersOf(build::CompileRequest common, const body::Beginning &beginning) {
  // Folders are part of the key only if the preamble searches them, so that programs in many folders share one.
  const bool isQuoted = beginning.directives.find('"') != std::string::npos;
  for (const std::string &option : beginning.headerPath)
    if (isQuoted || option.starts_with("-I"))
      common.extraArguments.push_back(option);
  std::string messages;
  preamble::Request headers{body::headerLines() + beginning.directives, body::headers(beginning.library),
                            build::frontArguments(common, messages)};
  return headers.arguments.empty() ? std::nullopt : std::optional(std::move(headers));
}

body::FrontEnd frontEndOf(Compilation &c) {
  const auto requestFor = [&c](const body::Beginning &b) {
    build::CompileRequest r = commonRequest(c.options, c.options.cpus.front(), b.mayThrow);
    r.boundsCheck = false; // the methods that check are no accesses that an analysis can follow
    return r;
  };
  return {.arguments =
              [requestFor](const body::Beginning &b) {
                std::string messages;
                return build::frontArguments(requestFor(b), messages);
              },
          .preamble =
              [&c, requestFor](const body::Beginning &b) {
                const auto headers = headersOf(requestFor(b), b);
                return headers ? c.preambles.get(*headers) : nullptr;
              }};
}

} // namespace pbc::driver
