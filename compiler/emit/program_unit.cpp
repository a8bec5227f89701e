// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The unit of a program as a whole: the table of all transforms for each processor, and main().
#include "compiler/emit/initialiser.h"
#include "compiler/emit/parts.h"
#include "compiler/emit/placements.h"
#include "pbc/version.h"
#include <algorithm>
#include <xxhash.h>

namespace pbc::emit {

std::string programHash(const Input &in) {
  std::string text = in.module.name;
  for (const auto &t : in.module.transforms) {
    text += "\n" + t.name;
    for (const auto &a : in.choices[t.index].alternatives)
      text += "|" + a.name;
    for (const double bin : t.bins)
      text += fmt::format("<{}", bin);
    for (const Placement &place : placements(in, t)) {
      text += fmt::format("@{}:{}:{}", place.name, place.itemDimensions, place.hasLocal);
      for (const Version &version : place.versions)
        text += "|" + version.choice;
    }
    for (const auto &k : t.tunables)
      text += fmt::format(";{}:{}:{}:{}:{}", k.name, k.minimum, k.maximum, k.bySize, k.length);
  }
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string codeNamespace(const std::vector<std::string> &processors, const std::string &processor,
                          const std::string &library) {
  std::string name =
      "pb_program" + (library.empty() ? "" : "_" + library) + (processors.size() == 1 ? "" : "_" + processor);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string programUnit(const Input &in, poly::Context &context, const std::string &bakedConfiguration) {
  std::string out = in.library ? "#include \"pb/library.h\"\n" : "#include \"pb/program.h\"\n", table;
  const std::string hash = programHash(in);
  for (const std::string &processor : in.processors) {
    const std::string space = codeNamespace(in.processors, processor, in.library ? in.library->name : "");
    const std::string number = std::to_string(&processor - in.processors.data());
    std::string transforms;
    int count = 0, main = 0;
    for (const auto &t : in.module.transforms) {
      out +=
          fmt::format("namespace {} {{ extern const pb::Transform pb_transform_{}[]; }}\n", space, t.symbol);
      if (t.index == in.module.mainTransform)
        main = count + in.module.mainBin;
      for (int bin = 0; bin < t.binCount(); ++bin, ++count)
        transforms += fmt::format("  &{}::pb_transform_{}[{}],\n", space, t.symbol, bin);
    }
    out +=
        fmt::format("static const pb::Transform *const pb_transforms_{}[] = {{\n{}}};\n", number, transforms);
    table +=
        tableRow({{"abiVersion", "pb::kAbiVersion"},
                  {"name", quoted(in.module.name)},
                  {"hash", quoted(hash)},
                  {"compiler", quoted(PBC_NAME_AND_VERSION)},
                  {"transformCount", count},
                  {"transforms", "pb_transforms_" + number},
                  {"mainTransform", main},
                  {"bakedConfiguration", bakedConfiguration.empty() ? "nullptr" : quoted(bakedConfiguration)},
                  {"processor", quoted(processor)},
                  {"kernels", in.kernelOptions.empty() ? "nullptr" : quoted(in.kernelOptions)}});
  }
  if (in.library)
    return out + fmt::format("static const pb::Program pb_program_table[] = {{\n{}}};\n", table) +
           libraryTables(in, context);
  return out +
         fmt::format("extern \"C\" const pb::Program pb_program_table[] = {{\n{}}};\n"
                     "int main(int argc, char **argv) {{ return pb::pb_main(pb_program_table, {}, argc, "
                     "argv); }}\n",
                     table, in.processors.size());
}

} // namespace pbc::emit
