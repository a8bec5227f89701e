// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/machine.h"
#include "runtime/config/configuration.h"
#include "runtime/matrix/element.h"
#include <cstring>
#include <nlohmann/json.hpp>

namespace pb::config {
namespace {

using Json = nlohmann::ordered_json;

Json values(const Tunable &t, double v) {
  return t.kind == TunableKind::Integer ? Json(static_cast<long>(v)) : Json(v);
}

/// ["Merge", "Sort"]
Json callees(const char *const *calls) {
  Json all = Json::array();
  for (; calls && *calls; ++calls)
    all.push_back(*calls);
  return all;
}

/// [{"site": "place_rows", "uses": ["gpu", "gpu_local"]}]
Json conditions(const Transform &t, const Tunable &u) {
  Json all = Json::array();
  for (int k = 0; k < u.whenCount; ++k)
    for (int s = 0; s < t.siteCount; ++s)
      if (const Site &site = t.sites[s]; !std::strcmp(site.name, u.when[k].site)) {
        Json uses = Json::array();
        for (int a = 0; a < site.alternativeCount; ++a)
          if (u.when[k].uses >> a & 1)
            uses.push_back(site.alternatives[a].name);
        all.push_back({{"site", site.name}, {"uses", std::move(uses)}});
      }
  return all;
}

/// [{"doc": "...", "product": ["group_x_rows", "group_y_rows"], "most": 1024}]
Json constraints(const Transform &t) {
  Json all = Json::array();
  for (int k = 0; k < t.constraintCount; ++k) {
    const Constraint &c = t.constraints[k];
    all.push_back({{"doc", c.doc},
                   {"product", std::vector<std::string>(c.tunables, c.tunables + c.count)},
                   {"most", c.most}});
  }
  return all;
}

Json describeTransform(const Transform &t) {
  Json matrices = Json::array(), sizes = Json::array(), params = Json::array(), sites = Json::array(),
       tunables = Json::array();
  for (int i = 0; i < t.matrixCount; ++i) {
    const MatrixInfo &m = t.matrices[i];
    matrices.push_back({{"name", m.name},
                        {"role", name(m.role)},
                        {"element", name(m.element)},
                        {"rank", m.rank},
                        {"extents", m.extents}});
  }
  for (int i = 0; i < t.sizeCount; ++i)
    sizes.push_back(t.sizeNames[i]);
  for (int i = 0; i < t.paramCount; ++i)
    params.push_back(t.paramNames[i]);
  for (int i = 0; i < t.siteCount; ++i) {
    const Site &s = t.sites[i];
    Json alternatives = Json::array();
    for (int a = 0; a < s.alternativeCount; ++a) {
      alternatives.push_back({{"name", s.alternatives[a].name}, {"doc", s.alternatives[a].doc}});
      if (s.isOnDevice(a))
        alternatives.back()["device"] = true;
      if (s.alternatives[a].calls)
        alternatives.back()["calls"] = callees(s.alternatives[a].calls);
    }
    sites.push_back(
        {{"name", s.name}, {"key", choiceKey(t, s)}, {"doc", s.doc}, {"alternatives", alternatives}});
    if (s.needsDevice)
      sites.back()["device"] = true;
  }
  for (int i = 0; i < t.tunableCount; ++i) {
    const Tunable &u = t.tunables[i];
    Json entry = {{"name", u.name},
                  {"doc", u.doc},
                  {"kind", u.kind == TunableKind::Integer ? "integer" : "float"},
                  {"logarithmic", u.logarithmic},
                  {"initial", values(u, u.initial)},
                  {"min", values(u, u.minimum)},
                  {"max", values(u, u.maximum)}};
    if (u.bySize)
      entry["by_size"] = kSizeBins;
    if (u.length)
      entry["length"] = u.length;
    if (u.isConfig)
      entry["config"] = true;
    if (u.forAccuracy)
      entry["accuracy"] = true;
    if (u.needsDevice)
      entry["device"] = true;
    if (u.whenCount)
      entry["when"] = conditions(t, u);
    tunables.push_back(std::move(entry));
  }
  Json out = {{"name", t.name},  {"matrices", matrices}, {"sizes", sizes},      {"params", params},
              {"generator", {}}, {"sites", sites},       {"tunables", tunables}};
  if (t.constraintCount)
    out["constraints"] = constraints(t);
  if (t.hash)
    out["hash"] = t.hash;
  if (t.generator)
    out["generator"] = t.generator;
  if (t.metric)
    out["accuracy_metric"] = t.metric;
  if (t.better != Better::None) {
    out["accuracy_target"] = t.target;
    out["accuracy_better"] = t.better == Better::Larger ? "larger" : "smaller";
  }
  if (t.feature)
    out["input_feature"] = t.feature;
  if (t.calls)
    out["calls"] = callees(t.calls);
  return out;
}

} // namespace

const char *name(ElementKind kind) { return matrix::name(kind); }
const char *name(Role role) { return role == Role::Input ? "input" : "output"; }

std::string infoJson(const Program &program, const std::vector<DeviceInfo> &found) {
  Json transforms = Json::array(), devices = Json::array(), described = Json::array();
  for (const DeviceInfo &d : found) {
    devices.push_back(d.id);
    described.push_back({{"id", d.id}, {"name", d.name}, {"driver", d.driver}});
  }
  const base::Machine here = base::thisMachine();
  const Json machine = {{"processor", here.processor}, {"cores", here.cores},   {"l1", here.firstCache},
                        {"l2", here.secondCache},      {"l3", here.thirdCache}, {"devices", described}};
  for (int i = 0; i < program.transformCount; ++i)
    transforms.push_back(describeTransform(*program.transforms[i]));
  const Json threads = {{"doc", "worker threads of the whole program"},
                        {"kind", "integer"},
                        {"initial", here.cores},
                        {"min", 1},
                        {"max", kMaxThreads}};
  const Json out = {{"name", program.name},         {"hash", program.hash},
                    {"compiler", program.compiler}, {"processor", program.processor},
                    {"devices", devices},           {"machine", machine},
                    {"threads", threads},           {"main", program.transforms[program.mainTransform]->name},
                    {"transforms", transforms}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace pb::config
