#include "runtime/base/machine.h"
#include "runtime/config/configuration.h"
#include "runtime/matrix/element.h"
#include <nlohmann/json.hpp>

namespace pb::config {
namespace {

using Json = nlohmann::ordered_json;

Json values(const Tunable &t, double v) {
  return t.kind == TunableKind::Integer ? Json(static_cast<long>(v)) : Json(v);
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
    for (int a = 0; a < s.alternativeCount; ++a)
      alternatives.push_back({{"name", s.alternatives[a].name}, {"doc", s.alternatives[a].doc}});
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
    tunables.push_back(std::move(entry));
  }
  Json out = {{"name", t.name},  {"matrices", matrices}, {"sizes", sizes},      {"params", params},
              {"generator", {}}, {"sites", sites},       {"tunables", tunables}};
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
