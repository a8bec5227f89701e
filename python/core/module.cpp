// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module pbc._core: libraries that `pbc --shared` has made, as contexts and functions. What users see is in python/pbc.
#include "python/core/arrays.h"
#include "python/core/function.h"
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace pbc_python;

namespace {

std::shared_ptr<const Context> contextOf(const std::string &library, int threads,
                                         const std::string &configuration) {
  const nb::gil_scoped_release unlocked;
  return std::make_shared<const Context>(Library::open(library), threads, configuration);
}

/// (name, dtype, rank, extents)
nb::list described(const std::vector<const pbc_argument *> &arguments) {
  nb::list all;
  for (const pbc_argument *a : arguments)
    all.append(nb::make_tuple(a->name, dtypeName(a->element), a->rank, a->extents));
  return all;
}

nb::list functionsOf(const std::shared_ptr<SharedContext> &context) {
  nb::list all;
  for (int i = 0; i < context->get()->about().function_count; ++i)
    all.append(nb::cast(std::make_shared<Function>(context, i)));
  return all;
}

} // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(
      [](const std::exception_ptr &problem, void *) {
        try {
          std::rethrow_exception(problem);
        } catch (const Failure &f) {
          const nb::object type = nb::module_::import_("pbc._errors").attr("by_status")(f.status());
          PyErr_SetString(type.ptr(), f.what());
        }
      },
      nullptr);

  nb::class_<SharedContext>(m, "Context")
      .def(
          "__init__",
          [](SharedContext *self, const std::string &library, int threads, const std::string &configuration) {
            new (self) SharedContext(contextOf(library, threads, configuration));
          })
      .def("configure",
           [](SharedContext &self, const std::string &library, int threads,
              const std::string &configuration) { self.set(contextOf(library, threads, configuration)); })
      .def("functions", &functionsOf)
      .def_prop_ro("configuration", [](const SharedContext &self) { return self.get()->configuration(); })
      .def_prop_ro("compiler", [](const SharedContext &self) { return self.get()->about().compiler; });

  nb::class_<Function>(m, "Function", nb::dynamic_attr())
      .def("__call__", &Function::call)
      .def_prop_ro("name", [](const Function &f) { return f.about().name; })
      .def_prop_ro("text", [](const Function &f) { return f.about().doc; })
      .def_prop_ro("inputs", [](const Function &f) { return described(f.inputs()); })
      .def_prop_ro("outputs", [](const Function &f) { return described(f.outputs()); })
      .def_prop_ro("sizes",
                   [](const Function &f) {
                     return std::vector<std::string>(f.about().sizes, f.about().sizes + f.about().size_count);
                   })
      .def_prop_ro("targets", [](const Function &f) {
        return std::vector<double>(f.about().targets, f.about().targets + f.about().target_count);
      });
}
