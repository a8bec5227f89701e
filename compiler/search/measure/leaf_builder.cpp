// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/leaf_builder.h"
#include "compiler/body/prelude.h"
#include "compiler/build/link.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace pbc::search {

LeafBuilder::LeafBuilder(const kernel::Scheduled &lifted, const Arrays &arrays)
    : lifted_(kernel::withLabels(lifted)), arrays_(arrays) {
  folder_ = (std::filesystem::temp_directory_path() / "pbc-search-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr)
    throw std::runtime_error(fmt::format("no folder for the libraries of a search could be made in {}",
                                         std::filesystem::temp_directory_path().string()));
}

LeafBuilder::~LeafBuilder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

LeafBuilder::Leaf LeafBuilder::leaf(const script::Script &script) {
  // What the last script began with need not be done again.
  std::size_t same = 0;
  while (same < std::min(script.size(), before_.size()) && script[same] == before_[same].step)
    ++same;
  before_.erase(before_.begin() + long(same), before_.end());
  for (std::size_t s = same; s < script.size(); ++s) {
    kernel::StepOutcome made = kernel::run(script[s], s == 0 ? lifted_ : before_.back().kernel);
    if (!made.kernel)
      return {"", fmt::format("step {}, `{}`, does not apply: {}", s + 1, script::text(script[s]),
                              made.problem.what)};
    before_.push_back({script[s], std::move(*made.kernel)});
  }
  return {leafFunctions(before_.empty() ? lifted_ : before_.back().kernel, arrays_), ""};
}

LeafBuilder::Built LeafBuilder::compile(const std::vector<std::string> &leaves) {
  build::CompileRequest request;
  request.name = "leaves.cpp";
  request.text = leafProgram(leaves, arrays_);
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
  link.inputs = {{"leaves.o", compiled.output}};
  link.runtime = false;
  link.extraArguments = {"-lmvec", "-lm"};
  const build::LinkResult linked = build::link(link);
  if (!linked.ok)
    return {"", fmt::format("it cannot be linked: {}", linked.messages)};
  return {library, ""};
}

LeafBuilder::Built LeafBuilder::build(const script::Script &script) {
  const Leaf made = leaf(script);
  return made.functions.empty() ? Built{"", made.why} : compile({made.functions});
}

void LeafBuilder::remove(const Built &built) {
  std::error_code ignored;
  std::filesystem::remove(built.library, ignored);
}

} // namespace pbc::search
