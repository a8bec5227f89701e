#include "compiler/search/prove/rates_of.h"
namespace pbc::search {
Rates ratesOf(const model::Machine &) {
  Rates r;
  const double ghz = 3.95e9;
  r.arithmetic[0] = {ghz * 32, ghz * 32, ghz * 2, ghz * 2, 3 / ghz, 3.8 / ghz};
  r.arithmetic[1] = {ghz * 16, ghz * 16, ghz * 1, ghz * 1, 3 / ghz, 3.8 / ghz};
  r.levels = {{"registers", 2176, 0},
              {"L1", 2176 + 49152, ghz * 192},
              {"L2", 2176 + 49152 + 2097152, ghz * 64},
              {"L3", 3.2e8, ghz * 16},
              {"global", 3e10, 2e10}};
  return r;
}
} // namespace pbc::search
