# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The page of scripts/results, in Markdown, from its data: the tables of the paper (petabricks-hetero 9) for the machine at hand."""
from samples import shown

NOTHING = "-"


def table(head, rows):
    return "\n".join("| " + " | ".join(str(c) for c in r) + " |" for r in [head, ["---"] * len(head), *rows]) + "\n"


def page(data):
    """`data` as scripts/results writes it into results.json: docs/tuning.md has its keys."""
    profiles = data["profiles"]
    parts = [
        f"# The seven benchmarks on {data['machine']}\n",
        f"Made by `{data['command']}` on {data['date']} from commit {data['commit']}"
        f"{'' if data['complete'] else '; **not all experiments were made: the same command goes on**'}. Ratios of times are to what is named in "
        "the head of a column; times are medians of runs that took turns. The data are in [results.json](results.json).\n",
        "Profiles: " + "; ".join(f"**{p['name']}**, {p['title']}" for p in profiles) + ".\n",
        "## Properties\n", properties(data),
        "## What tuning found\n", configurations(data),
        "## Each configuration on each profile\n", cross(data),
        "## Kernel widths of the separable convolution\n", widths(data),
        "## Beside what a user would call instead\n", rivals(data),
    ]
    if any(b.get("full") for b in data["benchmarks"]):
        parts += ["## A longer tuning\n", full(data)]
    return "\n".join(parts)


def properties(data):
    rows = []
    for b in data["benchmarks"]:
        configurations, kernels, hours = b["published"]
        native = [t for t in b["tuned"].values()]
        took = sum(t["seconds"] for t in native) / len(native) if native else None
        compiled = max((t["kernels_compiled"] for t in native), default=None)
        rows.append([b["title"], b["size"], f"10^{b['configurations']}", f"10^{configurations}", b["kernels"], kernels, b["lines"],
                     NOTHING if took is None else f"{took:.0f} s", f"{hours:.2f} h", NOTHING if compiled is None else compiled])
    took = [t["seconds"] for b in data["benchmarks"] for t in b["tuned"].values()]
    mean = f"The mean time of a tuning is {sum(took) / len(took):.1f} s (the paper: 5.2 hours).\n" if took else ""
    return table(["benchmark", "size", "configurations", "in the paper", "kernels", "in the paper", "lines of code, with the library's", "tuning, mean",
                  "in the paper", "kernels that drivers compiled, at most"], rows) + "\n" + mean


def configurations(data):
    rows = []
    for b in data["benchmarks"]:
        for p in data["profiles"]:
            if t := b["tuned"].get(p["name"]):
                rows.append([b["title"], p["name"], "; ".join(t["choices"]) or "the defaults", f"{t['default_seconds'] / t['tuned_seconds']:.2f}",
                             f"{t['seconds']:.0f} s, {t['measurements']} measurements"])
    return table(["benchmark", "profile", "configuration", "times as fast as the default", "tuning"], rows)


def ratio(seconds, native, patience):
    if seconds is None:
        return f"> {patience / native:.1f}" if native else NOTHING
    return f"{seconds / native:.2f}" if native else shown(seconds)


def cross(data):
    """Fig. 7 in ratio form: rows are profiles, columns configurations."""
    names = [p["name"] for p in data["profiles"]] + ["default", "device_only"]
    rows, best, strange = [], 0, {}
    for b in data["benchmarks"]:
        for p in data["profiles"]:
            if not (times := b["cross"].get(p["name"])):
                continue
            native = times.get(p["name"])
            rows.append([b["title"], p["name"], shown(native) if native else NOTHING] + [ratio(times[n], native, data["patience"]) if n in times else NOTHING for n in names])
            known = [t for t in times.values() if t]
            best += bool(native) and native <= 1.05 * min(known)
            worst = max(t or data["patience"] for t in times.values())
            strange[b["title"]] = max(strange.get(b["title"], 0), worst / native if native else 0)
    text = table(["benchmark", "on profile", "native", *(f"with {n}" for n in names)], rows)
    far = [f"{name} ({worst:.1f})" for name, worst in strange.items() if worst >= 3]
    return (text + f"\nThe native configuration is the fastest, or within 5 % of it, in {best} of {len(rows)} rows. Some configuration is at least three times "
            f"as slow as the native one for {len(far)} benchmarks{': ' if far else ''}{', '.join(far)}.\n\n![slow-downs](cross.svg)\n")


def widths(data):
    text = ""
    for p in data["profiles"]:
        if not (found := data["widths"].get(p["name"])):
            continue
        names = list(found[0]["forced"])
        rows = []
        within = 0
        for row in found:
            known = {n: t for n, t in row["forced"].items() if t}
            best = min(known, key=known.get)
            within += row["tuned"] <= 1.05 * known[best]
            rows.append([row["width"], shown(row["tuned"]), f"{row['tuned'] / known[best]:.2f}", best,
                         *(shown(t) if t else f"> {data['patience']} s" for t in (row["forced"][n] for n in names))])
        text += (f"On profile **{p['name']}**, {found[0]['n']} x {found[0]['n']} doubles. The tuned program is within 5 % of the best mapping at {within} of {len(found)} widths.\n\n"
                 + table(["width", "tuned", "of the best mapping", "best mapping", *names], rows) + f"\n![widths](widths_{p['name']}.svg)\n\n")
    return text or "Not measured.\n"


def rivals(data):
    rows, faster = [], []
    for b in data["benchmarks"]:
        for p in data["profiles"]:
            ahead = False
            for r in b["sizes"].get(p["name"], []):
                rival = r["rival"]
                if rival and r["seconds"]:
                    ahead |= r["seconds"] < rival["seconds"]
                rows.append([b["title"], p["name"], r["n"], shown(r["seconds"]) if r["seconds"] else NOTHING, rival["name"] if rival else NOTHING,
                             shown(rival["seconds"]) if rival else NOTHING, f"{r['seconds'] / rival['seconds']:.2f}" if rival and r["seconds"] else NOTHING])
            if ahead and b["title"] not in faster:
                faster.append(b["title"])
    among = [[b["title"], r["n"], shown(r["seconds"]), r["rival"]["name"], shown(r["rival"]["seconds"]), f"{r['seconds'] / r['rival']['seconds']:.2f}"]
             for b in data["benchmarks"] for r in b.get("library", []) if r["seconds"]]
    return (table(["benchmark", "profile", "size", "tuned", "fastest rival", "its time", "tuned over rival"], rows)
            + f"\nFaster than the rival at some size: {', '.join(faster) or 'none'}.\n\n![by size](sizes.svg)\n"
            + ("\nWith the library among the choices, tuned at the size of the other tables:\n\n"
               + table(["benchmark", "size", "tuned", "library", "its time", "tuned over library"], among) if among else ""))


def full(data):
    rows = []
    for b in data["benchmarks"]:
        if f := b.get("full"):
            rows.append([b["title"], f"{f['quick']['seconds']:.0f} s", f"{f['full']['seconds']:.0f} s", shown(f["times"]["quick"]), shown(f["times"]["full"]),
                         f"{f['times']['full'] / f['times']['quick']:.2f}"])
    return table(["benchmark", "quick tuning", "full tuning", "program after quick", "after full", "full over quick"], rows)
