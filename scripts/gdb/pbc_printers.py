# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Pretty-printers of gdb for pb::Region, isl objects and syntax::Expr.

    gdb -x scripts/gdb/pbc_printers.py --args build/debug/bin/pbc --emit=kernels prog.pbcc

Regions print their extents, strides and first elements. isl objects print as isl prints them, for which the process
must be alive: the printer calls isl_*_to_str in it. Expressions of the outer language print as they would be written.
"""

import gdb
import gdb.printing


class RegionPrinter:
    """pb::Region<T, D>: [640, 480] stride [1, 640] {0.5, 0.25, ...}"""

    SHOWN = 8

    def __init__(self, value):
        self.value = value

    def to_string(self):
        element = self.value.type.template_argument(0)
        rank = int(self.value.type.template_argument(1))
        extents = [int(self.value["extent_"][d]) for d in range(rank)]
        strides = [int(self.value["stride_"][d]) for d in range(rank)]
        head = "%s %s stride %s" % (element, extents, strides)
        base = self.value["base_"]
        if int(base) == 0:
            return head + " (null)"
        row = extents[0] if rank else 1
        step = strides[0] if rank else 0
        if 0 in extents:
            return head + " {}"
        try:
            shown = [str((base + i * step).dereference()) for i in range(min(row, self.SHOWN))]
        except gdb.MemoryError as problem:
            return "%s (%s)" % (head, problem)
        return "%s {%s%s}" % (head, ", ".join(shown), ", ..." if row > self.SHOWN else "")


class IslPrinter:
    """A C++ wrapper of isl (isl::set, ...): the text of the object inside."""

    def __init__(self, value, kind):
        self.value = value
        self.kind = kind

    def to_string(self):
        return isl_text(self.kind, int(self.value["ptr"]))


class IslPointerPrinter:
    """A pointer of isl's C interface (isl_set *, ...)."""

    def __init__(self, value, kind):
        self.value = value
        self.kind = kind

    def to_string(self):
        return isl_text(self.kind, int(self.value))


def isl_text(kind, address):
    if address == 0:
        return "null isl_%s" % kind
    call = "((char *(*)(void *))isl_%s_to_str)((void *)%d)" % (kind, address)
    try:
        text = gdb.parse_and_eval(call)
        result = text.string()
        gdb.parse_and_eval("((void (*)(void *))free)((void *)%d)" % int(text))
        return result
    except gdb.error as problem:  # no process, or isl has no text for this kind
        return "isl_%s at 0x%x (%s)" % (kind, address, problem)


class ExprPrinter:
    """pbc::syntax::Expr: (n - 1) / 2"""

    BINARY = {"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Power": "^"}

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return expression_text(self.value)


def vector_items(vector):
    begin, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [(begin + i).dereference() for i in range(int(end - begin))]


def plain_string(value):
    """The characters of a std::string, without quotes."""
    return value["_M_dataplus"]["_M_p"].string(length=int(value["_M_string_length"]))


def expression_text(value):
    kind = str(value["kind"]).split("::")[-1]
    if kind in ("Name", "Integer", "Float"):
        return plain_string(value["text"])
    operands = [expression_text(item["_M_ptr"].dereference()) for item in vector_items(value["operands"])]
    if kind == "Negate":
        return "-" + operands[0]
    return "(%s)" % (" %s " % ExprPrinter.BINARY.get(kind, kind)).join(operands)


ISL_KINDS = (
    "aff", "ast_expr", "ast_node", "basic_map", "basic_set", "id", "map", "multi_aff", "multi_pw_aff", "multi_union_pw_aff",
    "multi_val", "point", "pw_aff", "pw_multi_aff", "schedule", "schedule_node", "set", "space", "union_map",
    "union_pw_aff", "union_pw_multi_aff", "union_set", "val",
)


class IslPointers(gdb.printing.PrettyPrinter):
    """Finds isl's C pointers, which have no name of their own that a regular expression could match."""

    def __init__(self):
        super().__init__("isl pointers")

    def __call__(self, value):
        kind = value.type.strip_typedefs()
        if kind.code != gdb.TYPE_CODE_PTR:
            return None
        name = str(kind.target().unqualified().strip_typedefs())
        name = name[len("struct "):] if name.startswith("struct ") else name
        if name.startswith("isl_") and name[len("isl_"):] in ISL_KINDS:
            return IslPointerPrinter(value, name[len("isl_"):])
        return None


def isl_printer(kind):
    return lambda value: IslPrinter(value, kind)


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("pbc")
    printers.add_printer("region", r"^pb::Region<.*>$", RegionPrinter)
    printers.add_printer("expr", r"^pbc::syntax::Expr$", ExprPrinter)
    for kind in ISL_KINDS:
        printers.add_printer("isl_" + kind, "^isl::%s$" % kind, isl_printer(kind))
    gdb.printing.register_pretty_printer(None, printers, replace=True)
    gdb.printing.register_pretty_printer(None, IslPointers(), replace=True)


register()
