#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual pages and completion: manual.py PBC. They have what --help has, and shells accept them."""
import os, re, shutil, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
COMMANDS = ["tune", "explain", "report", "config", "opt", "compose", "space", "prove", "emulate", "model", "man", "completion"]

def said(*words):
    return subprocess.run([PBC, *words], capture_output=True, text=True, check=True).stdout

def refused(*words):
    done = subprocess.run([PBC, *words], capture_output=True, text=True)
    assert done.returncode == 1, (words, done)
    return done.stderr

def options(help):
    return set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", help, re.M))

def completed(*words):
    """What bash proposes for the last word."""
    script = f"""eval "$("{PBC}" completion bash)"
COMP_WORDS=({' '.join(words)}{' ""' if words[-1] == 'pbc' else ''}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _pbc; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # Each option of --help is on its page, and no text of an option is taken for a macro.
    assert said("man", "--folder=.") == ""
    assert sorted(os.listdir()) == sorted(["pbc.1"] + [f"pbc-{c}.1" for c in COMMANDS]), os.listdir()
    for command in ["", *COMMANDS]:
        page = open(f"pbc-{command}.1" if command else "pbc.1").read()
        assert page == said("man", *([command] if command else [])), command
        shown = options(said(*([command] if command else []), "--help"))
        assert shown >= {"--help"}, (command, shown)
        assert shown <= set(re.findall(r"\\fB(--[\w-]+)", page.replace("\\-", "-"))), (command, shown)
        unknown = [line for line in page.splitlines() if re.match(r"[.']", line) and not re.match(r"\.(TH|SH|TP|B|br|nf|fi)\b", line)]
        assert not unknown, (command, unknown)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=True)
            assert not done.stderr, (command, done.stderr)
    for command in COMMANDS:
        assert f"pbc\\-{command}" in open("pbc.1").read(), command
    assert "tun not in {tune," in refused("man", "tun")
    assert "no-folder" in refused("man", "--folder=no-folder")

    # Bash: commands and files, subcommands, options of the command.
    open("tunes.pbcc", "w").close()
    assert completed("pbc", "tun") == ["tune", "tunes.pbcc"], completed("pbc", "tun")
    assert completed("pbc", "tune", "--bu") == ["--budget"], completed("pbc", "tune", "--bu")
    assert completed("pbc", "tunes.pbcc", "--bounds-c") == ["--bounds-check"]
    assert completed("pbc", "config", "ch") == ["check"]
    assert set(COMMANDS) <= set(completed("pbc")), completed("pbc")
    assert "tcsh not in {bash,zsh,fish}" in refused("completion", "tcsh")
    assert "shell is required" in refused("completion")
    for shell in ["bash", "zsh", "fish"]:
        script = said("completion", shell)
        assert "--budget" in script or "-l budget" in script, shell
        if shutil.which(shell):
            done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, (shell, done.stderr)

    # The same questions to fish and zsh, where they are installed.
    if shutil.which("fish"):
        def fish(line):
            script = f'"{PBC}" completion fish | source; complete -C "{line}"'
            lines = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
            return [line.split("\t")[0] for line in lines]
        assert fish("pbc tun") == ["tune", "tunes.pbcc"], fish("pbc tun")
        assert fish("pbc --sh") == ["--shared"], fish("pbc --sh")
        assert fish("pbc tune --bu") == ["--budget"], fish("pbc tune --bu")
        assert fish("pbc config ch") == ["check"], fish("pbc config ch")
    if shutil.which("zsh"):
        # Its completion needs a terminal: a line is typed into one up to Tab, which works only while nothing else is waiting to be read, and then ended.
        with open("zshrc", "w") as f:
            f.write(f'autoload -Uz compinit; compinit -u -d $PWD/dump\neval "$("{PBC}" completion zsh)"\npbc() {{ print -r -- "$@" > said; }}\n: > ready\n')
        script = """zmodload zsh/zpty; zpty z "zsh -f -i"
            zpty -w z "source ./zshrc"; for ((i = 0; i < 100; ++i)) do [[ -e ready ]] && break; sleep 0.1; done; sleep 0.3
            zpty -w -n z "$1"$'\\t'; sleep 1; zpty -w z "$2"; for ((i = 0; i < 50; ++i)) do [[ -s said ]] && break; sleep 0.1; done; zpty -d z"""
        for typed, rest, meant in [("pbc --sh", "tunes.pbcc", "--shared tunes.pbcc"), ("pbc tune --bu", "5", "tune --budget=5"), ("pbc tunes", "-c", "tunes.pbcc -c"),
                                   ("pbc config ch", "a.cfg", "config check a.cfg")]:
            for file in {"said", "ready"} & set(os.listdir()):
                os.remove(file)
            subprocess.run(["zsh", "-f", "-c", script, "zsh", typed, rest], capture_output=True, text=True, timeout=60)
            said_by = open("said").read().split() if os.path.exists("said") else []
            assert said_by == meant.split(), (typed, said_by)
