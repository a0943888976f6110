"""mutate_faults - small faults of C sources: where they can be, in which order they are tried.

A fault changes one place: an operator of a formula, a comparison, a logical operator, a constant, or a statement that
wakes a process (des_notify and the like) is dropped.
"""
import collections
import random
import re

TURN = ("formula", "comparison", "constant", "formula", "comparison", "logic", "formula", "comparison", "constant", "wake-up")

# what stands between blanks is binary: clang-format sees to that
OPERATORS = {
    " + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / ", " += ": " -= ", " -= ": " += ", " << ": " >> ", " >> ": " << ",
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " && ": " || ", " || ": " && ",
}
KINDS = {
    "formula": (" + ", " - ", " * ", " / ", " % ", " += ", " -= ", " << ", " >> "),
    "comparison": (" < ", " <= ", " > ", " >= ", " == ", " != "),
    "logic": (" && ", " || "),
}
KIND_OF = {operator: kind for kind, operators in KINDS.items() for operator in operators}
WAKE = re.compile(r"\b(des_notify(?:_delta|_at|_after)?|des_put)\(")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[0-9]+)(?=[uUlL]*(?![\w.]))")
OPERATOR = re.compile(r"(?<=[^\s]) ([-+*/%<>=!&|]{1,3}) (?=\S)|(?<=[^\s]) ([-+*/%<>=!&|]{1,3})(?=\n)")
CHOICE = re.compile(r"([^?:;]+?)\s*\?\s*([^?:;]+?)\s*:\s*([^?:;]+?)(?=[;,)\n]|\s\})")
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)


class Fault(collections.namedtuple("Fault", "path offset old new kind")):
    """old at this offset of the file becomes new."""

    def applied(self, text):
        return text[:self.offset] + self.new + text[self.offset + len(self.old):]

    def line(self, text):
        """The number of its line, its column and the line itself."""
        start = text.rfind("\n", 0, self.offset) + 1
        return text.count("\n", 0, self.offset) + 1, self.offset - start, text[start:text.find("\n", self.offset)]

    def where(self, text):
        return "%s:%d" % (self.path, self.line(text)[0])

    def change(self, text):
        """The line, with the fault in brackets where it is."""
        end = self.offset + len(self.old)
        before, after = text[text.rfind("\n", 0, self.offset) + 1:self.offset], text[end:text.find("\n", end)]
        return "%s [%s -> %s] %s" % (before.strip(), " ".join(self.old.split()), self.new.strip(), after.strip())

    def key(self, text):
        """The same as long as the line is, wherever it moves; what stands around it tells equal lines apart."""
        _, column, line = self.line(text)
        around = " ".join(text[max(0, self.offset - 120):self.offset + 120].split())
        return "%s|%d|%s|%s|%s|%s" % (self.path, column, self.old, self.new, line.strip(), around)

    def chooses(self, text):
        """Is it the comparison of a larger or smaller of two, a > b ? a : b?  Then it is all one whether equal ones count."""
        if self.new.rstrip(" =") != self.old.rstrip(" ="):
            return False
        m = CHOICE.match(text, self.offset + len(self.old))
        if not m:
            return False
        b, first, second = (" ".join(s.split()) for s in m.groups())
        before = " ".join(text[:self.offset].split())
        for a, other in ((first, second), (second, first)):
            if other == b and before.endswith(a) and re.search(r"([=(,{]|return) ?$", before[:-len(a)]):
                return True
        return False


def blanked(text):
    """The source with comments, strings, character constants and directives as blanks, position by position."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def faults_of(path, text):
    """Every fault of one file."""
    text = blanked(text)
    found = []
    for m in OPERATOR.finditer(text):
        old = " %s " % (m.group(1) or m.group(2))
        if old in OPERATORS:
            new = OPERATORS[old]
            found.append(Fault(path, m.start(), m.group(), new if m.group(1) else new[:-1], KIND_OF[old]))
    for m in NUMBER.finditer(text):
        value = int(m.group(1), 8 if re.fullmatch("0[0-7]+", m.group(1)) else 0)
        new = {0: "1", 1: "2"}.get(value, str(value + 1))
        found.append(Fault(path, m.start(1), m.group(1), new, "constant"))
    for m in WAKE.finditer(text):
        end = text.find(";", m.start())
        before = text.rfind("\n", 0, m.start())
        call = text[m.start():end]
        if text[before:m.start()].strip() == "" and call.count("(") == call.count(")"):
            found.append(Fault(path, m.start(), call + ";", "(void)0;", "wake-up"))
    return sorted(found, key=lambda f: (f.offset, f.new))


def drawn(faults, seed):
    """The faults in the order of trial: kinds in turn, as most numbers of a source are the 0 of a loop."""
    rest = {kind: [f for f in faults if f.kind == kind] for kind in sorted(set(TURN))}
    for kind in rest.values():
        random.Random(seed).shuffle(kind)
    order = []
    while any(rest.values()):
        for kind in TURN:
            if rest[kind]:
                order.append(rest[kind].pop())
    return order
