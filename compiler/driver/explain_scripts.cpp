// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_scripts.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

namespace {

/// What an edit writes in place of a step: "jam(y; 2)", "order(x, y); tasks(); vector(y)", "" without it.
std::string writtenBy(const kernel::Edit &edit, const script::Script &before) {
  const auto from = [&](const script::Script &script, std::size_t at) {
    return script::Script(script.begin() + static_cast<std::ptrdiff_t>(std::min(at, script.size())),
                          script.end());
  };
  using Kind = kernel::Edit::Kind;
  const script::Script now = from(edit.script, edit.at);
  const std::size_t own = edit.kind == Kind::Remove ? 0 : 1;
  const bool isRestSame = from(now, own) == from(before, edit.kind == Kind::Insert ? edit.at : edit.at + 1);
  return script::line(isRestSame ? script::Script(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(own))
                                 : now);
}

} // namespace

Json scriptsOf(const KernelSpace &space) {
  Json edits = Json::array();
  for (const kernel::Edit &edit : space.neighbours.edits) {
    if (edits.empty() || edits.back()["of"] != edit.of)
      edits.push_back({{"of", edit.of}, {"others", Json::array()}});
    edits.back()["others"].push_back(script::line(edit.script));
  }
  const auto &slow = space.neighbours.withoutVectors;
  return {{"in_use", script::line(space.script)},
          {"without_vectors", slow ? Json(script::line(*slow)) : Json()},
          {"edits", edits}};
}

Json editsOf(const kernel::Report &report) {
  Json all = Json::array();
  for (const kernel::Edit &edit : report.edits)
    all.push_back({{"step", edit.at},
                   {"of", edit.of},
                   {"edit", edit.kind == kernel::Edit::Kind::Insert   ? "before"
                            : edit.kind == kernel::Edit::Kind::Remove ? "without"
                                                                      : "instead"},
                   {"steps", writtenBy(edit, report.script)},
                   {"script", script::line(edit.script)}});
  return all;
}

std::string stepsText(const Json &step) {
  const Json &script = step["script"], alternatives = step.value("alternatives", Json::array());
  std::string out;
  for (std::size_t k = 0; k <= script.size(); ++k) {
    if (k < script.size())
      out += fmt::format("        {};\n", script[k].get<std::string>());
    std::string about;
    for (const auto &one : alternatives) {
      if (one["step"] != k)
        continue;
      const std::string edit = one["edit"], steps = one["steps"], line = one["of"].get<std::string>() + edit;
      const std::string how = edit == "before"    ? k < script.size() ? "before it " : "at the end "
                              : edit == "without" ? "without it"
                                                  : "";
      out += line == about ? " | " : fmt::format("{}          or {}", about.empty() ? "" : "\n", how);
      out += edit == "without" && !steps.empty() ? ", " + steps : steps;
      about = line;
    }
    out += about.empty() ? "" : "\n";
  }
  return out.empty()      ? ""
         : script.empty() ? "      made by no steps: these are the rule's own loops\n" + out
                          : "      made by the steps\n" + out;
}

} // namespace pbc::driver
