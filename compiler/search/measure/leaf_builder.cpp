// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/leaf_builder.h"
#include "compiler/body/prelude.h"
#include "compiler/build/link.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::search {

LeafBuilder::LeafBuilder(const kernel::Scheduled &lifted, const Arrays &arrays)
    : lifted_(lifted), arrays_(arrays) {
  folder_ = (std::filesystem::temp_directory_path() / "pbc-search-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr)
    throw std::runtime_error(fmt::format("no folder for the libraries of a search could be made in {}",
                                         std::filesystem::temp_directory_path().string()));
}

LeafBuilder::~LeafBuilder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

LeafBuilder::Built LeafBuilder::build(const script::Script &script) {
  const kernel::ScriptOutcome made = kernel::run(script, lifted_, kernel::Mode::Strict);
  if (!made.failed.empty()) {
    const kernel::FailedStep &failed = made.failed.front();
    return {"", fmt::format("step {}, `{}`, does not apply: {}", failed.index + 1,
                            script::text(script[failed.index]), failed.problem.what)};
  }
  build::CompileRequest request;
  request.name = "leaf.cpp";
  request.text = leafProgram(made.kernel, arrays_);
  request.files = body::headers(body::Library::None);
  request.extraArguments = {"-w", "-fno-exceptions"};
  request.preambles = preambles_.source();
  std::string messages;
  request.headers = preamble::Request{leafHeaders(), request.files, build::frontArguments(request, messages)};
  const build::CompileResult compiled = build::compile(request);
  if (!compiled.ok)
    return {"", fmt::format("the compiler refuses its text: {}", compiled.messages)};
  const std::string library = fmt::format("{}/{}.so", folder_, number_++);
  build::LinkRequest link;
  link.kind = build::LinkRequest::Kind::SharedLibrary;
  link.output = library;
  link.inputs = {{"leaf.o", compiled.output}};
  link.runtime = false;
  link.extraArguments = {"-lmvec", "-lm"};
  const build::LinkResult linked = build::link(link);
  if (!linked.ok)
    return {"", fmt::format("it cannot be linked: {}", linked.messages)};
  return {library, ""};
}

void LeafBuilder::remove(const Built &built) {
  std::error_code ignored;
  std::filesystem::remove(built.library, ignored);
}

} // namespace pbc::search
