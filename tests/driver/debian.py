#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian package, made, unpacked into a folder and used from there: debian.py BUILD CPACK."""
import glob, os, re, shutil, subprocess, sys, tempfile

BUILD, CPACK = os.path.abspath(sys.argv[1]), sys.argv[2]
if not (shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps")):
    print("there is no dpkg-dev")
    sys.exit(77)

def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # Not compressed, which would be most of the time.
    run(CPACK, "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
    package, = glob.glob("pbc_*_*.deb")
    needed = set(re.findall(r"(?:^|, )([\w.+-]+)", run("dpkg-deb", "--field", package, "Depends")))
    # What programs are linked with, and what pbc itself loads.
    assert needed >= {"libc6-dev", "libgcc-12-dev", "libstdc++-12-dev", "libpng-dev", "zlib1g-dev", "libc6", "libsqlite3-0"}, needed
    listed = {line.split()[5] for line in run("dpkg-deb", "--contents", package).splitlines()}
    for file in ["bin/pbc", "lib/libpbruntime.a", "include/pbc_cblas.h", "lib/cmake/pbc/pbc-config.cmake", "lib/pkgconfig/pbc.pc", "share/pbc/stdlib/blas3.pbcc",
                 "share/man/man1/pbc.1", "share/doc/pbc/THIRD-PARTY-NOTICES"]:
        assert f"./usr/{file}" in listed, file
    assert all(file.startswith("./usr/") for file in listed), listed

    run("dpkg-deb", "-x", package, "root")
    with open("down.pbcc", "w") as f:
        f.write("#include <sort.pbcc>\nmain transform Down from A[n] to B[n] {\n  to(B b) from(A a) using(s[n]) { Sort(s, a); for (int i = 0; i < n; ++i) b.cell(i) = s.cell(n - 1 - i); }\n}\n")
    clean = {"PATH": f"{folder}/root/usr/bin:/usr/bin:/bin", "HOME": folder, "PB_DEVICES": "none"}
    run("pbc", "down.pbcc", env=clean)
    assert run("./down", "-", "-", input="SIZE 3\n1 3 2\n", env=clean).split() == ["SIZE", "3", "3", "2", "1"]
    run("pbc", "--shared", "down.pbcc", env=clean)
    assert {"libdown.so", "down.h", "down.hpp"} <= set(os.listdir()), os.listdir()
