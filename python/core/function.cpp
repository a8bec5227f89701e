// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python/core/function.h"
#include "python/core/arrays.h"
#include "python/core/results.h"
#include <nanobind/stl/string_view.h>
#include <optional>
#include <string_view>

namespace pbc_python {
namespace {

namespace nb = nanobind;

constexpr std::size_t kMost = 16; // arguments of a transform

std::string countText(std::size_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// What a call gives by keywords.
struct Keywords {
  nb::handle out;
  double accuracy = 0;
  std::int64_t sizes[kMost] = {};
};

class Call {
public:
  Call(const pbc_function &about, const std::vector<const pbc_argument *> &inputs,
       const std::vector<const pbc_argument *> &outputs)
      : about_(about), inputs_(inputs), outputs_(outputs) {
    if (inputs.size() + outputs.size() > kMost || static_cast<std::size_t>(about.size_count) > kMost)
      throw Failure(PBC_ERROR_ARGUMENT, std::string(about.name) + " has more arguments than the " +
                                            std::to_string(kMost) + " that this package can pass");
  }

  void take(const nb::tuple &inputs, const nb::dict &keywords) {
    if (inputs.size() > inputs_.size())
      refuse("takes " + countText(inputs_.size(), "input") + ", and got " + std::to_string(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      objects_[i] = NB_TUPLE_GET_ITEM(inputs.ptr(), static_cast<Py_ssize_t>(i));
    if (keywords.is_valid())
      for (const auto &[key, value] : keywords)
        takeKeyword(nb::cast<std::string_view>(key), value);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!objects_[i].is_valid())
        refuse(std::string("needs its input ") + inputs_[i]->name);
      const bool isChanged =
          isUpdated(*inputs_[i]) && inputs_[i]->rank > 0; // a number of Python stays what it is
      given_[i].take(objects_[i], *inputs_[i], isChanged);
      arrays_[placeOf(inputs_[i])] = given_[i].array();
    }
    for (int s = 0; s < about_.size_count; ++s)
      if (!isSizeGiven_[s])
        refuse(std::string("needs the size ") + about_.sizes[s] +
               ", which no input tells: " + about_.sizes[s] + "=...");
    takeOutputs();
  }

  void run(const Context &context, int function) {
    const nb::gil_scoped_release unlocked;
    context.call(function, arrays_, keywords_.sizes, keywords_.accuracy);
  }

  /// What the call makes, and numbers that it updates.
  nb::object results(const pbc_library &library) {
    nb::list all;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (isUpdated(*inputs_[i]) && inputs_[i]->rank == 0)
        all.append(wrapped(*given_[i].array(), library));
    if (outputs_.size() == 1 && nb::len(all) == 0)
      return result(0, library);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      all.append(result(i, library));
    return nb::len(all) == 0   ? nb::none()
           : nb::len(all) == 1 ? nb::object(all[0])
                               : nb::object(nb::tuple(all));
  }

private:
  std::size_t placeOf(const pbc_argument *a) const { return static_cast<std::size_t>(a - about_.arguments); }

  [[noreturn]] void refuse(const std::string &what) const {
    throw Failure(PBC_ERROR_ARGUMENT, std::string(about_.name) + " " + what);
  }

  /// `out` and `accuracy` are those of the call; arguments of the program that are called so, or like a word of Python, have an
  /// underscore behind their name.
  void takeKeyword(std::string_view key, nb::handle value) {
    if (key == "out") {
      keywords_.out = value;
    } else if (key == "accuracy" && about_.target_count) {
      if (!value.is_none() && !nb::try_cast(value, keywords_.accuracy))
        refuse("has an accuracy, which has to be a number");
    } else if (!takeNamed(key, value) &&
               (key.empty() || key.back() != '_' || !takeNamed(key.substr(0, key.size() - 1), value))) {
      std::string known = "out";
      for (const pbc_argument *a : inputs_)
        known += std::string(", ") + a->name;
      for (int s = 0; s < about_.size_count; ++s)
        known += std::string(", ") + about_.sizes[s];
      if (about_.target_count)
        known += ", accuracy";
      refuse("has no argument " + std::string(key) + "; it has " + known);
    }
  }

  /// Takes an input or a size of the program, if one has this name.
  bool takeNamed(std::string_view key, nb::handle value) {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (key == inputs_[i]->name) {
        if (objects_[i].is_valid())
          refuse("got its input " + std::string(key) + " twice");
        objects_[i] = value;
        return true;
      }
    for (int s = 0; s < about_.size_count; ++s)
      if (key == about_.sizes[s]) {
        if (!nb::try_cast(value, keywords_.sizes[s]))
          refuse("has the size " + std::string(key) + ", which has to be a whole number");
        isSizeGiven_[s] = true;
        return true;
      }
    return false;
  }

  void takeOutputs() {
    const std::size_t first = inputs_.size();
    const bool isOne = outputs_.size() == 1;
    const nb::handle out =
        keywords_.out.is_valid() && !keywords_.out.is_none() ? keywords_.out : nb::handle();
    if (out.is_valid() && !isOne && (!nb::isinstance<nb::tuple>(out) || nb::len(out) != outputs_.size()))
      refuse("makes " + countText(outputs_.size(), "output") +
             ": out has to be a tuple of as many arrays, or None for new ones");
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const nb::object one = !out.is_valid() ? nb::none() : isOne ? nb::borrow(out) : nb::object(out[i]);
      if (one.is_none()) {
        made_[i] = pbc_array_wanted();
        arrays_[placeOf(outputs_[i])] = &made_[i];
      } else {
        returned_[i] = one;
        given_[first + i].take(one, *outputs_[i], true);
        arrays_[placeOf(outputs_[i])] = given_[first + i].array();
      }
    }
  }

  nb::object result(std::size_t i, const pbc_library &library) {
    return returned_[i].is_valid() ? returned_[i] : wrapped(made_[i], library);
  }

  const pbc_function &about_;
  const std::vector<const pbc_argument *> &inputs_, &outputs_;
  Keywords keywords_;
  nb::handle objects_[kMost];
  bool isSizeGiven_[kMost] = {};
  Given given_[kMost];
  pbc_array made_[kMost];
  nb::object returned_[kMost];
  pbc_array *arrays_[kMost] = {};
};

} // namespace

Function::Function(std::shared_ptr<SharedContext> context, int index)
    : context_(std::move(context)), index_(index), about_(context_->get()->about().functions[index]) {
  for (int a = 0; a < about_.argument_count; ++a)
    (about_.arguments[a].is_output == 1 ? outputs_ : inputs_).push_back(&about_.arguments[a]);
}

nb::object Function::call(const nb::tuple &inputs, const nb::dict &keywords) const {
  const std::shared_ptr<const Context> context = context_->get();
  Call call(about_, inputs_, outputs_);
  call.take(inputs, keywords);
  call.run(*context, index_);
  return call.results(context->about());
}

} // namespace pbc_python
