// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_storage.h"
#include "compiler/choice/spaces.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/emit/shared_memory.h"
#include "compiler/poly/at_values.h"
#include "compiler/poly/names.h"
#include "compiler/schedule/copied_reads.h"
#include "runtime/base/caches.h"
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

/// The temporaries that a plan writes, and so allocates.
std::set<int> allocated(const sema::Transform &t, const schedule::Plan &plan) {
  std::set<int> all;
  for (const schedule::Step &step : plan.steps)
    for (const schedule::RuleUse &use : step.uses)
      for (const sema::Binding &output : t.rules[static_cast<std::size_t>(use.rule)].outputs)
        if (t.matrices[static_cast<std::size_t>(output.matrix)].role == sema::Role::Through)
          all.insert(output.matrix);
  return all;
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

std::optional<double> ExplainedStorage::bytesOf(const sema::Transform &t,
                                                const std::set<int> &matrices) const {
  double all = 0;
  for (const int m : matrices) {
    const sema::Matrix &matrix = t.matrices[static_cast<std::size_t>(m)];
    const std::optional<double> cells = cellsOf(t, matrix);
    if (!cells)
      return std::nullopt;
    all += *cells * bytes(matrix.element);
  }
  return all;
}

std::optional<double> ExplainedStorage::temporariesOf(const sema::Transform &t,
                                                      std::size_t alternative) const {
  const auto at = static_cast<std::size_t>(t.index);
  std::set<int> whole = allocated(t, in_.plans[at].plans[alternative]);
  double inTiles = 0;
  for (const kernel::TileGroup &group : in_.fusions[at][alternative].groups) {
    std::set<int> matrices;
    for (const int m : group.matrices)
      if (whole.erase(m))
        matrices.insert(m);
    const auto all = bytesOf(t, matrices);
    if (!all)
      return std::nullopt;
    // Where they fit into the second cache they exist as wholes, and tiles take half of it (runtime/task/through_tiles.cpp).
    const auto cache = static_cast<double>(pb::pb_cache_bytes(2));
    inTiles += *all <= cache ? *all : std::min(*all, cache / 2);
  }
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    if (const auto before = t.matrices[static_cast<std::size_t>(m)].before;
        before && t.matrices[static_cast<std::size_t>(m)].rank() > 0 &&
        emit::whyCopied(in_, t, alternative, m, *before))
      whole.insert(m); // its values before the call
  const auto others = bytesOf(t, whole);
  return others ? std::optional(inTiles + *others) : std::nullopt;
}

void ExplainedStorage::add(const sema::Transform &t, Json &transform) const {
  Json storage = Json::array();
  const auto &plans = in_.plans[static_cast<std::size_t>(t.index)].plans;
  std::set<int> stored;
  for (const schedule::Plan &plan : plans)
    stored.merge(allocated(t, plan));
  std::set<int> passed;
  for (std::size_t m = 0; m < t.matrices.size(); ++m) {
    const sema::Matrix &matrix = t.matrices[m];
    if (matrix.role != sema::Role::Through) {
      if (!matrix.after)
        passed.insert(static_cast<int>(m));
      continue;
    }
    const schedule::Storage &of = storage_[static_cast<std::size_t>(t.index)][m];
    Json one = {{"matrix", matrix.name}};
    if (!stored.contains(static_cast<int>(m))) {
      one["is_computed"] = false;
      storage.push_back(std::move(one));
      continue;
    }
    one["bytes_formula"] = bytesFormula(matrix);
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
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const auto temporaries = temporariesOf(t, k);
    if (!temporaries)
      return;
    most = std::max(most, *temporaries);
  }
  if (const auto callers = bytesOf(t, passed)) {
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
    if (one.contains("is_computed")) {
      text += fmt::format("  storage of {}: none, because nothing that is computed reads it\n",
                          one["matrix"].get<std::string>());
      continue;
    }
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
