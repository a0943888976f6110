"""mutate_build - a copy of the tree whose program and suites are linked to one library, in which objects are exchanged."""
import os
import shutil
import subprocess

from mutate_reach import LIBRARY

SOURCES = ("kernels", "model", "tests", "traces")


def copy_tree(root, build, tree):
    """The files of git and those that are new; only what differs is written, so that make builds only that.
    The first time objects that are there already come along."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True,
                           stdout=subprocess.PIPE).stdout.decode().split("\0")
    names = [n for n in names if n and os.path.isfile(os.path.join(root, n))]
    fresh = not os.path.isdir(tree)
    for name in names:
        to, source = os.path.join(tree, name), os.path.join(root, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if not os.path.exists(to) or open(to, "rb").read() != open(source, "rb").read():
            shutil.copy2(source, to)
            if not fresh:
                os.utime(to)
    kept = set(names)
    for folder in SOURCES:
        for at, _, files in os.walk(os.path.join(tree, folder)):
            for name in files:
                if os.path.relpath(os.path.join(at, name), tree) not in kept:
                    os.remove(os.path.join(at, name))
    if fresh and os.path.basename(build) == "build":  # dependencies name the folder
        for name in ("gen", *SOURCES):
            if os.path.isdir(os.path.join(build, name)):
                shutil.copytree(os.path.join(build, name), os.path.join(tree, "build", name))


class Commands:
    """What make would run to compile and to link the library."""

    def __init__(self, tree):
        self.tree = tree
        self.variables = ("BUILD=build", "LIBRARY=build/" + LIBRARY)
        said = self.make("-n", "-B", "V=1", "build/" + LIBRARY).stdout.splitlines()
        self.flags = next(s for s in said if " -c kernels/" in s).split(" -c ")[0].split()
        self.link = next(s for s in said if " -shared " in s)

    def make(self, *words):
        return subprocess.run(["make", "-s", *self.variables, *words], cwd=self.tree, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def run(self, words):
        return subprocess.run(words, cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)

    def compile(self, source, to, *more):
        """Does it compile?"""
        return self.run([*self.flags, *more, "-c", source, "-o", to]).returncode == 0

    def link_library(self, objects, to, *more, lines=False):
        """The library with other objects, {object of the library: the one in its place}; with the lines of its code?"""
        words = [objects.get(w, w) for w in self.link.split() if not (lines and w == "-Wl,--strip-debug")]
        words[words.index("-o") + 1] = to
        p = self.run([*words, *more])
        if p.returncode:
            raise SystemExit("mutate: the library does not link\n" + p.stdout)

    def code(self, path):
        """An object without what debuggers read."""
        stripped = path + ".stripped"
        subprocess.run(["objcopy", "--strip-debug", path, stripped], check=True)
        with open(stripped, "rb") as f:
            return f.read()
