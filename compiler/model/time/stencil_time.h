// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predicts how long a stencil runs that is cut into hexagons (1-D), or into prisms of hexagons that one block
// of threads goes through slice by slice (2-D, 3-D).
//
//   stencilTime(gtx980, {jacobi2D, {4096, 4096}, 1024, 3.39e-8}, {{8, 64}, 16})
//     =>  128 wavefronts of 137 tiles, 6 on a unit at once
//         a slice: 2.41 us of transfer, 4.08 us of computing
//         0.408157 s
//
// Tiles of a wavefront are dealt to the units in groups of `resident`; a unit loads one tile while it
// computes another, and synchronises its lanes after each row of a hexagon. The host starts each wavefront.
//
// Invariants, checked at each call in the corrected form: the time is at least the ideal time (all lanes
// always busy), and at least the time that the memory needs for what is moved. The printed form breaks the
// first. Source: cost-models.md 1.3 to 1.7; A.2 to A.31.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/model/mode.h"
#include "compiler/model/time/hexagon.h"
#include "compiler/model/time/stencil.h"

namespace pbc::model {

/// The figures of a machine that the model uses: fast memory is the shared memory of a GPU's multiprocessor,
/// or the largest cache that a core has to itself.
struct StencilMachine {
  std::string name;
  long units = 0, lanes = 0; // nSM, nV
  long unitWords = 0;        // of fast memory in a unit (MSM)
  long blockWords = 0;       // the part of it that one tile may have (Mblk)
  long blocksPerUnit = 1;    // MTBSM
  double secondsPerWord = 0; // of far memory, all units together (L)
  double barrier = 0;        // after each row of a tile (tau); 0 if one thread computes a tile
  double launch = 0;         // of a wavefront (Ts)
};

/// Throws Problem with the figure that is missing.
StencilMachine stencilMachine(const Machine &);

struct Tile {
  std::array<long, 3> space = {1, 1, 1}; // tS1 (the hexagon's base), tS2, tS3; 1 beyond the dimensions
  long time = 2;                         // tT, even
  bool operator==(const Tile &) const = default;
};

/// Which errata are corrected, one by one, so that published numbers can be reproduced.
struct TimeForm {
  bool pitch = true;      // E2, E5: the distance of hexagons
  bool contention = true; // E3: units share the far memory's bandwidth
  bool slices = true;     // E4: slices of both inner dimensions are whole
  bool pipeline = false;  // the end of a pipeline is not overlapped either (DERIVED, 1.5)
};
TimeForm timeForm(Mode);

struct StencilTime {
  long wavefronts = 0, width = 0; // Nw: number of wavefronts; w: tiles of a wavefront
  long resident = 0;              // k: tiles on a unit at once
  long tileWords = 0;             // of fast memory (Mtile)
  long movedWords = 0;            // in and out, for a slice of a tile (mio)
  long slices = 0;                // of a tile (Nsub)
  double transfer = 0;            // seconds of a slice (m')
  double compute = 0;             // seconds of a slice (c)
  double group = 0;               // of k resident tiles (Ttile, Tprism, Tslab)
  long rounds = 0;                // groups of a wavefront that a unit computes (R)
  double total = 0;               // Talg
};

/// Fast memory of a tile in words: 2 (tS + tT) in 1-D, else twice the box of a slice with its halo (A.20). It
/// is a double because an infeasible tile may need more words than fit in a long.
double tileWords(const Stencil &, const Tile &);

/// The largest number of tiles on a unit at once (A.12, A.32); 0 if a block cannot hold one.
long residency(const StencilMachine &, const Stencil &, const Tile &);

/// Throws Problem if the tile is not legal or does not fit. `resident` 0: as many as fit.
StencilTime stencilTime(const StencilMachine &, const StencilProblem &, const Tile &, const TimeForm & = {},
                        long resident = 0);

/// The same without any check, for searches: the problem must be checked, and 1 <= resident <=
/// residency(...).
StencilTime feasibleTime(const StencilMachine &, const StencilProblem &, const Tile &, const TimeForm &,
                         long resident);

/// The time of k tiles whose slices transfer and compute alternately (A.11, A.13, A.17, A.29, A.30).
double groupTime(int dimensions, long resident, long slices, double transfer, double compute, bool pipeline);

/// The time of all points if all lanes are always busy (8.3).
double idealTime(const StencilMachine &, const StencilProblem &);

/// The least time that the far memory needs for the words that the tiles move.
double trafficTime(const StencilMachine &, const StencilTime &);

/// Like Talg, but a unit's last group may be smaller than k (DERIVED, 1.7), including the pipeline's ends. It
/// lies between the ideal time and Talg with `pipeline`.
double balancedTime(const StencilMachine &, const StencilProblem &, const Tile &, long resident = 0);

/// The time with the wavefronts counted one by one instead of approximated (A.2 with tilesOfWavefront).
double countedTime(const StencilMachine &, const StencilProblem &, const Tile &, long resident = 0);
double countedTime(const StencilMachine &, const StencilProblem &, const Tile &, const StencilTime &);

} // namespace pbc::model
