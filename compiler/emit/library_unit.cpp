// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a library has where a program has main(): its tables, and a function of C for each transform.
#include "compiler/emit/c_functions.h"
#include "compiler/emit/initialiser.h"
#include "compiler/emit/parts.h"
#include "pbc/version.h"
#include <algorithm>
#include <fmt/ranges.h>

namespace pbc::emit {
namespace {

std::string table(const std::string &type, const std::string &name, const std::string &rows) {
  return rows.empty() ? "" : fmt::format("static const {} {}[] = {{\n{}}};\n", type, name, rows);
}

/// The name of a table, or nothing if it would be empty.
std::string orNull(const std::string &name, std::size_t count) { return count ? name : "nullptr"; }

/// The tables of one function, and its row in the table of all.
std::pair<std::string, std::string> tablesOf(const CFunction &f, std::size_t number) {
  const sema::Transform &t = *f.transform;
  std::string arguments, sizes, targets;
  for (const CArgument &a : f.arguments) {
    std::vector<std::string> extents;
    for (const sema::Affine &e : a.matrix->extents)
      extents.push_back(e.written);
    arguments += tableRow({{"name", quoted(a.matrix->name)},
                           {"element", cElement(a.matrix->element)},
                           {"rank", a.matrix->rank()},
                           {"is_output", a.isUpdated()  ? 2
                                         : a.isOutput() ? 1
                                                        : 0},
                           {"extents", quoted(fmt::format("[{}]", fmt::join(extents, ", ")))}});
  }
  for (const CSize &s : f.sizes)
    sizes += fmt::format("  {},\n", quoted(s.written));
  for (const double target : t.bins)
    targets += fmt::format("  {},\n", target);
  const std::string arguments_ = fmt::format("pb_arguments_{}", number),
                    sizes_ = fmt::format("pb_sizes_{}", number),
                    targets_ = fmt::format("pb_targets_{}", number);
  return {table("pbc_argument", arguments_, arguments) + table("char *const", sizes_, sizes) +
              table("double", targets_, targets),
          tableRow({{"name", quoted(t.name)},
                    {"symbol", quoted(f.symbol)},
                    {"doc", quoted(f.doc)},
                    {"argument_count", f.arguments.size()},
                    {"size_count", f.sizes.size()},
                    {"target_count", t.bins.size()},
                    {"arguments", orNull(arguments_, f.arguments.size())},
                    {"sizes", orNull(sizes_, f.sizes.size())},
                    {"targets", orNull(targets_, t.bins.size())}})};
}

/// The function of C: it hands its arguments to the runtime. Names of the program are not used, so that they cannot mean
/// anything else here.
std::string definition(const CFunction &given, std::size_t number) {
  CFunction f = given;
  std::string numbers, arrays, sizes;
  for (std::size_t k = 0; k < f.arguments.size(); ++k) {
    CArgument &a = f.arguments[k];
    a.name = fmt::format("pb_a{}", k);
    if (a.isNumber()) {
      numbers += fmt::format("  pbc_array pb_n{0} = pb::numberAt({1}{2}, {3});\n", k, a.isOutput() ? "" : "&",
                             a.name, cElement(a.matrix->element));
      arrays += fmt::format("&pb_n{}, ", k);
    } else {
      arrays += a.isOutput() ? a.name + ", " : fmt::format("const_cast<pbc_array *>({}), ", a.name);
    }
  }
  for (std::size_t k = 0; k < f.sizes.size(); ++k) {
    f.sizes[k].name = fmt::format("pb_s{}", k);
    sizes += f.sizes[k].name + ", ";
  }
  if (!f.accuracy.empty())
    f.accuracy = "pb_accuracy";
  const std::string parameters = cParameters(f);
  return fmt::format(
      "int32_t {0}(pbc_context *pb_c{1}{2}) {{\n{3}  pbc_array *const pb_arrays[] = {{{4}nullptr}};\n"
      "  const int64_t pb_sizes[] = {{{5}0}};\n"
      "  return pb::pb_library_call(&pb_library, pb_c, {6}, pb_arrays, pb_sizes, {7});\n}}\n",
      f.symbol, parameters.empty() ? "" : ", ", parameters, numbers, arrays, sizes, number,
      f.accuracy.empty() ? "0" : f.accuracy);
}

} // namespace

std::string slotSection(const Library &library) { return "pb_slots_" + library.name; }

std::string libraryTables(const Input &in, poly::Context &context) {
  const std::string &name = in.library->name, section = slotSection(*in.library);
  const std::vector<CFunction> functions = cFunctions(in, context);
  std::string tables, rows, firsts, definitions;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const auto [own, row] = tablesOf(functions[k], k);
    tables += own;
    rows += row;
    firsts += fmt::format("{}, ", functions[k].first);
    definitions += definition(functions[k], k);
  }
  const auto &transforms = in.module.transforms;
  const bool remembers = std::any_of(transforms.begin(), transforms.end(),
                                     [](const sema::Transform &t) { return t.isMemoized; });
  return tables + table("pbc_function", "pb_functions", rows) +
         fmt::format(
             "static const int pb_firsts[] = {{{0}0}};\n"
             "extern \"C\" {{\n"
             "[[gnu::visibility(\"hidden\")]] extern char __start_{1}[], __stop_{1}[];\n"
             "int32_t pbc_{2}_create_for(int32_t, const pbc_options *, pbc_context **);\n"
             "void pbc_{2}_destroy(pbc_context *);\n"
             "const char *pbc_{2}_message(pbc_context *);\n"
             "const char *pbc_{2}_configuration(pbc_context *);\n"
             "void pbc_{2}_free(pbc_array *);\n"
             "}}\n"
             "static int32_t pb_call(pbc_context *, int32_t, pbc_array *const *, const int64_t *, double);\n",
             firsts, section, name) +
         "static const pbc_library pb_about = " +
         initialiser({{"abi_version", "PBC_ABI_VERSION"},
                      {"function_count", functions.size()},
                      {"name", quoted(name)},
                      {"program", quoted(in.module.name)},
                      {"compiler", quoted(PBC_NAME_AND_VERSION)},
                      {"functions", orNull("pb_functions", functions.size())},
                      {"create", fmt::format("pbc_{}_create_for", name)},
                      {"destroy", fmt::format("pbc_{}_destroy", name)},
                      {"message", fmt::format("pbc_{}_message", name)},
                      {"configuration", fmt::format("pbc_{}_configuration", name)},
                      {"free", fmt::format("pbc_{}_free", name)},
                      {"call", "pb_call"}}) +
         ";\nstatic const pb::Library pb_library = " +
         initialiser({{"versions", "pb_program_table"},
                      {"count", in.processors.size()},
                      {"slots", "__start_" + section},
                      {"slotsEnd", "__stop_" + section},
                      {"about", "&pb_about"},
                      {"first", "pb_firsts"},
                      {"takesPointers", in.takesPointers ? "true" : "false"},
                      {"remembers", remembers ? "true" : "false"}}) +
         ";\n" +
         fmt::format(
             "static int32_t pb_call(pbc_context *c, int32_t function, pbc_array *const *arrays, const "
             "int64_t "
             "*sizes, double accuracy) {{\n"
             "  return pb::pb_library_call(&pb_library, c, function, arrays, sizes, accuracy);\n}}\n"
             "extern \"C\" {{\n"
             "int32_t pbc_{0}_create_for(int32_t version, const pbc_options *options, pbc_context **c) {{\n"
             "  return pb::pb_library_create(&pb_library, version, options, c);\n}}\n"
             "void pbc_{0}_destroy(pbc_context *c) {{ pb::pb_library_destroy(&pb_library, c); }}\n"
             "const char *pbc_{0}_message(pbc_context *c) {{ return pb::pb_library_message(&pb_library, c); "
             "}}\n"
             "const char *pbc_{0}_configuration(pbc_context *c) {{\n"
             "  return pb::pb_library_configuration(&pb_library, c);\n}}\n"
             "void pbc_{0}_free(pbc_array *a) {{ pb::pb_library_free(a); }}\n"
             "const pbc_library *pbc_{0}_library() {{ return &pb_about; }}\n",
             name) +
         definitions + "}\n";
}

} // namespace pbc::emit
