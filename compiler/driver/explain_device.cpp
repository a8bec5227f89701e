// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_device.h"
#include "compiler/cubin/summary.h"
#include "compiler/driver/device_code.h"
#include "compiler/driver/kernel_heading.h"
#include "compiler/driver/problems.h"
#include "compiler/emit/device_texts.h"
#include "runtime/device/cuda/cuda_api.h"
#include <algorithm>
#include <fmt/format.h>
#include <regex>

namespace pbc::driver {
namespace {

/// The bytes that registers of the kernel were spilled to, as the assembler says; nothing if it does not say it.
std::optional<long> spilledBytes(const std::string &messages) {
  static const std::regex pattern("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  std::smatch found;
  if (!std::regex_search(messages, found, pattern))
    return std::nullopt;
  return std::stol(found[1]) + std::stol(found[2]);
}

/// How many instructions access how many bytes.
Json widths(const std::map<int, int> &accesses) {
  Json all = Json::object();
  for (const auto &[bytes, count] : accesses)
    all[std::to_string(bytes)] = count;
  return all;
}

Json describe(emit::DeviceSource kernel, const std::string &device) {
  Json out = heading(kernel);
  if (const std::string why = whyNotBuilt(kernel); !why.empty()) {
    out["left_out"] = why;
    return out;
  }
  pb::device::CudaCode code;
  try {
    code = builtFor(kernel, device);
  } catch (const TooLarge &why) {
    out["left_out"] = why.what();
    return out;
  }
  const cubin::Function function = functionOf(kernel, code);
  const cubin::Summary s = cubin::summarise(function);
  out = heading(kernel); // with the size of the groups that were built
  out["registers"] = function.registers;
  const std::optional<long> spills = spilledBytes(code.messages);
  out["spills"] = spills ? Json(*spills) : Json();
  out["local_bytes"] = function.localBytes;
  out["group_bytes"] = function.groupBytes + kernel.source.dynamicBytes;
  out["asked_group_bytes"] = kernel.source.dynamicBytes;
  out["instructions"] = s.instructions;
  const std::optional<cubin::Loop> &loop = s.innermost;
  out["multiply_add_share"] = loop ? Json(loop->multiplyAddShare()) : Json();
  out["innermost_loop"] = loop ? Json{{"instructions", loop->instructions},
                                      {"multiply_adds", loop->multiplyAdds},
                                      {"group_reads", loop->groupReads}}
                               : Json();
  out["global_loads"] = widths(s.globalLoads);
  out["global_stores"] = widths(s.globalStores);
  out["global_copies"] = widths(s.globalCopies);
  out["group_loads"] = widths(s.groupLoads);
  out["group_stores"] = widths(s.groupStores);
  out["global_bytes_per_point"] =
      kernel.traffic ? Json{{"loaded", kernel.traffic->loaded}, {"stored", kernel.traffic->stored}} : Json();
  out["global_sectors"] = Json::object();
  for (const loop::SectorUse &use : kernel.sectors)
    out["global_sectors"][use.matrix] = {{"reads", use.reads}, {"writes", use.writes}};
  out["bank_conflicts"] = Json::object();
  for (const loop::BankUse &use : kernel.banks)
    out["bank_conflicts"][use.memory] = {{"reads", use.reads}, {"writes", use.writes}};
  return out;
}

/// "4 of 16 bytes, 2 of 8 bytes"; "" for none.
std::string accesses(const char *title, const Json &widths) {
  std::string all;
  for (const auto &[bytes, count] : widths.items())
    all += fmt::format("{}{} of {} bytes", all.empty() ? "" : ", ", count.get<int>(), bytes);
  return all.empty() ? "" : fmt::format("  {}: {}\n", title, all);
}

/// "A_group is read 4 times for each access, by lanes that need one bank"; "" without conflicts.
std::string conflicts(const Json &memories) {
  std::string out;
  for (const auto &[memory, degrees] : memories.items())
    for (const auto &[kind, word] : {std::pair("reads", "read"), std::pair("writes", "written")})
      if (const int degree = degrees[kind].get<int>(); degree > 1)
        out += fmt::format("  bank conflicts: {} is {} in {} turns\n", memory, word, degree);
  return out;
}

/// "A is read in 8.0 times the sectors that the bytes of a warp would fill"; "" where items access neighbours.
std::string strides(const Json &matrices) {
  std::string out;
  for (const auto &[matrix, sectors] : matrices.items())
    for (const auto &[kind, word] : {std::pair("reads", "read"), std::pair("writes", "written")})
      if (const double many = sectors[kind].get<double>(); many >= loop::SectorUse::kManySectors)
        out += fmt::format("  not next to each other: {} is {} in {:.1f} times the sectors that the bytes of "
                           "a warp would fill\n",
                           matrix, word, many);
  return out;
}

std::string prose(const Json &kernel) {
  if (const std::string why = notBuilt(kernel); !why.empty())
    return why;
  const auto number = [&](const char *name) { return kernel[name].get<long>(); };
  std::string out = fmt::format("{}: {} registers", title(kernel), number("registers"));
  if (!kernel["spills"].is_null())
    out += number("spills") ? fmt::format(", {} bytes spilled", number("spills")) : ", nothing spilled";
  if (number("local_bytes"))
    out += fmt::format(", {} bytes of an item's stack", number("local_bytes"));
  if (number("group_bytes"))
    out += fmt::format(", {} bytes of a group's memory{}", number("group_bytes"),
                       number("asked_group_bytes") ? ", for which it asks the driver" : "");
  out += "\n";
  if (const Json &loop = kernel["innermost_loop"]; !loop.is_null()) {
    const int adds = loop["multiply_adds"].get<int>(), reads = loop["group_reads"].get<int>();
    out += fmt::format("  innermost loop: {} instructions", loop["instructions"].get<int>());
    if (adds)
      out += fmt::format(", {} of them multiply-adds ({:.0f} %)", adds,
                         100 * kernel["multiply_add_share"].get<double>());
    if (adds && reads)
      out += fmt::format(", {:.1f} for each read of the group's memory", static_cast<double>(adds) / reads);
    out += "\n";
  }
  return out + accesses("global loads", kernel["global_loads"]) +
         accesses("global stores", kernel["global_stores"]) +
         accesses("copies into the group's memory", kernel["global_copies"]) +
         accesses("reads of the group's memory", kernel["group_loads"]) +
         accesses("writes to it", kernel["group_stores"]) + conflicts(kernel["bank_conflicts"]) +
         strides(kernel["global_sectors"]);
}

} // namespace

std::string explainDevice(const emit::Input &input, const std::string &device,
                          const emit::LaunchRequest &request, bool asJson) {
  Json kernels = Json::array();
  try {
    std::size_t failures = 0;
    for (const emit::DeviceSource &kernel : emit::deviceSources(input, request))
      try {
        kernels.push_back(describe(kernel, device));
      } catch (const pb::device::DeviceError &problem) {
        kernels.push_back(heading(kernel));
        kernels.back()["error"] = problem.what();
        ++failures;
      }
    if (failures && failures == kernels.size())
      throw Refusal(fmt::format("pbc: error: no machine code can be looked at: {}\n",
                                kernels.front()["error"].get<std::string>()));
  } catch (const cubin::Unreadable &problem) {
    throw Refusal(fmt::format("pbc: error: what {0} makes for {1} cannot be read: {2}\n"
                              "help: {0} may not know {1}\n",
                              pb::device::nvrtcVersion(), device, problem.what()));
  }
  tellApart(kernels);
  if (asJson)
    return Json{{"device", device}, {"compiler", pb::device::nvrtcVersion()}, {"kernels", kernels}}.dump(2) +
           "\n";
  std::string out;
  for (const Json &kernel : kernels)
    out += prose(kernel);
  return out.empty() ? "no step of this program has a kernel for devices\n" : out;
}

} // namespace pbc::driver
