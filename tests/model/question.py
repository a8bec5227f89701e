# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the tests of pbc model share: asking, as text and as data, and being refused."""
import json, os, subprocess

class Command:
    def __init__(self, pbc, *words):
        self.words = [os.path.abspath(pbc), "model", *words]

    def run(self, *arguments, status=0, **environment):
        done = subprocess.run([*self.words, *arguments], capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def refused(self, *arguments, **environment):
        """The message; nothing is printed beside it."""
        done = self.run(*arguments, status=1, **environment)
        assert done.stdout == "" and done.stderr.startswith("pbc model: error: "), done
        return done.stderr.removeprefix("pbc model: error: ")

    def answer(self, *arguments):
        """The answer as data, and its figures by name."""
        answer = json.loads(self.run(*arguments, "--json").stdout)
        return answer, {f["name"]: f["value"] for f in answer["figures"]}
