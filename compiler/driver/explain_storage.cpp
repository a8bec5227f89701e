// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_storage.h"
#include "compiler/choice/spaces.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/poly/at_values.h"
#include "compiler/poly/names.h"
#include "compiler/schedule/copied_reads.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

namespace {

/// "16 * n * (n + 1)"
std::string bytesFormula(const sema::Matrix &m) {
  long constant = bytes(m.element);
  std::string factors;
  for (const sema::Affine &extent : m.extents)
    if (extent.names.empty() && extent.written.find_first_not_of("0123456789") == std::string::npos)
      constant *= std::stol(extent.written);
    else if (extent.written.find_first_of("+-*/ ") == std::string::npos)
      factors += " * " + extent.written;
    else
      factors += " * (" + extent.written + ")";
  return std::to_string(constant) + factors;
}

/// The temporaries that a plan writes, and so allocates, as whole matrices.
std::set<int> notAllocated(const sema::Transform &t, const schedule::Plan &plan,
                           const kernel::Fusion &fusion) {
  std::set<int> none;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    none.insert(m);
  for (const schedule::Step &step : plan.steps)
    for (const schedule::RuleUse &use : step.uses)
      for (const sema::Binding &output : t.rules[static_cast<std::size_t>(use.rule)].outputs)
        none.erase(output.matrix);
  for (const kernel::TileGroup &group : fusion.groups)
    none.insert(group.matrices.begin(), group.matrices.end());
  return none;
}

} // namespace

ExplainedStorage::ExplainedStorage(const emit::Input &in, const poly::Context &context,
                                   const std::vector<std::vector<schedule::Storage>> &storage,
                                   const BoundOptions &sizes)
    : in_(in), context_(context), storage_(storage), n_(sizes.n),
      given_(sizesOf("pbc explain", sizes.sizes)) {}

std::optional<double> ExplainedStorage::cellsOf(const sema::Transform &t, const sema::Matrix &m) const {
  const choice::Spaces spaces(t, context_);
  std::map<std::string, long> values;
  for (const std::string &name : spaces.parameters())
    if (const auto at = given_.find(name); at != given_.end())
      values.insert(*at);
    else if (n_)
      values[name] = *n_;
  double cells = 1;
  for (const sema::Affine &extent : m.extents) {
    for (const std::string &name : extent.names)
      if (!values.contains(poly::mangle(name)))
        return std::nullopt;
    const isl::pw_aff length(isl_set_get_ctx(spaces.context().get()),
                             fmt::format("{}{{ [({})] }}", spaces.prefix(), extent.isl));
    cells *= static_cast<double>(poly::atValues(length, values));
  }
  return cells;
}

std::optional<double> ExplainedStorage::bytesOf(const sema::Transform &t, bool areTemporary,
                                                const std::set<int> &without) const {
  double all = 0;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m) {
    const sema::Matrix &matrix = t.matrices[static_cast<std::size_t>(m)];
    if ((matrix.role == sema::Role::Through) != areTemporary || without.contains(m) || matrix.after)
      continue;
    const std::optional<double> cells = cellsOf(t, matrix);
    if (!cells)
      return std::nullopt;
    all += *cells * bytes(matrix.element);
  }
  return all;
}

void ExplainedStorage::add(const sema::Transform &t, Json &transform) const {
  Json storage = Json::array();
  for (std::size_t m = 0; m < t.matrices.size(); ++m) {
    const sema::Matrix &matrix = t.matrices[m];
    if (matrix.role != sema::Role::Through)
      continue;
    const schedule::Storage &of = storage_[static_cast<std::size_t>(t.index)][m];
    Json one = {{"matrix", matrix.name}, {"bytes_formula", bytesFormula(matrix)}};
    if (of.versions)
      one["versions"] = of.versions->written;
    if (of.slots)
      one["slots"] = *of.slots;
    if (const auto cells = cellsOf(t, matrix))
      one["bytes"] = *cells * bytes(matrix.element);
    if (const auto copied = schedule::copiedMatrix(t, static_cast<int>(m)))
      one["copy_of"] = t.matrices[static_cast<std::size_t>(*copied)].name;
    if (!of.whyNotFewer.empty())
      one["why_not_fewer"] = of.whyNotFewer;
    storage.push_back(std::move(one));
  }
  if (!storage.empty())
    transform["storage"] = std::move(storage);
  if (!n_ && given_.empty())
    return;
  double most = 0;
  const auto &plans = in_.plans[static_cast<std::size_t>(t.index)].plans;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const auto temporaries =
        bytesOf(t, true, notAllocated(t, plans[k], in_.fusions[static_cast<std::size_t>(t.index)][k]));
    if (!temporaries)
      return;
    most = std::max(most, *temporaries);
  }
  if (const auto callers = bytesOf(t, false, {})) {
    const auto &facts = in_.facts[static_cast<std::size_t>(t.index)];
    transform["memory"] = {
        {"temporaries", most},
        {"inputs_and_outputs", *callers},
        {"calls_need_more",
         std::any_of(facts.begin(), facts.end(), [](const body::Facts &f) { return !f.callees.empty(); })}};
  }
}

std::string storageText(const Json &transform) {
  std::string text;
  for (const Json &one : transform.value("storage", Json::array())) {
    std::string what;
    if (one.contains("slots"))
      what = fmt::format("{} for its {} versions, ",
                         one["slots"] == 1 ? "one slot" : fmt::format("{} slots", one["slots"].get<long>()),
                         one["versions"].get<std::string>());
    else if (one.contains("versions"))
      what = fmt::format("all {} versions, ", one["versions"].get<std::string>());
    text += fmt::format("  storage of {}: {}{} bytes", one["matrix"].get<std::string>(), what,
                        one["bytes_formula"].get<std::string>());
    if (one.contains("bytes"))
      text += fmt::format(" = {:.0f}", one["bytes"].get<double>());
    if (one.contains("copy_of"))
      text += fmt::format("; copies of cells of `{}` that a step reads at many points and overwrites",
                          one["copy_of"].get<std::string>());
    if (one.contains("why_not_fewer"))
      text += "; " + one["why_not_fewer"].get<std::string>();
    text += "\n";
  }
  if (transform.contains("memory")) {
    const Json &memory = transform["memory"];
    text += fmt::format(
        "  memory: {:.0f} bytes of temporaries, {:.0f} bytes of inputs and outputs{}\n",
        memory["temporaries"].get<double>(), memory["inputs_and_outputs"].get<double>(),
        memory["calls_need_more"].get<bool>() ? "; without what the transforms need that it calls" : "");
  }
  return text;
}

} // namespace pbc::driver
