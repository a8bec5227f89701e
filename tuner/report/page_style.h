// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The stylesheet of a report for light mode, dark mode and print. Colours of alternatives carry white text in
// both modes. Lines are not broken within names. A table that is too wide scrolls, and a shadow at its edge shows
// that there is more; on a narrow screen its columns keep a readable width.
#pragma once

namespace pbc::tuner {

inline constexpr const char *kPageStyle = R"(
:root { color-scheme: light dark; --page: #fff; --text: #1c2126; --faint: #5a646e; --line: #d4d9de; --band: #f3f5f7;
  --strong: #1f6fb2; --other: #8a949e; --warn: #a3341c; }
@media (prefers-color-scheme: dark) { :root { --page: #15181b; --text: #e4e7ea; --faint: #a2abb4; --line: #3a4148;
  --band: #1e2327; --strong: #62aef0; --other: #78828c; --warn: #f0907a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Liberation Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; overflow-wrap: break-word; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; overflow-wrap: break-word; }
p { margin: .4rem 0; max-width: 46rem; }
.lead { font-size: 1.1rem; }
.note, figcaption, caption { color: var(--faint); font-size: .9rem; text-align: left; }
.warn { color: var(--warn); }
.wide { overflow-x: auto; background:
  linear-gradient(to left, var(--page) 40%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--other), transparent) right / .8rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  min-width: 5.8rem; }
th[scope=row] { min-width: 9rem; }
thead th { background: var(--band); }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
figure { margin: .8rem 0; overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, "Liberation Sans", sans-serif; }
svg text { fill: var(--text); } svg text.axis, svg text.faint { fill: var(--faint); } svg text.strong { font-weight: bold; }
svg text.inside { fill: #fff; }
.grid { stroke: var(--line); } .frame { stroke: var(--faint); } .cut { stroke: var(--text); stroke-width: 1.5; }
.best { fill: none; stroke: var(--strong); stroke-width: 2.5; } .other { fill: none; stroke: var(--other); opacity: .6; }
.bar { fill: var(--strong); }
.c0 { fill: #1f6fb2; } .c1 { fill: #a84d18; } .c2 { fill: #2a7648; } .c3 { fill: #8a4fa3; } .c4 { fill: #a8326e; }
.c5 { fill: #5b6b1f; } .c6 { fill: #0d7079; } .c7 { fill: #7a5c3e; }
@media screen and (max-width: 40rem) { body { padding: 1rem .8rem; }
  .wide table { width: max-content; min-width: 100%; } .wide th, .wide td { max-width: 13rem; }
  .wide caption { max-width: calc(100vw - 1.6rem); } }
pre { background: var(--band); padding: .8rem; overflow-x: auto; font-size: .85rem; white-space: pre-wrap; }
summary { cursor: pointer; }
@media print { :root { --page: #fff; --text: #000; --faint: #444; --line: #bbb; --band: #eee; --strong: #1f6fb2;
    --other: #777; --warn: #8a2a14; }
  body { max-width: none; padding: 0; font-size: 11px; } figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .piece, .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

} // namespace pbc::tuner
