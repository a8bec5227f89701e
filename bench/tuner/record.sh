#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Measures the spaces in spaces/ anew, on this machine: minutes.   bench/tuner/record.sh PBC [NAME...]
# Small sizes on one thread, without devices: what counts is the shape of the spaces, not how fast anything is.
set -euo pipefail
pbc=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PB_DEVICES=none
# name, source, size, points at most
spaces="
sort             samples/sort.pbcc                    1024  4000
matmul           samples/matmul.pbcc                    48  2600
convolution      samples/convolution.pbcc             256  2000
heat             samples/heat.pbcc                      64  2000
prefixsum        samples/prefixsum.pbcc              16384  2000
rollingsum       samples/rollingsum.pbcc              2048  2000
smith_waterman   bench/wavefront/smith_waterman.pbcc   128  2000
product          bench/library/product.pbcc             48  2000
black_scholes    bench/math/black_scholes.pbcc        1000  2000
stencil          bench/stencil/heat.pbcc               128  2000
"
while read -r name source size points; do
  [[ -n $name ]] || continue
  if (($#)) && [[ " $* " != *" $name "* ]]; then
    continue
  fi
  "$pbc" "$root/$source" -o "$work/$name" >/dev/null
  "$pbc" tune "$work/$name" --n="$size" --threads=1 --trials="$points" --record="$here/spaces/$name.space.json"
done <<<"$spaces"
