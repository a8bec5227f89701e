// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/base/closest.h"
#include "runtime/base/number.h"
#include "runtime/config/reader.h"
#include "runtime/config/slots.h"
#include <algorithm>
#include <cmath>

namespace pb::config {

void Reader::readTunable(const Transform &t, const Tunable &tunable, const toml::node &node) {
  const toml::array *list = node.as_array();
  if (tunable.bySize && list && !list->empty() && list->front().is_table())
    return readLevels(t, tunable, *list);
  readElements(t, tunable, node, 0, tunable.bySize ? kSizeBins : 1);
}

/// [ { below = 64, value = 3 }, { value = 10 } ]: like a choice, cut at powers of two.
void Reader::readLevels(const Transform &t, const Tunable &tunable, const toml::array &levels) {
  int from = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    const bool last = i + 1 == levels.size();
    const toml::table *level = levels.get(i)->as_table();
    if (!level)
      return error(levels.get(i)->source(), "expected { below = SIZE, value = VALUE }");
    for (const auto &[key, value] : *level)
      if (key != "below" && key != "value")
        unknown(key, "a level of a tunable has no entry", {"below", "value"});
    const toml::node *below = level->get("below"), *value = level->get("value");
    if (!value)
      return error(levels.get(i)->source(), "this level does not say its value (value = ...)");
    if (last == (below != nullptr))
      return error((last ? below : levels.get(i))->source(),
                   last ? "the last level has no 'below': it is for all larger sizes"
                        : "every level but the last needs 'below', the size at which it ends");
    int to = kSizeBins;
    if (below) {
      const auto *cut = below->as_integer();
      if (!cut || **cut < 2 || (**cut & (**cut - 1)))
        return error(below->source(), "'below' must be a power of two, at least 2: the values of a tunable "
                                      "change with the power of two of the size");
      to = sizeBin(**cut);
      if (to <= from)
        return error(below->source(), "cut-offs must grow", EntryState::Unreachable);
    }
    readElements(t, tunable, *value, from, to);
    from = to;
  }
}

/// Reads one number, or as many as the array has elements, for the sizes from..to of a tunable by size.
void Reader::readElements(const Transform &t, const Tunable &tunable, const toml::node &node, int from,
                          int to) {
  const toml::array *list = node.as_array();
  if (list && !tunable.length) {
    instead("the default is used");
    return error(node.source(),
                 std::string(t.name) + "." + tunable.name +
                     (tunable.bySize ? " is one number, or [ { below = SIZE, value = NUMBER }, "
                                       "..., { value = NUMBER } ]"
                                     : " is one number"));
  }
  if (list && static_cast<int>(list->size()) != tunable.length) {
    error(node.source(), std::string(t.name) + "." + tunable.name + " has " + std::to_string(tunable.length) +
                             " elements, found " + std::to_string(list->size()));
    instead("those that both have are used");
  }
  const int found = list ? std::min(static_cast<int>(list->size()), tunable.length) : tunable.elements();
  const auto forAll = list ? std::nullopt : readNumber(t, tunable, node);
  for (int e = 0; e < found; ++e) {
    const auto v = list ? readNumber(t, tunable, *list->get(static_cast<size_t>(e))) : forAll;
    for (int size = from; v && size < to; ++size)
      changes_.push_back(
          [&tunable, index = size * tunable.elements() + e, v = *v] { setValue(tunable, index, v); });
  }
}

/// A value out of range becomes the nearest legal value.
std::optional<double> Reader::readNumber(const Transform &t, const Tunable &tunable, const toml::node &node) {
  const bool integer = tunable.kind == TunableKind::Integer;
  const auto value = integer && !node.is_integer() ? std::optional<double>() : node.value<double>();
  if (!value || !(node.is_integer() || node.is_floating_point())) {
    error(node.source(),
          std::string(t.name) + "." + tunable.name + " must be " + (integer ? "an integer" : "a number"));
    instead("the default is used");
    return std::nullopt;
  }
  if (*value >= tunable.minimum && *value <= tunable.maximum)
    return value;
  error(node.source(),
        std::string(t.name) + "." + tunable.name + " = " + base::number(*value) +
            " is out of range: " + base::number(tunable.minimum) + " to " + base::number(tunable.maximum),
        EntryState::OutOfRange);
  const double nearest =
      std::isnan(*value) ? tunable.initial : std::clamp(*value, tunable.minimum, tunable.maximum);
  instead(base::number(nearest) + " is used");
  return nearest;
}

} // namespace pb::config
