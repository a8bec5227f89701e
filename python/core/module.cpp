// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module pbc._core: libraries that `pbc --shared` has made, as contexts and functions. What users see is in python/pbc.
#include "python/core/arrays.h"
#include "python/core/function.h"
#include "python/core/results.h"
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace pbc_python;

namespace {

std::shared_ptr<const Context> contextOf(const std::string &library, int threads,
                                         const std::string &configuration, const std::string &devices,
                                         std::uint64_t seed) {
  const nb::gil_scoped_release unlocked;
  return std::make_shared<const Context>(Library::open(library),
                                         Context::Options{threads, configuration, devices, seed});
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

void setError(const Failure &f) {
  const nb::object type = nb::module_::import_("pbc._errors").attr("by_status")(f.status());
  PyErr_SetString(type.ptr(), f.what());
}

/// The slot of the type, which is called without a method being looked up and without a dictionary where there are no keywords.
PyObject *callFunction(PyObject *self, PyObject *arguments, PyObject *keywords) {
  try {
    const Function &function = *nb::inst_ptr<Function>(self);
    return function.call(nb::borrow<nb::tuple>(arguments), nb::borrow<nb::dict>(keywords)).release().ptr();
  } catch (const Failure &problem) {
    setError(problem);
  } catch (nb::python_error &problem) {
    problem.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &problem) {
    PyErr_SetString(PyExc_RuntimeError, problem.what());
  }
  return nullptr;
}

PyType_Slot kFunctionSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callFunction)}, {0, nullptr}};

} // namespace

NB_MODULE(_core, m) {
  useNumPy();
  nb::register_exception_translator(
      [](const std::exception_ptr &problem, void *) {
        try {
          std::rethrow_exception(problem);
        } catch (const Failure &f) {
          setError(f);
        }
      },
      nullptr);

  nb::class_<SharedContext>(m, "Context")
      .def("__init__",
           [](SharedContext *self, const std::string &library, int threads, const std::string &configuration,
              const std::string &devices, std::uint64_t seed) {
             new (self) SharedContext(contextOf(library, threads, configuration, devices, seed));
           })
      .def("configure",
           [](SharedContext &self, const std::string &library, int threads, const std::string &configuration,
              const std::string &devices,
              std::uint64_t seed) { self.set(contextOf(library, threads, configuration, devices, seed)); })
      .def("functions", &functionsOf)
      .def_prop_ro("configuration", [](const SharedContext &self) { return self.get()->configuration(); })
      .def_prop_ro("compiler", [](const SharedContext &self) { return self.get()->about().compiler; });

  nb::class_<Function>(m, "Function", nb::dynamic_attr(), nb::type_slots(kFunctionSlots))
      .def_prop_ro("name", [](const Function &f) { return f.about().name; })
      .def_prop_ro("text", [](const Function &f) { return f.about().doc; })
      .def_prop_ro("inputs", [](const Function &f) { return described(f.inputs()); })
      .def_prop_ro("outputs", [](const Function &f) { return described(f.outputs()); })
      .def_prop_ro("updated",
                   [](const Function &f) {
                     std::vector<std::string> names;
                     for (const pbc_argument *a : f.inputs())
                       if (isUpdated(*a))
                         names.emplace_back(a->name);
                     return names;
                   })
      .def_prop_ro("sizes",
                   [](const Function &f) {
                     return std::vector<std::string>(f.about().sizes, f.about().sizes + f.about().size_count);
                   })
      .def_prop_ro("targets", [](const Function &f) {
        return std::vector<double>(f.about().targets, f.about().targets + f.about().target_count);
      });
}
