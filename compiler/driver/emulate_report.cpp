// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_report.h"
#include "compiler/emulate/by_line.h"
#include "compiler/emulate/remedies.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// What half of the parameter is, as a user would say it.
const char *reliefOf(const emulate::Parameter &p) {
  if (p.resource == emulate::Parameter::kIssue)
    return "twice the issue width";
  return p.mode == emulate::Mode::Latency ? "half the latency" : "twice the throughput";
}

Json regionOf(const emulate::LineShare &share) {
  Json region = Json::object();
  if (share.origin.line.isKnown())
    region = {{"line", share.origin.line.number}, {"file", share.origin.line.path}};
  if (!share.origin.rule.empty())
    region["rule"] = share.origin.rule;
  region["value"] = share.value;
  for (const auto &[kind, value] : share.parts)
    region["parts"][nameOf(kind)] = value;
  return region;
}

/// "line 12 0.71 (loads 0.50, stores 0.21)", or "starts 0.05" without a line.
std::string textOf(const Json &region, const std::string &file, bool isOneOfSeveral) {
  std::vector<std::string> parts;
  if (region.contains("parts"))
    for (const auto &[kind, value] : region["parts"].items())
      parts.push_back(fmt::format("{} {:.2f}", kind, value.get<double>()));
  std::string all = fmt::format("{}", fmt::join(parts, ", "));
  if (!region.contains("line"))
    return all;
  const source::Origin origin{{region["file"].get<std::string>(), region["line"].get<unsigned>()},
                              region.value("rule", "")};
  return fmt::format("{} {:.2f}{}", emulate::nameOf(origin, file, isOneOfSeveral),
                     region["value"].get<double>(),
                     parts.empty()       ? ""
                     : parts.size() == 1 ? fmt::format(" ({})", region["parts"].items().begin().key())
                                         : fmt::format(" ({})", all));
}

/// "stage(A), as in its version local: predicted 1.58 times as fast, so that ...", or "stage may help, so that ..." where no version has the step.
std::string remedyText(const Json &remedy) {
  const std::string why = remedy["why"].get<std::string>();
  if (!remedy.contains("steps"))
    return fmt::format("{} may help, {}", remedy["step"].get<std::string>(), why);
  return fmt::format("{}, as in its version {}: predicted {:.2f} times as fast, {}",
                     fmt::join(remedy["steps"].get<std::vector<std::string>>(), "; "),
                     remedy["version"].get<std::string>(), remedy["times_as_fast"].get<double>(), why);
}

} // namespace

void addTo(Json &out, const emulate::Analysis &analysis, const emulate::Trace &trace,
           const emulate::Core &core) {
  const emulate::Verdict verdict = emulate::verdictOf(analysis);
  out["verdict"] = emulate::sentence(verdict, core);
  if (verdict.bottleneck) {
    const emulate::Parameter &p = verdict.bottleneck->parameter;
    out["bottleneck"] = {
        {"resource", p.resource < 0 ? nameOf(p, core) : core.resources[std::size_t(p.resource)].name},
        {"mode", p.mode == emulate::Mode::Latency ? "latency" : "throughput"},
        {"elasticity", verdict.bottleneck->value}};
  }
  Json elasticities = Json::array();
  for (const emulate::Elasticity &e : analysis.all) {
    if (e.value < kNoticed)
      continue;
    Json one = {
        {"parameter", nameOf(e.parameter, core)}, {"value", e.value}, {"relief", reliefOf(e.parameter)}};
    if (e.halved)
      one["halved"] = *e.halved;
    for (const emulate::Remedy &remedy : emulate::remediesFor(e.parameter, core))
      one["remedies"].push_back({{"step", remedy.step}, {"why", remedy.why}});
    for (const emulate::LineShare &share : emulate::byLine(e, trace, kNoticed))
      one["regions"].push_back(regionOf(share));
    elasticities.push_back(std::move(one));
  }
  out["elasticities"] = std::move(elasticities);
  out["rules"] = emulate::rulesOf(trace);
  for (int r = 0; r < int(core.resources.size()); ++r)
    if (const double used = analysis.outcome.throughput(core, r); used >= kNoticed)
      out["used"][core.resources[std::size_t(r)].name] = used;
}

std::string elasticitiesText(const Json &described, const std::string &file) {
  std::string text;
  if (!described.contains("elasticities"))
    return text;
  const bool hasSeveralRules = described["rules"].size() > 1;
  for (const Json &e : described["elasticities"]) {
    text += fmt::format("  {}: {:.2f}", e["parameter"].get<std::string>(), e["value"].get<double>());
    if (e.contains("halved"))
      text += fmt::format("; with {}: {:.2f} of the time", e["relief"].get<std::string>(),
                          e["halved"].get<double>());
    if (e.contains("regions")) {
      std::vector<std::string> parts;
      for (const Json &region : e["regions"])
        parts.push_back(textOf(region, file, hasSeveralRules));
      text += fmt::format("; {}", fmt::join(parts, ", "));
    }
    text += "\n";
    if (&e == &described["elasticities"].front()) // what limits the kernel most
      for (const Json &remedy : e.value("remedies", Json::array()))
        text += "    " + remedyText(remedy) + "\n";
  }
  return text;
}

} // namespace pbc::driver
