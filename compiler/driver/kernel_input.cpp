// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/kernel_input.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/text_input.h"
#include "compiler/kernel/parse.h"
#include "compiler/poly/names.h"
#include "runtime/base/closest.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <unistd.h>

namespace pbc::driver {

namespace {

/// Of a size: its square still is a number of cells.
constexpr long kMostCells = 1'000'000'000;

} // namespace

void addOptions(CLI::App &app, KernelRequest &request) {
  app.add_option(
         "input", request.file,
         "a program, FILE.pbcc, or kernels in text form, FILE.kernel; `-` for kernels on standard input")
      ->required();
  app.add_option("--kernel", request.kernel, "the kernel of this name only");
  app.add_option("--n", request.n, "the value of all sizes")->check(CLI::Range(1L, kMostCells));
  app.add_option("--size", request.sizes, "the value of one size, NAME=VALUE; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("words", request.words, "after `--`: further options for the compiler, as -DN=4");
}

void requireSizes(const std::string &command, const std::string &file, const sema::Module &module,
                  const std::map<std::string, long> &sizes) {
  std::set<std::string> names;
  for (const sema::Transform &t : module.transforms)
    names.insert(t.sizeVariables.begin(), t.sizeVariables.end());
  std::vector<std::string> shown;
  for (const std::string &known : names)
    shown.push_back(poly::unmangle(known));
  for (const auto &[name, value] : sizes)
    if (!names.contains(name))
      throw Refusal(fmt::format("{}: error: {} has no size {}{}\nhelp: {}\n", command, file,
                                poly::unmangle(name), pb::base::didYouMean(poly::unmangle(name), shown),
                                shown.empty() ? "it has none"
                                              : fmt::format("its sizes are {}", fmt::join(shown, ", "))));
}

std::map<std::string, long> sizesOf(const std::string &command, const std::vector<std::string> &texts) {
  std::map<std::string, long> sizes;
  for (const std::string &text : texts) {
    const std::size_t equals = text.find('=');
    long value = 0;
    const char *end = text.data() + text.size();
    if (equals == std::string::npos || equals == 0 ||
        std::from_chars(text.data() + equals + 1, end, value) != std::from_chars_result{end, std::errc()} ||
        value < 0)
      throw Refusal(
          fmt::format("{}: error: --size={} gives no size a value\nhelp: it is written --size=NAME=VALUE\n",
                      command, text));
    sizes[poly::mangle(text.substr(0, equals))] = value;
  }
  return sizes;
}

KernelInput::KernelInput(const std::string &command, const KernelRequest &request)
    : command_(command), request_(request), sizes_(sizesOf(command, request.sizes)) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  if (request.file.ends_with(".pbcc")) {
    const std::optional<std::string> text = liftedKernels(request.file, request.words, request.withChains);
    if (!text)
      throw Refusal("");
    kernels_ = kernel::parse(sources.add(request.file, *text), context_, diagnostics);
  } else {
    kernels_ = kernel::parse(loadText(sources, request.file, command), context_, diagnostics);
  }
  if (diagnostics.hasErrors())
    throw Refusal(diagnostics.render(isatty(STDERR_FILENO) != 0));
  std::vector<std::string> names;
  for (const kernel::Scheduled &k : kernels_)
    names.push_back(k.name);
  if (kernels_.empty())
    throw Refusal(fmt::format("{}: error: {} has no kernel\nhelp: rules whose bodies were lifted have "
                              "kernels; pbc explain says what could "
                              "not be lifted, and why\n",
                              command, request.file));
  for (const auto &[name, value] : sizes_)
    if (std::none_of(kernels_.begin(), kernels_.end(), [&](const kernel::Scheduled &k) {
          return std::count(k.parameters.begin(), k.parameters.end(), name) > 0;
        }))
      throw Refusal(fmt::format(
          "{}: error: no kernel has a size {}\nhelp: {} has {}\n", command, poly::displayed(name),
          kernels_.front().name,
          kernels_.front().parameters.empty() ? "none" : poly::join(kernels_.front().parameters)));
  if (request.kernel.empty())
    return;
  if (!std::count(names.begin(), names.end(), request.kernel))
    throw Refusal(fmt::format("{}: error: there is no kernel {} here{}\nhelp: the kernels are {}\n", command,
                              request.kernel, pb::base::didYouMean(request.kernel, names),
                              fmt::join(names, ", ")));
  std::erase_if(kernels_, [&](const kernel::Scheduled &k) { return k.name != request.kernel; });
}

std::map<std::string, long> KernelInput::valuesOf(const kernel::Scheduled &kernel) const {
  std::map<std::string, long> values;
  std::vector<std::string> missing;
  for (const std::string &parameter : kernel.parameters) {
    if (const auto given = sizes_.find(parameter); given != sizes_.end())
      values.insert(*given);
    else if (request_.n)
      values[parameter] = *request_.n;
    else
      missing.push_back(poly::displayed(parameter));
  }
  if (!missing.empty())
    throw Refusal(fmt::format(
        "{}: error: {} has no value for {}\nhelp: --n=1024 gives all sizes one, --size={}=1024 this one\n",
        command_, kernel.name, fmt::join(missing, ", "), missing.front()));
  return values;
}

std::string sizesText(const std::map<std::string, long> &values) {
  std::vector<std::string> parts;
  for (const auto &[name, value] : values)
    parts.push_back(fmt::format("{} = {}", poly::displayed(name), value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace pbc::driver
