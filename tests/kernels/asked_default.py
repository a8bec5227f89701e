#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that asking for the default kernel options gives the same program as asking for nothing.

  asked_default.py PBC SHARD/SHARDS [OPTION...] -- FILE...

For each source, `[kernels]` of a configuration asks for exactly the options that `pbc explain --kernels` reports as in
use, and then for the scripts that it reports. The generated text must be the same, byte for byte, as without a configuration.
With PBC_ALL=1 in the environment, for all sources.
"""
import concurrent.futures, json, os, subprocess, sys, tempfile


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def key(name):
    return json.dumps(name, ensure_ascii=False)


def asked(described):
    """The lines of `[kernels]`; a kernel may occur in several plans, with the same options."""
    lines = {}
    for transform in described["transforms"]:
        for kernel in transform.get("kernels", []):
            for option in kernel["options"]:
                value = option["in_use"]
                lines[f"{key(transform['name'])}.{key(kernel['name'])}.{option['option']}"] = (
                    value if value.isdigit() else json.dumps(value, ensure_ascii=False))
    return lines


def scripts(described):
    """The same for the steps in use, where all kernels of a name have the same: they follow one script."""
    steps = {}
    for transform in described["transforms"]:
        for alternative in transform["alternatives"]:
            for step in alternative["steps"]:
                if "script" in step:
                    steps.setdefault((transform["name"], "+".join(step["rules"])), set()).add("; ".join(step["script"]))
    return {f"{key(transform['name'])}.{key(kernel['name'])}.script": json.dumps(kernel["script"]["in_use"], ensure_ascii=False)
            for transform in described["transforms"] for kernel in transform.get("kernels", [])
            if "script" in kernel and len(steps.get((transform["name"], kernel["name"]), [])) == 1}


def emitted(done):
    """The generated text without the program's table, because that has the configuration itself."""
    return [line for line in done.stdout.splitlines() if "pb::kAbiVersion" not in line]


def problem(pbc, options, source, folder):
    described = run(pbc, "explain", "--kernels", "--json", *options, source)
    if described.returncode != 0:
        return None  # the program is refused, or needs files that are missing here
    default = None
    for lines in (asked(json.loads(described.stdout)), scripts(json.loads(described.stdout))):
        if not lines:
            continue
        configuration = os.path.join(folder, os.path.basename(source) + ".toml")
        with open(configuration, "w") as file:
            file.write("[kernels]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items()))
        default = default or run(pbc, "--emit=cpp", *options, source)
        same = run(pbc, "--emit=cpp", *options, f"--config={configuration}", source)
        if default.returncode == 0 and (same.returncode != 0 or emitted(same) != emitted(default)):
            different = [line for line in zip(emitted(default), emitted(same)) if line[0] != line[1]]
            wanted = "".join(f"    {name} = {value}\n" for name, value in lines.items())
            return f"{source}: asking for what is in use gives another program\n{wanted}{same.stderr}  {different[:2]}"
    return None


def main():
    pbc, (shard, shards) = sys.argv[1], map(int, sys.argv[2].split("/"))
    if os.environ.get("PBC_ALL"):
        shard, shards = 0, 1
    separator = sys.argv.index("--")
    options, sources = sys.argv[3:separator], sorted(sys.argv[separator + 1:])[shard::shards]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(lambda s: problem(pbc, options, s, folder), sources) if p]
    print("\n".join(problems) if problems else f"{len(sources)} programs: as expected")
    sys.exit(bool(problems))


main()
