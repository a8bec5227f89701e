# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Names that a command gives: of benchmarks, of profiles."""


class Unknown(Exception):
    """A name of something that does not exist; the text says of what, and which names there are."""


def chosen(kind, known, names):
    """The values of `names` in the dictionary `known`, or all of them if there are no names; raises Unknown."""
    for n in names:
        if n not in known:
            raise Unknown(f"{kind} '{n}': there are {', '.join(known)}")
    return [known[n] for n in names] or list(known.values())
