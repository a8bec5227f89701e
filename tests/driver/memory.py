#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles programs that need more memory than there is; each compilation must end with a message. memory.py PBC"""
import os, re, resource, subprocess, sys, tempfile, time

PBC = os.path.abspath(sys.argv[1])
RULE = "transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return %s; } }\n"
BOMBS = {
    "an initialised array": ("int table[1 << 28] = {1};", "table[0]"),
    "many initialised arrays": ("struct Big { int values[1 << 24] = {1}; };\nBig table[16];", "table[0].values[0]"),
    "deep templates": ("template <int N> struct D { using L = D<N - 1>; static constexpr int value = L::value + 1; };\n"
                       "template <> struct D<0> { static constexpr int value = 0; };", "D<100000>::value"),
    "templates that double": ("template <int N, class... T> struct G { using type = typename G<N - 1, T..., T..., int>::type; };\n"
                              "template <class... T> struct G<0, T...> { static constexpr int type = 0; };\n"
                              "template <int N, class... T> struct H { static constexpr int value = H<N - 1, T..., T..., int>::value; };\n"
                              "template <class... T> struct H<0, T...> { static constexpr int value = sizeof...(T); };", "H<26>::value"),
    "a constant expression": ("constexpr int f() { int *p = new int[1 << 24]{}; p[(1 << 24) - 1] = 1; int last = p[(1 << 24) - 1]; "
                              "delete[] p; return last; }\nconstexpr int table = f();", "table"),
    "a string that is repeated": ("#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\nconst char table[] = B(B(B(\"x\")));", "table[0]"),
}

def run(*arguments, limit="400M", **environment):
    begin = time.time()
    done = subprocess.run([PBC, *arguments, f"--memory-limit={limit}"] if limit else [PBC, *arguments], capture_output=True,
                          text=True, env={**os.environ, **environment}, timeout=100)
    return done, time.time() - begin

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["PBC_CACHE_DIR"] = ""
    for name, (raw, value) in BOMBS.items():
        with open("bomb.pbcc", "w") as f:
            f.write("%{\n" + raw + "\n%}\n" + RULE % value)
        done, seconds = run("bomb.pbcc")
        assert done.returncode == 1 and "internal error" not in done.stderr, (name, done.returncode, done.stderr[-2000:])
        assert re.search(r"^pbc: error: the compilation needs more than 400 MiB of memory \(in the step `[\w ]+`\)\nhelp: |^bomb.pbcc:\d+", done.stderr, re.M), (name, done.stderr[:2000])
        assert os.listdir() == ["bomb.pbcc"], os.listdir()
        print(f"{name}: ended after {seconds:.1f} s: {done.stderr.splitlines()[0]}", flush=True)

    with open("small.pbcc", "w") as f:
        f.write(RULE % "2 * a")
    assert run("small.pbcc")[0].returncode == 0
    for limit in ("1K", "0.001M"): # by the option, and below by the environment
        assert "needs more than" in run("small.pbcc", limit=limit)[0].stderr, limit
    assert "needs more than 1 KiB" in run("small.pbcc", limit=None, PBC_MEMORY_LIMIT="1K")[0].stderr
    assert run("small.pbcc", limit="none", PBC_MEMORY_LIMIT="1K")[0].returncode == 0
    for limit in ("many", "-1", "1X", "6 G", "1e300"):
        assert run("small.pbcc", limit=limit)[0].stderr == f"pbc: error: `{limit}` is not a size of memory\nhelp: 6G, 500M or none\n", limit

    # The system refuses an allocation.
    done = subprocess.run([PBC, "bomb.pbcc", "--memory-limit=none"], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
    assert done.returncode == 1 and "pbc: error: the compilation needs more memory than the system gives" in done.stderr, done.stderr
print("memory: all as expected")
