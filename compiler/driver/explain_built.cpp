// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_built.h"
#include "compiler/driver/device_code.h"
#include "compiler/driver/kernel_heading.h"
#include "compiler/driver/problems.h"
#include "runtime/device/device.h"
#include <fmt/format.h>

namespace pbc::driver {
namespace {

std::unique_ptr<pb::device::Device> opened(const std::string &name) {
  std::vector<std::string> complaints;
  std::vector<std::unique_ptr<pb::device::Device>> all = pb::device::openDevices(name, complaints);
  if (all.empty())
    throw Refusal(fmt::format("pbc: error: the kernels cannot be built: {}\n",
                              complaints.empty() ? "there is no such device" : complaints.front()));
  return std::move(all.front());
}

Json builtOn(emit::DeviceSource kernel, pb::device::Device &device) {
  Json out = heading(kernel);
  std::string why = whyNotBuilt(kernel);
  std::unique_ptr<pb::device::Kernel> built;
  if (why.empty())
    try {
      const pb::device::Description &about = device.about();
      const auto given = static_cast<long>(about.localBytes),
                 most = static_cast<long>(std::max(about.localBytes, about.mostLocalBytes));
      forGroupsThatFit(kernel, [&] {
        askForMemory(kernel, given, most);
        built = device.build(kernel.source);
      });
      out = heading(kernel); // with the size of the groups that were built
    } catch (const TooLarge &large) {
      why = large.what();
    } catch (const pb::device::DeviceError &problem) {
      out["error"] = problem.what();
    }
  if (!why.empty())
    out["left_out"] = why;
  if (built)
    if (const auto needs = built->needs()) {
      out["group_bytes"] = needs->groupBytes;
      out["item_bytes"] = needs->itemBytes;
      out["most_items"] = needs->mostItems;
    }
  return out;
}

std::string whatItNeeds(const Json &kernel) {
  if (const std::string why = notBuilt(kernel); !why.empty())
    return why;
  if (!kernel.contains("group_bytes"))
    return title(kernel) + ": built\n";
  const auto number = [&](const char *name) { return kernel[name].get<unsigned long>(); };
  return fmt::format(
      "{}: built, {} bytes of a group's memory, {} bytes of an item's, at most {} items a group\n",
      title(kernel), number("group_bytes"), number("item_bytes"), number("most_items"));
}

} // namespace

std::string explainBuilt(const emit::Input &input, const std::string &device,
                         const emit::LaunchRequest &request, bool asJson) {
  const auto kernels = emit::deviceSources(input, request);
  const std::unique_ptr<pb::device::Device> on = opened(device);
  Json all = Json::array();
  for (const emit::DeviceSource &kernel : kernels)
    all.push_back(builtOn(kernel, *on));
  tellApart(all);
  const pb::device::Description &about = on->about();
  if (asJson)
    return Json{{"device", device}, {"compiler", about.name + ", " + about.driver}, {"kernels", all}}.dump(
               2) +
           "\n";
  std::string out;
  for (const Json &kernel : all)
    out += whatItNeeds(kernel);
  return out.empty() ? "no step of this program has a kernel for devices\n" : out;
}

} // namespace pbc::driver
