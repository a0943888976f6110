"""mutate_reach - what each test takes and which blocks of code it runs.

The files where faults are looked for are compiled once more, without optimisation and with a call at each block of code
(tests/coverage/reach.c notes which of them ran), into a library of their own.  Each test runs alone, once with the library as it
is and once with that one.  What is known of a test is kept as long as neither the library nor a file of its group changes.
"""
import bisect
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

CLI = "cli"  # tests/cli: a script for each test
SUITES = ("golden", "unit", "profiles", "timing", "conformance", "timelines", "api", "programs", "physics", "validation")
LIBRARY = "libcyclotron-open.so"
BUILDING = ("dist", "examples", "extending", "folder_names", "install")  # cases that link the tree's program anew, not to LIBRARY
MOST_CPU = 10  # seconds of a test that is worth its time
MOST_BYTES = 6 << 30
MOST_FILE = 1 << 28
Measured = collections.namedtuple("Measured", "cpu blocks")


def write_json(path, what):
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(what, f, indent=0)
    os.replace(path + ".new", path)


def read_json(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path, encoding="utf-8") as f:
        return json.load(f)


class Runner:
    """Runs tests in a tree whose suites are linked to LIBRARY; what they say goes to a folder."""

    def __init__(self, tree, folder):
        self.tree = tree
        self.folder = folder

    def list(self, suite):
        """All tests of a suite as "group/test", those of the command line by their names, but BUILDING."""
        if suite == CLI:
            names = (os.path.basename(p)[:-3] for p in glob.glob(os.path.join(self.tree, "tests/cli/*/*.sh")))
            return sorted(n for n in names if n not in BUILDING)
        env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(self.tree, "build"))
        text = subprocess.run(["build/test-" + suite, "--list"], cwd=self.tree, env=env, check=True, stdout=subprocess.PIPE).stdout.decode()
        found, group = [], ""
        for line in text.splitlines():
            m = re.match(r"(\w+): \d+ tests?", line)
            if m:
                group = m.group(1)
            m = re.match(r"[├└]── (\w+)", line)
            if m:
                found.append(group + "/" + m.group(1))
        return found

    def run(self, suite, tests, library, cpu, wall, reached=""):
        """Runs tests until one fails: ("" or why not, CPU seconds).  cpu bounds each process, wall all of them."""
        env = dict(os.environ, LD_LIBRARY_PATH=library, CYCLOTRON=os.path.join(self.tree, "build/cyclotron"), REACHED=reached)
        limits = ["prlimit", "--cpu=%d:%d" % (cpu + 1, cpu + 3), "--data=%d" % MOST_BYTES, "--core=0", "--fsize=%d" % MOST_FILE]
        pattern = "@(%s)" % "|".join(tests) if len(tests) > 1 else tests[0]
        command = ["tests/cli/run", *tests] if suite == CLI else ["build/test-" + suite, "-j1", "--fail-fast", "--filter", pattern]
        with tempfile.NamedTemporaryFile("w+", dir=self.folder, encoding="utf-8", errors="replace") as said:
            p = subprocess.Popen([*limits, *command], cwd=self.tree, env=env,
                                 stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
            rc, took = wait(p, wall)
            said.seek(0)
            return ("" if rc == 0 else reason(suite, rc, said.read())), took


def wait(p, seconds):
    """Its exit status or what else ended it, and the CPU seconds of it and its children; then none of them is left."""
    end, rc, used = time.monotonic() + seconds, None, None
    while rc is None and time.monotonic() < end:
        pid, status, used = os.wait4(p.pid, os.WNOHANG)
        if pid:
            rc = p.returncode = os.waitstatus_to_exitcode(status)
        else:
            time.sleep(0.01)
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if rc is None:
        _, _, used = os.wait4(p.pid, 0)
        rc = p.returncode = "no end after %d s" % seconds
    return rc, used.ru_utime + used.ru_stime


def reason(suite, rc, text):
    """Which test failed, or what else is known."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    m = re.search(r"\[FAIL\] (\w+)::(\w+)", text) or re.search(r"(\w+)::(\w+): CRASH", text)
    if m:
        return "%s/%s/%s" % (suite, m.group(1), m.group(2))
    m = re.search(r"^FAIL (\w+)", text, re.M)
    if m:
        return "%s/%s" % (suite, m.group(1))
    m = re.search(r"\[----\] *([\w/.]+:\d+)", text)
    return "%s %s" % (suite, m.group(1) if m else rc if isinstance(rc, str) else "exit status %s" % rc)


class Reach:
    """Tests as "suite/group/test", with what they take and the blocks they run; the blocks of each line."""

    def __init__(self, runner, paths, work, commands, suites):
        self.runner = runner
        self.paths = paths
        self.work = os.path.join(work, "reach")
        self.kept = os.path.join(work, "reach.json")
        self.commands = commands
        self.suites = suites
        self.tests = {}
        os.makedirs(self.work, exist_ok=True)

    # --- the library that notes what runs ---------------------------------------------------

    def digest(self, *patterns):
        h = hashlib.sha256()
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(self.runner.tree, pattern), recursive=True)):
                if os.path.isdir(path):
                    continue
                with open(path, "rb") as f:
                    h.update(path.encode() + b"\0" + f.read() + b"\0")
        return h.hexdigest()

    def build(self):
        objects = {}
        for path in self.paths:
            o = os.path.join(self.work, path.replace("/", "-")[:-2] + ".o")
            if not self.commands.compile(path, o, "-O0", "-fsanitize-coverage=trace-pc"):
                raise SystemExit("mutate: %s does not compile without optimisation" % path)
            objects["build/%s.o" % path[:-2]] = o
        runtime = os.path.join(self.work, "reach.o")
        self.commands.compile("tests/coverage/reach.c", runtime)
        self.commands.link_library(objects, os.path.join(self.work, LIBRARY), runtime, lines=True)

    def blocks_of_lines(self):
        """The addresses that calls return to, ascending, and {path: {line: [index of a block, ...]}}."""
        so = os.path.join(self.work, LIBRARY)
        returns, after_call = [], False
        code = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", so], stdout=subprocess.PIPE, text=True)
        for text in code.stdout:
            m = re.match(r" *([0-9a-f]+):\t(.*)", text)
            if m:
                if after_call:
                    returns.append(int(m.group(1), 16))
                after_call = "<__sanitizer_cov_trace_pc" in m.group(2) and m.group(2).startswith("call")
        code.wait()
        returns.sort()
        path_of = {os.path.basename(p): p for p in self.paths}  # a base name occurs once in the tree
        lines = {p: {} for p in self.paths}
        table = subprocess.Popen(["objdump", "-w", "--dwarf=decodedline", so], stdout=subprocess.PIPE, text=True)
        for text in table.stdout:
            m = re.match(r"(\S+\.c) +(\d+) +0x([0-9a-f]+)", text)
            if m and m.group(1) in path_of:
                at = bisect.bisect_right(returns, int(m.group(3), 16) + 5) - 1  # 5 bytes: the call that opens a block
                if at >= 0:
                    lines[path_of[m.group(1)]].setdefault(m.group(2), set()).add(at)
        table.wait()
        return returns, {p: {n: sorted(b) for n, b in at.items()} for p, at in lines.items()}

    # --- each test alone -----------------------------------------------------------------------

    def group_digest(self, suite, group):
        """Of the test files that name this group, and of all headers of the suite."""
        if suite == CLI:
            return self.digest("tests/cli/run", "tests/cli/*/%s.*" % group)
        names = []
        for path in glob.glob(os.path.join(self.runner.tree, "tests", suite, "**/*.c"), recursive=True):
            with open(path, encoding="utf-8") as f:
                if re.search(r"\(\s*%s\s*," % group, f.read()):
                    names.append(os.path.relpath(path, self.runner.tree))
        return self.digest("tests/%s/**/*.h" % suite, *sorted(names))

    def measure_test(self, suite, test, returns, block_of):
        """What it takes and a mask of the blocks that it runs; nothing of a test that takes too long."""
        why, cpu = self.runner.run(suite, [test], os.path.join(self.runner.tree, "build"), MOST_CPU, 30 * MOST_CPU)
        if why and cpu < MOST_CPU and suite != CLI:  # there a case may need what is installed
            raise SystemExit("mutate: the suites must pass without a fault: " + why)
        if why:
            return Measured(cpu, None)
        with tempfile.NamedTemporaryFile(dir=self.work) as f:
            f.truncate(returns[-1] + 1)
            self.runner.run(suite, [test], self.work, 20 * MOST_CPU, 60 * MOST_CPU, f.name)
            ran = f.read()
        blocks = 0
        for m in re.finditer(b"\1", ran):
            blocks |= 1 << block_of[m.start()]
        return Measured(cpu, blocks)

    def measure(self, jobs):
        """Everything anew if the library changed, else the tests whose files did."""
        digest = self.digest("kernels/**", "model/**", "traces/**")
        kept = read_json(self.kept, {})
        if kept.get("library") != digest:
            self.build()
            returns, lines = self.blocks_of_lines()
            kept = {"library": digest, "returns": returns, "lines": lines, "tests": {}}
        self.lines = kept["lines"]  # in JSON the numbers of lines are text
        block_of = {address: i for i, address in enumerate(kept["returns"])}
        for suite in self.suites:
            tests = self.runner.list(suite)
            keys = {group: self.group_digest(suite, group) for group in {t.split("/")[0] for t in tests}}
            known = {n: t for n, t in kept["tests"].items() if n.startswith(suite + "/") and t["key"] == keys.get(n.split("/")[1])}
            new = [t for t in tests if suite + "/" + t not in known]
            pool = concurrent.futures.ThreadPoolExecutor(jobs)
            try:
                found = pool.map(lambda test: self.measure_test(suite, test, kept["returns"], block_of), new)
                for test, m in zip(new, found):
                    known[suite + "/" + test] = {"key": keys[test.split("/")[0]], "cpu": round(m.cpu, 3),
                                                 "blocks": "" if m.blocks is None else "%x" % m.blocks}
                    print("%-80s %6.2f s" % (suite + "/" + test, m.cpu), flush=True)
            finally:
                pool.shutdown(cancel_futures=True)
                kept["tests"] = {n: t for n, t in kept["tests"].items() if not n.startswith(suite + "/")} | known
                write_json(self.kept, kept)
        self.tests = {name: Measured(t["cpu"], int(t["blocks"], 16)) for name, t in kept["tests"].items()
                      if t["blocks"] and name.split("/")[0] in self.suites}

    # --- which tests to run ------------------------------------------------------------------

    def blocks(self, path, number, text):
        """A mask of the blocks of a line; of a line without code those of its neighbours, outside of functions all of the file."""
        lines = {int(n): b for n, b in self.lines[path].items()}
        near = {number} & lines.keys()
        if not near:
            before = text.split("\n")[:number]
            opens = max((i for i, s in enumerate(before) if s == "{"), default=-1)
            ends = max((i for i, s in enumerate(before) if s == "}"), default=-1)
            if opens > ends:
                near = {max((n for n in lines if n < number), default=0), min((n for n in lines if n > number), default=0)} & lines.keys()
            else:
                near = lines.keys()
        mask = 0
        for n in near:
            for block in lines[n]:
                mask |= 1 << block
        return mask

    def tests_of(self, mask):
        return [name for name, t in self.tests.items() if t.blocks & mask]
