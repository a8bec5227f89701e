// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/space_command.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/run_command.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/search/chain/chain_space.h"
#include "compiler/search/count.h"
#include "compiler/search/gpu/gpu_nest.h"
#include "compiler/search/nest/nest_space.h"
#include "runtime/base/machine.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

struct SpaceOptions {
  KernelRequest request;
  search::NestOptions nest;
  std::string machine; // "": the processor at hand
  bool isJson = false, listsDecisions = false, noCopies = false, hasTiles = false;
  long mostStates = 300'000;
};

std::string listed() {
  std::string text;
  for (const search::Decision &decision : search::decisions()) {
    text += fmt::format("{}: {}\n", decision.name, decision.doc);
    for (const search::Value &value : decision.values)
      text += fmt::format("    {:<10} {}\n", value.name, value.doc);
    for (const search::Rule &rule : decision.rules)
      text += fmt::format("    {:<10} {}\n", fmt::format("[{}]", rule.id), rule.doc);
  }
  return text;
}

/// "1,234,567" up to 18 digits, "2.71e+19" beyond.
std::string countText(const search::Count &count) {
  std::string text;
  if (count.leaves < 1e18L) {
    text = fmt::format("{}", static_cast<long>(std::llroundl(count.leaves)));
    for (std::size_t at = text.size(); at > 3; at -= 3)
      text.insert(at - 3, ",");
  } else {
    text = fmt::format("{:.3g}", double(count.leaves));
  }
  return count.isExact ? text : "about " + text;
}

class Spaces {
public:
  explicit Spaces(const SpaceOptions &options) : options_(options) {
    if (options.machine.empty())
      return;
    const model::Machine machine = model::findMachine(options.machine);
    if (machine.kind == model::MachineKind::Gpu)
      gpu_ = search::gpuLimitsOf(machine);
  }

  std::string run() {
    const KernelInput input("pbc space", options_.request);
    const MemoryLimit limit(defaultMemoryLimit());
    std::string text;
    Json all = Json::array();
    for (const kernel::Scheduled &kernel : input.kernels()) {
      search::NestOptions nest = options_.nest;
      nest.values = input.valuesOf(kernel);
      nest.streamsBeyond = pb::base::lastCache(pb::base::thisMachine());
      const Json described = gpu_ ? describeOnGpu(kernel, nest) : describe(kernel, nest);
      text += textOf(described);
      all.push_back(described);
    }
    return options_.isJson ? Json{{"kernels", all}}.dump(2) + "\n" : text;
  }

private:
  Json describe(const kernel::Scheduled &kernel, const search::NestOptions &nest) const {
    if (search::isChain(kernel)) {
      if (nest.cores > 1)
        return describe(kernel, nest, {}, search::kChainsAreOfOneCore);
      const search::ChainSpaces made = search::chainSpaces(kernel, nest);
      std::vector<Named> named;
      for (const search::ChainSpace &space : made.spaces)
        named.push_back({space.text(), space.space.get()});
      return describe(kernel, nest, named, made.why);
    }
    const search::NestSpaces made = search::nestSpaces(kernel, nest);
    std::vector<Named> named;
    for (const search::NestSpace &space : made.spaces)
      named.push_back({space.text(), space.space.get()});
    return describe(kernel, nest, named, made.why);
  }

  Json describeOnGpu(const kernel::Scheduled &kernel, const search::NestOptions &nest) const {
    search::GpuNestOptions options{.values = nest.values,
                                   .mostLevels = nest.mostLevels,
                                   .copiesInputs = nest.copiesInputs,
                                   .limits = *gpu_};
    if (options_.hasTiles)
      options.tileSizes = nest.tileSizes;
    const search::GpuNestSpaces made = search::gpuNestSpaces(kernel, options);
    std::vector<Named> named;
    for (const search::GpuNestSpace &space : made.spaces)
      named.push_back({space.text, space.gpu.space.get()});
    return describe(kernel, nest, named, made.why);
  }

  struct Named {
    std::string text;
    const search::Space *space;
  };

  Json describe(const kernel::Scheduled &kernel, const search::NestOptions &nest,
                const std::vector<Named> &named, const std::string &why) const {
    Json out = {{"kernel", kernel.name}, {"sizes", sizesText(nest.values)}};
    if (named.empty()) {
      out["why"] = why;
      return out;
    }
    search::Count sum;
    Json spaces = Json::array();
    for (const Named &space : named)
      spaces.push_back(describe(space, sum, std::max(100L, options_.mostStates / long(named.size()))));
    out["programs"] = double(sum.leaves);
    out["exact"] = sum.isExact;
    out["programs_text"] = countText(sum);
    out["spaces"] = std::move(spaces);
    return out;
  }

  Json describe(const Named &named, search::Count &sum, long mostStates) const {
    const search::Space &space = *named.space;
    const search::Problem &problem = space.problem();
    search::State state(problem);
    Json out = {{"loops", named.text}};
    if (!state.propagate()) {
      out["programs"] = 0;
      out["why"] = space.why(*state.conflict());
      return out;
    }
    const search::Count count = search::countLeaves(state, {.mostStates = mostStates});
    sum.leaves += count.leaves;
    sum.isExact = sum.isExact && count.isExact;
    out["programs"] = double(count.leaves);
    out["exact"] = count.isExact;
    out["programs_text"] = countText(count);
    Json decided = Json::array();
    long removed = 0;
    for (int v = 0; v < int(problem.variables().size()); ++v) {
      const search::Domain first = problem.variables()[std::size_t(v)].initial;
      removed += std::popcount(first) - std::popcount(state.domain(v));
      if (!search::isSingle(first) && state.domain(v) != first)
        decided.push_back(fmt::format("{} is {}", space.nameOf(v), space.valuesOf(v, state.domain(v))));
    }
    out["variables"] = problem.variables().size();
    out["undecided"] = state.openVariables();
    out["removed_values"] = removed;
    out["removed"] = std::move(decided);
    return out;
  }

  static std::string textOf(const Json &kernel) {
    std::string text =
        fmt::format("kernel {}, {}", kernel["kernel"].get<std::string>(), kernel["sizes"].get<std::string>());
    if (kernel.contains("why"))
      return text + fmt::format(": no space, because {}\n", kernel["why"].get<std::string>());
    text += fmt::format(": {} programs in {} spaces\n", kernel["programs_text"].get<std::string>(),
                        kernel["spaces"].size());
    for (const Json &space : kernel["spaces"]) {
      text += fmt::format("  {}\n", space["loops"].get<std::string>());
      if (space.contains("why")) {
        text += fmt::format("    empty: {}\n", space["why"].get<std::string>());
        continue;
      }
      text +=
          fmt::format("    {} programs; {} of {} decisions are open, {} values were removed at the root\n",
                      space["programs_text"].get<std::string>(), space["undecided"].get<long>(),
                      space["variables"].get<long>(), space["removed_values"].get<long>());
      for (const Json &removed : space["removed"])
        text += fmt::format("      {}\n", removed.get<std::string>());
    }
    return text;
  }

  const SpaceOptions &options_;
  std::optional<search::MachineLimits> gpu_;
};

} // namespace

int spaceCommand(int argc, char **argv) {
  SpaceOptions o;
  CLI::App app("Prints the spaces of implementations of kernels: how their loops can be cut into tiles, how "
               "many programs there are "
               "for each way, and what is decided before any decision is taken.",
               "pbc space");
  app.footer("Example:\n  pbc space mm.pbcc --n=1024");
  addOptions(app, o.request);
  o.request.withChains = true;
  app.get_option("input")->required(false);
  app.add_option(
      "--machine", o.machine,
      "a machine of pbc model, or FILE.toml: the spaces are those for it; none: for the processor at hand");
  const CLI::Option *const tiles = app.add_option("--tiles", o.nest.tileSizes, "sizes of tiles")
                                       ->delimiter(',')
                                       ->check(CLI::Range(2L, 65536L));
  app.add_option("--levels", o.nest.mostLevels, "tiles in tiles of one loop")->check(CLI::Range(0, 3));
  app.add_flag("--no-copies", o.noCopies, "without copies of parts of inputs");
  app.add_option("--cores", o.nest.cores, "cores that share the iterations of one loop")
      ->check(CLI::Range(1, 64));
  app.add_option("--states", o.mostStates, "states of all spaces together, after which counts are estimated")
      ->check(CLI::PositiveNumber);
  app.add_flag("--list", o.listsDecisions, "print the decisions, their values and their rules, and end");
  app.add_flag("--json", o.isJson, "print them as JSON");
  try {
    app.parse(argc, argv);
    if (!o.listsDecisions && o.request.file.empty())
      throw CLI::RequiredError("input");
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  o.nest.copiesInputs = !o.noCopies;
  o.hasTiles = tiles->count() > 0;
  return runCommand("pbc space", [&] { return o.listsDecisions ? listed() : Spaces(o).run(); });
}

} // namespace pbc::driver
