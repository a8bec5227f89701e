// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/report.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::compose {
namespace {

using Json = nlohmann::ordered_json;

/// The step of a sequence, or of what is placed in memory behind it.
const script::Step &stepOf(const Variant &variant, const Sequence &sequence, std::size_t index) {
  return index < sequence.mixed.size() ? sequence.mixed[index]
                                       : variant.memory[index - sequence.mixed.size()];
}

std::vector<std::string> linesOf(const script::Script &script) {
  std::vector<std::string> lines;
  for (const script::Step &step : script)
    lines.push_back(script::text(step));
  return lines;
}

/// The mixed steps, and behind them what is placed in memory.
std::string lineOf(const Variant &variant, const Sequence &sequence) {
  script::Script all = sequence.mixed;
  all.insert(all.end(), variant.memory.begin(), variant.memory.end());
  return all.empty() ? "no step" : script::line(all);
}

std::vector<std::size_t> numbersOf(const Variant &variant) {
  std::vector<std::size_t> rules = variant.rules;
  for (std::size_t &rule : rules)
    ++rule;
  return rules;
}

std::string uses(const Report &r) {
  std::string all = r.script;
  for (const Adapted &adapted : r.adaptors)
    all += " + " + script::text(adapted.use);
  return all;
}

/// Those of the steps of all sequences.
std::vector<script::StepParameter> tunablesOf(const Composition &composition) {
  script::Script steps;
  for (const Variant &variant : composition.variants) {
    steps.insert(steps.end(), variant.memory.begin(), variant.memory.end());
    for (const Sequence &sequence : variant.sequences)
      steps.insert(steps.end(), sequence.mixed.begin(), sequence.mixed.end());
  }
  return script::tunables(steps);
}

Json asData(const Report &r) {
  Json sequences = Json::array(), clashes = Json::array();
  int number = 0;
  for (const Variant &variant : r.composition.variants) {
    Json conditions = Json::array();
    for (const script::Condition &condition : variant.conditions)
      conditions.push_back(script::text(condition));
    if (!variant.why.empty())
      clashes.push_back({{"rules", numbersOf(variant)}, {"why", variant.why}});
    for (const Sequence &sequence : variant.sequences) {
      Json omitted = Json::array();
      for (const kernel::FailedStep &failed : sequence.omitted)
        omitted.push_back(
            {{"step", script::text(stepOf(variant, sequence, failed.index))}, {"why", failed.problem.what}});
      sequences.push_back({{"number", ++number},
                           {"rules", numbersOf(variant)},
                           {"provenance", provenance(r.script, variant, r.adaptors)},
                           {"conditions", conditions},
                           {"mixed", linesOf(sequence.mixed)},
                           {"placed", linesOf(variant.memory)},
                           {"kept", linesOf(sequence.kept)},
                           {"omitted", omitted},
                           {"same_as", sequence.sameAs < 0 ? Json() : Json(sequence.sameAs + 1)}});
    }
  }
  Json tunables = Json::array();
  for (const script::StepParameter &p : tunablesOf(r.composition))
    tunables.push_back({{"name", p.name}, {"default", p.numbers.front()}, {"numbers", p.numbers}});
  return {{"kernel", r.kernel},   {"script", uses(r)},      {"kernels", distinct(r.composition).size()},
          {"tunables", tunables}, {"sequences", sequences}, {"clashes", clashes}};
}

std::string counted(std::size_t n, const char *what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string asTable(const Report &r) {
  std::size_t sequences = 0, number = 0;
  for (const Variant &variant : r.composition.variants)
    sequences += variant.sequences.size();
  std::string out = fmt::format("{}: {}: {} make{} {}\n", r.kernel, uses(r), counted(sequences, "sequence"),
                                sequences == 1 ? "s" : "", counted(distinct(r.composition).size(), "kernel"));
  for (const script::StepParameter &p : tunablesOf(r.composition))
    out += fmt::format("      tunable         {}, by default {}\n", script::text(p), p.numbers.front());
  for (const Variant &variant : r.composition.variants) {
    const std::string rules =
        variant.rules.empty() ? "" : fmt::format("rule {}", fmt::join(numbersOf(variant), ", "));
    if (!variant.why.empty())
      out += fmt::format("      {:<16}{:<10}{}\n", "clashes", rules, variant.why);
    for (const Sequence &sequence : variant.sequences) {
      const std::string became =
          sequence.sameAs < 0 ? "kept" : fmt::format("the same as {}", sequence.sameAs + 1);
      out += fmt::format("{:>4}  {:<16}{:<10}{}\n", ++number, became, rules, lineOf(variant, sequence));
      if (sequence.sameAs < 0)
        if (const std::string guard = script::guardText(variant.conditions); !guard.empty())
          out += fmt::format("{:22}{}\n", "", guard);
      for (const kernel::FailedStep &failed : sequence.omitted)
        out += fmt::format("{:22}left out: {}, {}\n", "",
                           script::text(stepOf(variant, sequence, failed.index)), failed.problem.what);
    }
  }
  return out;
}

} // namespace

std::string report(const Report &r, bool asJson) { return asJson ? asData(r).dump(2) + "\n" : asTable(r); }

} // namespace pbc::compose
