#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cmake --install` installs works on its own, wherever it is: install.py BUILD CMAKE."""
import os, subprocess, sys, tempfile

BUILD, CMAKE = os.path.abspath(sys.argv[1]), sys.argv[2]

def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    run(CMAKE, "--install", BUILD, "--prefix", f"{folder}/first")
    os.rename(f"{folder}/first", f"{folder}/there")
    os.chdir(folder)
    for file in ["bin/pbc", "lib/libpbruntime.a", "share/pbc/stdlib/sort.pbcc", "share/pbc/stdlib/adaptors/triangular.adl", "share/pbc/machines/h100.toml",
                 "share/man/man1/pbc.1", "share/man/man1/pbc-tune.1", "share/bash-completion/completions/pbc", "share/zsh/site-functions/_pbc",
                 "share/fish/vendor_completions.d/pbc.fish", "share/doc/pbc/LICENSE"]:
        assert os.path.isfile(f"there/{file}"), file

    # A program of the standard library, compiled, tuned and run without the build and its environment.
    with open("down.pbcc", "w") as f:
        f.write("#include <sort.pbcc>\nmain transform Down from A[n] to B[n] {\n  to(B b) from(A a) using(s[n]) { Sort(s, a); for (int i = 0; i < n; ++i) b.cell(i) = s.cell(n - 1 - i); }\n}\n")
    clean = {"PATH": f"{folder}/there/bin:/usr/bin:/bin", "HOME": folder, "PB_DEVICES": "none"}
    run("pbc", "down.pbcc", env=clean)
    run("pbc", "tune", "./down", "--n=1000", "--budget=1", env=clean)
    assert os.path.exists("down.cfg")
    assert run("./down", "-", "-", input="SIZE 3\n1 3 2\n", env=clean).split() == ["SIZE", "3", "3", "2", "1"]
