// TOML text to slots. Two steps: everything is read and checked into a list of changes; then, if nothing was
// wrong, the changes are made.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/base/closest.h"
#include "runtime/base/number.h"
#include "runtime/config/configuration.h"
#include "runtime/config/kernels.h"
#include "runtime/config/original.h"
#include "runtime/config/slots.h"
#include <cmath>
#include <cstdio>
#include <functional>
#include <toml++/toml.h>

namespace pb::config {
namespace {

using Names = std::vector<std::string>;

class Applier {
public:
  Applier(const Program &program, const std::string &where, std::vector<std::string> *warnings)
      : program_(program), where_(where), warnings_(warnings) {}

  void read(const toml::table &root, int *threads) {
    if (const toml::node *node = root.get("program"))
      expectName(*node, program_.name, "this configuration is for the program");
    if (const toml::node *node = root.get("hash"); node && errors_.empty())
      expectName(*node, program_.hash,
                 "this configuration is for another version of the program, with the hash");
    if (!errors_.empty())
      return; // whatever else does not fit follows from this
    for (const auto &[key, node] : root) {
      const std::string name(key.str());
      if (name == "program" || name == "hash")
        continue;
      if (name == "threads")
        readThreads(node, threads);
      else if (name == "kernels" && node.is_table())
        readKernels(*node.as_table());
      else if (const Transform *t = find(name))
        readTransform(*t, node);
      else
        unknown(key, "the program has no transform", transformNames());
    }
  }

  std::vector<std::string> finish() {
    if (errors_.empty())
      for (const auto &change : changes_)
        change();
    return std::move(errors_);
  }

private:
  void error(const toml::source_region &at, const std::string &text) {
    errors_.push_back(where_ + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column) +
                      ": error: " + text);
  }
  void unknown(const toml::key &key, const std::string &what, const Names &known) {
    error(key.source(), what + " '" + std::string(key.str()) + "'" +
                            base::didYouMean(std::string(key.str()), known) +
                            (known.empty() ? "" : "; known: " + base::listed(known)));
  }

  void expectName(const toml::node &node, const char *expected, const char *what) {
    const auto *text = node.as_string();
    if (!text)
      error(node.source(), "expected a text in quotes");
    else if (**text != expected)
      error(node.source(),
            std::string(what) + " '" + **text + "', this program has '" + expected + "' (tune again)");
  }

  void readThreads(const toml::node &node, int *threads) {
    const auto *value = node.as_integer();
    if (!value || **value < 1 || **value > kMaxThreads)
      error(node.source(), "threads must be an integer from 1 to " + std::to_string(kMaxThreads));
    else if (threads)
      changes_.push_back([=, n = static_cast<int>(**value)] { *threads = n; });
  }

  /// They were decided when the program was compiled.
  void readKernels(const toml::table &kernels) {
    if (const Transform *t = find("kernels")) // its own entries are no tables
      readTransform(*t, kernels);
    else
      for (const auto &[key, node] : kernels)
        if (!node.is_table())
          error(key.source(), "[kernels] has options of a transform's rules: write TRANSFORM.RULE.jam = 2");
    const std::string asked = kernelLines(kernels), has = program_.kernels ? program_.kernels : "";
    const std::string difference = firstDifference(asked, has);
    if (!warnings_ || asked.empty() || difference.empty())
      return;
    warnings_->push_back(where_ + ":" + std::to_string(kernels.source().begin.line) + ":" +
                         std::to_string(kernels.source().begin.column) +
                         ": warning: the program was compiled with other kernels than [kernels] says (" +
                         difference + "): compile it with pbc --config=FILE");
  }

  const Transform *find(const std::string &name) const {
    for (int i = 0; i < program_.transformCount; ++i)
      if (name == program_.transforms[i]->name)
        return program_.transforms[i];
    return nullptr;
  }
  Names transformNames() const {
    Names names;
    for (int i = 0; i < program_.transformCount; ++i)
      names.push_back(program_.transforms[i]->name);
    return names;
  }

  void readTransform(const Transform &t, const toml::node &node) {
    const toml::table *table = node.as_table();
    if (!table)
      return error(node.source(), std::string("'") + t.name + "' is a transform: write [" + t.name +
                                      "] and its entries below");
    Names known;
    for (int i = 0; i < t.siteCount; ++i)
      known.push_back(choiceKey(t, t.sites[i]));
    for (int i = 0; i < t.tunableCount; ++i)
      known.push_back(t.tunables[i].name);
    for (const auto &[key, value] : *table) {
      const std::string name(key.str());
      bool found = false;
      if (value.is_table() && std::string_view(t.name) == "kernels")
        continue; // of the section [kernels]
      for (int i = 0; i < t.siteCount && !found; ++i)
        if ((found = name == choiceKey(t, t.sites[i])))
          readChoice(t.sites[i], value);
      for (int i = 0; i < t.tunableCount && !found; ++i)
        if ((found = name == t.tunables[i].name))
          readTunable(t, t.tunables[i], value);
      if (!found)
        unknown(key, std::string(t.name) + " has nothing to set by the name", known);
    }
  }

  void readChoice(const Site &site, const toml::node &node) {
    Selector selector;
    if (node.is_string()) {
      if (const int use = readUse(site, node); use >= 0) {
        selector.use[0] = use;
        changes_.push_back([&site, selector] { *site.slot = selector; });
      }
      return;
    }
    const toml::array *levels = node.as_array();
    if (!levels || levels->empty())
      return error(node.source(),
                   "expected a list of choices, [ { below = 64, use = \"A\" }, { use = \"B\" } ]");
    if (levels->size() > static_cast<size_t>(Selector::kMaxLevels))
      return error(node.source(), "a choice has at most " + std::to_string(Selector::kMaxLevels) +
                                      " levels, this one has " + std::to_string(levels->size()));
    const size_t errorsBefore = errors_.size();
    selector.levels = static_cast<int>(levels->size());
    for (int i = 0; i < selector.levels; ++i)
      readLevel(site, *levels->get(static_cast<size_t>(i)), i, &selector);
    if (errors_.size() == errorsBefore)
      changes_.push_back([&site, selector] { *site.slot = selector; });
  }

  void readLevel(const Site &site, const toml::node &node, int i, Selector *selector) {
    const bool last = i + 1 == selector->levels;
    const toml::table *level = node.as_table();
    if (!level)
      return error(node.source(), "expected { below = SIZE, use = \"NAME\" }");
    for (const auto &[key, value] : *level)
      if (key != "below" && key != "use")
        unknown(key, "a level of a choice has no entry", {"below", "use"});
    if (const toml::node *use = level->get("use"))
      selector->use[i] = readUse(site, *use);
    else
      error(node.source(), "this level does not say which alternative to use (use = \"NAME\")");
    const toml::node *below = level->get("below");
    if (last) {
      if (below)
        error(below->source(), "the last level has no 'below': it is for all larger sizes");
      return;
    }
    if (!below)
      return error(node.source(), "every level but the last needs 'below', the size at which it ends");
    const auto *cut = below->as_integer();
    if (!cut || **cut < 1)
      return error(below->source(), "'below' must be an integer, at least 1");
    selector->below[i] = **cut;
    if (i && selector->below[i] <= selector->below[i - 1])
      error(below->source(), "cut-offs must grow: " + std::to_string(**cut) + " comes after " +
                                 std::to_string(selector->below[i - 1]));
  }

  int readUse(const Site &site, const toml::node &node) {
    const auto *text = node.as_string();
    Names known;
    for (int i = 0; i < site.alternativeCount; ++i) {
      if (text && **text == site.alternatives[i].name)
        return i;
      known.push_back(site.alternatives[i].name);
    }
    if (!text)
      error(node.source(), "expected the name of an alternative in quotes; known: " + base::listed(known));
    else
      error(node.source(), std::string(site.name) + " has no alternative '" + **text + "'" +
                               base::didYouMean(**text, known) + "; known: " + base::listed(known));
    return -1;
  }

  void readTunable(const Transform &t, const Tunable &tunable, const toml::node &node) {
    const toml::array *list = node.as_array();
    if (tunable.bySize && list && !list->empty() && list->front().is_table())
      return readLevels(t, tunable, *list);
    readElements(t, tunable, node, 0, tunable.bySize ? kSizeBins : 1);
  }

  /// [ { below = 64, value = 3 }, { value = 10 } ]: like a choice, cut at powers of two.
  void readLevels(const Transform &t, const Tunable &tunable, const toml::array &levels) {
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
          return error(below->source(), "cut-offs must grow");
      }
      readElements(t, tunable, *value, from, to);
      from = to;
    }
  }

  /// One number, or as many as the array has elements, for the sizes from..to of a tunable by size.
  void readElements(const Transform &t, const Tunable &tunable, const toml::node &node, int from, int to) {
    const toml::array *list = node.as_array();
    if (list && !tunable.length)
      return error(node.source(),
                   std::string(t.name) + "." + tunable.name +
                       (tunable.bySize ? " is one number, or [ { below = SIZE, value = NUMBER }, "
                                         "..., { value = NUMBER } ]"
                                       : " is one number"));
    if (list && static_cast<int>(list->size()) != tunable.length)
      return error(node.source(), std::string(t.name) + "." + tunable.name + " has " +
                                      std::to_string(tunable.length) + " elements, found " +
                                      std::to_string(list->size()));
    for (int e = 0; e < tunable.elements(); ++e) {
      const auto v = readNumber(t, tunable, list ? *list->get(static_cast<size_t>(e)) : node);
      if (!v)
        return;
      for (int size = from; size < to; ++size)
        changes_.push_back(
            [&tunable, index = size * tunable.elements() + e, v = *v] { setValue(tunable, index, v); });
    }
  }

  std::optional<double> readNumber(const Transform &t, const Tunable &tunable, const toml::node &node) {
    const bool integer = tunable.kind == TunableKind::Integer;
    const auto value = integer && !node.is_integer() ? std::optional<double>() : node.value<double>();
    if (!value || !(node.is_integer() || node.is_floating_point())) {
      error(node.source(),
            std::string(t.name) + "." + tunable.name + " must be " + (integer ? "an integer" : "a number"));
      return std::nullopt;
    }
    if (!(*value >= tunable.minimum && *value <= tunable.maximum)) {
      error(node.source(), std::string(t.name) + "." + tunable.name + " = " + base::number(*value) +
                               " is out of range: " + base::number(tunable.minimum) + " to " +
                               base::number(tunable.maximum));
      return std::nullopt;
    }
    return value;
  }

  const Program &program_;
  const std::string &where_;
  std::vector<std::string> *warnings_;
  std::vector<std::string> errors_;
  std::vector<std::function<void()>> changes_;
};

} // namespace

std::string choiceKey(const Transform &t, const Site &site) {
  if (site.needsDevice)
    return site.name;
  return std::string_view(site.name) == t.name ? "choice" : std::string("choice_") + site.name;
}

std::vector<std::string> apply(const Program &program, const std::string &text, const std::string &where,
                               int *threads, std::vector<std::string> *warnings) {
  if (isOriginal(text))
    return applyOriginal(program, text, where, threads, warnings);
  const toml::parse_result parsed = toml::parse(text, where);
  if (!parsed) {
    const auto &e = parsed.error();
    return {where + ":" + std::to_string(e.source().begin.line) + ":" +
            std::to_string(e.source().begin.column) + ": error: not TOML: " + std::string(e.description())};
  }
  Applier applier(program, where, warnings);
  applier.read(parsed.table(), threads);
  return applier.finish();
}

} // namespace pb::config
