// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/kernel_requests.h"
#include "compiler/syntax/parse.h"
#include "tuner/space/toml.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <toml++/toml.h>

namespace pbc::driver {
namespace {

/// toml++ counts lines and columns from 1; a key's or value's end may be on another line.
source::Span spanOf(const toml::source_region &region, source::FileId file,
                    const source::SourceManager &sources) {
  const std::string_view line = sources.line(file, region.begin.line), text = sources.text(file);
  const auto start = static_cast<std::size_t>(line.data() - text.data());
  const std::size_t begin = std::min<std::size_t>(region.begin.column - 1, line.size());
  const std::size_t end = region.end.line == region.begin.line
                              ? std::min<std::size_t>(region.end.column - 1, line.size())
                              : line.size();
  return {file, static_cast<std::uint32_t>(start + begin), static_cast<std::uint32_t>(start + end)};
}

std::string knownOptions() {
  std::vector<std::string> names;
  for (const auto &o : kernel::scheduleOptions())
    names.emplace_back(o.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A string of TOML, mapped to its place between the quotes; one with escapes is as a whole at that place.
source::MappedText textAt(const source::Span &node, const std::string &value, std::string_view file) {
  source::MappedText text;
  for (const std::string_view quotes :
       {"\"\"\"\n", "\"\"\"\r\n", "'''\n", "'''\r\n", "\"\"\"", "'''", "\"", "'"}) {
    const std::size_t begin = node.begin + quotes.size();
    if (file.substr(node.begin, quotes.size()) != quotes || file.substr(begin, value.size()) != value)
      continue;
    text.append(
        value,
        {node.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + value.size())},
        true);
    return text;
  }
  text.append(value, node, false);
  return text;
}

bool isNumber(const std::string &value) {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
}

} // namespace

KernelRequests::KernelRequests(source::FileId file, const source::SourceManager &sources,
                               source::Diagnostics &diagnostics) {
  toml::table root;
  try {
    root = toml::parse(sources.text(file));
  } catch (const toml::parse_error &) {
    return;
  }
  const toml::table *kernels = root["kernels"].as_table();
  if (!kernels)
    return;
  const auto span = [&](const toml::source_region &region) { return spanOf(region, file, sources); };
  const auto isTable = [&](const toml::key &key, const toml::node &node) {
    if (!node.is_table())
      diagnostics
          .error(span(key.source()),
                 fmt::format("`{}` is not the option of a kernel", std::string(key.str())))
          .help("write the transform, the rule and the option: TRANSFORM.RULE.jam = 2");
    return node.is_table();
  };
  for (const auto &[transform, ofTransform] : *kernels) {
    // A transform called `kernels` has its own entries here, which are not tables.
    if (!ofTransform.is_table())
      continue;
    for (const auto &[kernel, ofKernel] : *ofTransform.as_table()) {
      if (!isTable(kernel, ofKernel))
        continue;
      for (const auto &[key, node] : *ofKernel.as_table()) {
        const std::string name(key.str());
        const kernel::ScheduleOption *option = kernel::findScheduleOption(name);
        if (!option) {
          diagnostics.error(span(key.source()), fmt::format("a kernel has no option `{}`", name))
              .help(fmt::format("the options are {}", knownOptions()));
          continue;
        }
        std::string value;
        if (const auto number = node.value_exact<int64_t>())
          value = std::to_string(*number);
        else if (const auto text = node.value_exact<std::string>())
          value = *text;
        const bool isScript = name == kernel::kScriptOption;
        if (isScript ? !node.is_string() : !kernel::isValue(*option, value)) {
          diagnostics
              .error(span(node.source()), isScript ? fmt::format("`{}` is a text in quotes", name)
                                          : !node.is_string() && value.empty()
                                              ? fmt::format("`{}` is a number or a text in quotes", name)
                                              : fmt::format("`{}` cannot be `{}`", name, value))
              .help(fmt::format("`{}`, {}, is {}", name, option->doc, option->values));
          continue;
        }
        Request request{
            std::string(transform.str()), std::string(kernel.str()), name, value, span(transform.source()),
            span(kernel.source()),        span(key.source())};
        if (isScript) {
          const auto steps =
              syntax::parseScript(textAt(span(node.source()), value, sources.text(file)), diagnostics);
          if (!steps)
            continue;
          request.script = *steps;
        }
        requests_.push_back(std::move(request));
      }
    }
  }
  refuseBesideScripts(diagnostics);
}

void KernelRequests::refuseBesideScripts(source::Diagnostics &diagnostics) const {
  for (const Request &r : requests_)
    if (!r.isScript() && scriptOf(r.transform, r.kernel))
      diagnostics
          .error(r.span, fmt::format("`{}` stands beside a `script`, which is the whole schedule of `{}.{}`",
                                     r.option, r.transform, r.kernel))
          .help("leave one of the two out, or write the option as a step of the script");
}

const script::Script *KernelRequests::scriptOf(const std::string &transform,
                                               const std::string &kernel) const {
  for (const Request &r : requests_)
    if (r.isScript() && r.transform == transform && r.kernel == kernel)
      return &r.script;
  return nullptr;
}

kernel::Asked KernelRequests::of(const std::string &transform, const std::string &kernel) const {
  kernel::Asked asked;
  for (const Request &r : requests_)
    if (!r.isScript() && r.transform == transform && r.kernel == kernel)
      asked[r.option] = r.value;
  return asked;
}

void KernelRequests::check(const emit::Input &in, const Reports &reports,
                           source::Diagnostics &diagnostics) const {
  std::map<std::string, std::map<std::string, std::vector<const kernel::Report *>>> known;
  std::vector<std::string> transforms;
  for (const auto &t : in.module.transforms) {
    const auto &plans = in.plans[t.index].plans;
    for (std::size_t p = 0; p < plans.size(); ++p)
      for (std::size_t s = 0; s < plans[p].steps.size(); ++s)
        if (in.kernels[t.index][p][s])
          known[t.name][schedule::stepName(t, plans[p].steps[s])].push_back(&reports[t.index][p][s]);
  }
  for (const auto &[name, kernels] : known)
    transforms.push_back("`" + name + "`");
  for (const Request &r : requests_) {
    const auto transform = known.find(r.transform);
    if (transform == known.end()) {
      diagnostics
          .error(r.transformSpan, fmt::format("the program has no transform `{}` with kernels", r.transform))
          .help(transforms.empty() ? "all its rules call transforms"
                                   : fmt::format("transforms with kernels: {}", fmt::join(transforms, ", ")));
      continue;
    }
    const auto kernels = transform->second.find(r.kernel);
    if (kernels == transform->second.end()) {
      std::vector<std::string> names;
      for (const auto &[name, all] : transform->second)
        names.push_back("`" + name + "`");
      diagnostics.error(r.kernelSpan, fmt::format("`{}` has no kernel `{}`", r.transform, r.kernel))
          .help(fmt::format("its kernels, called after the rules that they compute: {}",
                            fmt::join(names, ", ")));
      continue;
    }
    const kernel::Note *refused = nullptr;
    bool applies = false;
    for (const kernel::Report *report : kernels->second) {
      const auto at = std::find_if(report->refused.begin(), report->refused.end(),
                                   [&](const kernel::Note &n) { return n.transformation == r.option; });
      applies |= at == report->refused.end();
      if (at != report->refused.end() && !refused)
        refused = &*at;
    }
    if (applies)
      continue;
    const std::string help =
        refused->help.empty() ? "`pbc explain --kernels` lists what each kernel can have" : refused->help;
    if (r.isScript())
      diagnostics
          .error(refused->span.end ? refused->span : r.span,
                 fmt::format("the kernel `{}` of `{}` cannot have this script: {}", r.kernel, r.transform,
                             refused->why))
          .help(help);
    else
      diagnostics
          .error(r.span, fmt::format("the kernel `{}` of `{}` cannot have {} = {}: {}", r.kernel, r.transform,
                                     r.option, r.value, refused->why))
          .help(help);
  }
}

std::string KernelRequests::text() const {
  std::set<std::string> lines;
  for (const Request &r : requests_)
    lines.insert(fmt::format("{}.{}.{} = {}\n", tuner::tomlKey(r.transform), tuner::tomlKey(r.kernel),
                             r.option, isNumber(r.value) ? r.value : tuner::tomlText(r.value)));
  return fmt::format("{}", fmt::join(lines, ""));
}

void addSpace(std::vector<KernelSpace> &spaces, const KernelSpace &one) {
  const auto at = std::find_if(spaces.begin(), spaces.end(), [&](const KernelSpace &s) {
    return s.transform == one.transform && s.kernel == one.kernel;
  });
  if (at == spaces.end()) {
    spaces.push_back(one);
    return;
  }
  at->pieces += one.pieces;
  for (const std::string &size : one.sizes)
    if (std::find(at->sizes.begin(), at->sizes.end(), size) == at->sizes.end())
      at->sizes.push_back(size);
  if (one.neighbours.edits.size() > at->neighbours.edits.size()) {
    at->script = one.script;
    at->neighbours = one.neighbours;
  }
  for (const kernel::OptionSpace &option : one.options) {
    const auto same = std::find_if(at->options.begin(), at->options.end(),
                                   [&](const auto &o) { return o.option == option.option; });
    if (same == at->options.end()) {
      at->options.push_back(option);
      continue;
    }
    for (const std::string &value : option.others)
      if (value != same->inUse &&
          std::find(same->others.begin(), same->others.end(), value) == same->others.end())
        same->others.push_back(value);
  }
}

} // namespace pbc::driver
