// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/proofs.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/space/program_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {

namespace {

/// Which edits change what a term counts.
struct Remedy {
  const char *term;
  std::vector<std::string> edits;
};

const std::vector<Remedy> &remedies() {
  static const std::vector<Remedy> all{
      {"compute", {"body", "registers", "vector"}}, {"scalar", {"body", "vector", "lanes"}},
      {"chain", {"partial_sums", "unroll"}},        {"window", {"unroll", "jam", "order"}},
      {"traffic", {"tile", "order", "fission"}},    {"copied", {"tile", "order", "fission"}},
      {"tiles", {"tile", "order", "layout"}},       {"product", {"tile", "registers", "order"}}};
  return all;
}

long largestOf(const Sizes &sizes) {
  long most = 1;
  for (const auto &[name, value] : sizes)
    most = std::max(most, value);
  return most;
}

} // namespace

KernelProof parseProof(const std::string &text, const KernelOption &kernel) {
  KernelProof proof{kernel.transform, kernel.kernel};
  try {
    const auto found = nlohmann::json::parse(text).at("kernels").at(0);
    proof.sizes = found.value("sizes", "");
    proof.why = found.value("why", "");
    if (!proof.why.empty())
      return proof;
    proof.best = found.at("best_seconds");
    const auto &bound = found.at("bound_seconds");
    proof.bound = bound.is_null() ? 0 : bound.get<double>();
    proof.script = found.at("script");
    proof.isDefault = proof.script == found.value("default_script", "");
    proof.limit = found.value("limit", "");
    proof.programs = found.value("space", 0.0);
    proof.measured = found.value("measured", 0L);
    proof.cut = found.value("cut", 0L);
    proof.refuted = found.value("refuted", std::vector<std::string>());
  } catch (const nlohmann::json::exception &problem) {
    throw TunerError(fmt::format("what pbc prove says cannot be read: {}", problem.what()));
  }
  return proof;
}

bool addSizesAndWords(const ProofSettings &settings, const KernelOption &kernel,
                      std::vector<std::string> &command) {
  bool isKnown = kernel.transform == settings.main && kernel.pieces == 1;
  for (const std::string &size : kernel.sizes) {
    const auto at = settings.sizes.find(size);
    isKnown = isKnown && at != settings.sizes.end();
    command.push_back(fmt::format("--size={}={}", size,
                                  at == settings.sizes.end() ? largestOf(settings.sizes) : at->second));
  }
  if (!settings.words.empty())
    command.push_back("--");
  command.insert(command.end(), settings.words.begin(), settings.words.end());
  return isKnown;
}

KernelProof proofOf(const ProofSettings &settings, const KernelOption &kernel, double seconds) {
  constexpr double kBeside = 90; // seconds for reading the program and counting the space
  std::vector<std::string> command{compilerPath(),
                                   "prove",
                                   settings.source,
                                   "--json",
                                   "--quiet",
                                   "--kernel=" + kernel.kernelTitle(),
                                   "--machine=" + settings.machine,
                                   "--journal=" + settings.journal,
                                   fmt::format("--budget={:.3f}", seconds),
                                   fmt::format("--enough={}", settings.enough)};
  const bool isKnown = addSizesAndWords(settings, kernel, command);
  KernelProof proof = parseProof(outputOf(command, seconds + kBeside), kernel);
  proof.isOfRun = isKnown;
  return proof;
}

KernelOption seedOf(const KernelProof &proof, const KernelOption &kernel) {
  KernelOption seed = kernel;
  seed.about = "what the search by lower bounds has found";
  seed.others.clear();
  if (proof.best <= 0 || proof.isDefault)
    return seed;
  for (const std::string &script : {"tasks(); " + proof.script, proof.script})
    if (script != seed.inUse)
      seed.others.push_back(script);
  return seed;
}

std::vector<std::string> firstEdits(const std::string &term) {
  for (const Remedy &remedy : remedies())
    if (remedy.term == term)
      return remedy.edits;
  return {};
}

} // namespace pbc::tuner
