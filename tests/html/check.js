/* Put behind the script of a report: does the page work?  The verdict stands in an element of its
 * own, for tests/html/run. */
"use strict";
(async () => {
const data = JSON.parse(document.getElementById("data").textContent);
const two = data.runs.length > 1, bad = window.pageErrors;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));
const painted = (canvas) => {
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const g = copy.getContext("2d", { willReadFrequently: true }), seen = new Set();
  g.drawImage(canvas, 0, 0);
  const { data: p } = g.getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (let i = 0; i < p.length; i += 4)
    if (p[i + 3]) { seen.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]); sum = (sum * 31 + p[i] + 7 * p[i + 1] + 13 * p[i + 2] + i) % 4294967291; }
  return { colors: seen.size, sum };
};
/* What the page calls a group of a run: its label and how many names it has. */
const title = (r, group, kind) => {
  const n = new Set(r.ops.filter((o) => o.group === group && o.kind === kind).map((o) => o.name)).size;
  return n > 1 ? `${group} ×${n}` : group;
};
const click = async (id) => { document.getElementById(id).click(); await settle(); };

try {
  check(document.documentElement.dataset.ready === "true", "the script did not come to its end");
  const wanted = ["verdict", "causes", "roofline", "memory", "links", "host", "operations", "account", "provenance"];
  if (!two) wanted.push("timeline", "buffers", "tree", "neighbours");
  const slots = (data.runs[0].mxu_slots?.capacity ?? 0) > 0; /* GPUs have no matrix units whose slots are counted */
  if (slots) wanted.push("waste");
  for (const id of wanted) {
    const s = document.getElementById(id);
    check(s && s.textContent.length > 60, `section ${id} is empty`);
    check(s && !/undefined|NaN|\[object/.test(s.textContent), `section ${id} says ${s && (s.textContent.match(/.{0,20}(undefined|NaN|\[object).{0,20}/) || [""])[0]}`);
    check(document.querySelector(`#nav a[href="#${id}"]`), `no way to section ${id}`);
  }
  for (const c of document.querySelectorAll("canvas")) check(painted(c).colors > 2, `nothing is drawn on "${c.getAttribute("aria-label")}"`);
  check(document.querySelectorAll("#roofline circle").length > 0, "no operation under the roof");
  for (const c of document.querySelectorAll("#roofline circle"))
    if (!(isFinite(c.getAttribute("cx")) && isFinite(c.getAttribute("cy")) && isFinite(c.getAttribute("r")))) check(false, "an operation outside the roofline");
  const linked = data.runs.filter((r) => r.links.length);
  check(document.querySelectorAll("#links svg").length === linked.length, "a heat map of links is missing");
  check(document.querySelectorAll("#links rect").length === linked.reduce((n, r) => n + r.slice.chips, 0), "not one square a chip");
  check(document.querySelectorAll("#links path").length === linked.reduce((n, r) => n + r.links.length, 0), "not one line a link");
  check([...document.querySelectorAll("[src], link, img, iframe")].length === 0, "something is loaded from elsewhere");

  /* words of the machine's kind, on every page that has one kind */
  const kinds = new Set(data.runs.map((r) => r.slice.kind));
  if (kinds.size === 1 && !kinds.has("TPU")) {
    const foreign = document.querySelector("main").innerText.match(/.{0,30}\b(chips?\d*|lanes|VMEM|MXUs?|TPUs?|cores? waits?)\b.{0,20}/i);
    check(!foreign, `words of TPUs on a page of a ${[...kinds][0]}: ${foreign && foreign[0]}`);
  }

  /* what has no source is marked, and memory is in one unit */
  const verdict = document.getElementById("verdict").textContent;
  if (!two) {
    const r = data.runs[0], marks = (verdict.match(/\[unverified\]/g) || []).length;
    const power = r.watts && r.watts.most !== null && /unverified/.test(r.watts.source), price = r.usd_per_epoch.on_demand !== null && !r.price.verified;
    check(marks === power + price, `${marks} figures of ${power + price} without a source are marked`);
  }
  const memory = document.getElementById("memory").textContent.match(/\d [kMGT]B\b/);
  check(!memory, `memory in powers of ten: ${memory && memory[0]}`);

  /* why, at once */
  check(document.querySelectorAll("#verdict .bar > i").length > 1, "no bar in the verdict");
  check(document.documentElement.scrollWidth <= innerWidth + 1, `the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  if (!two) {
    const slow = document.querySelector("#verdict .bars > span").textContent, time = new Map();
    for (const o of data.runs[0].ops) time.set(`${o.group}\n${o.kind}`, (time.get(`${o.group}\n${o.kind}`) || 0) + o.seconds);
    const [group, kind] = [...time].sort((a, b) => b[1] - a[1])[0][0].split("\n");
    const slowest = title(data.runs[0], group, kind);
    check(slow === slowest, `the slowest operation is ${slowest}, not ${slow}`);
    /* advice is tried before: a page may say that nothing gains, but not of 3DGAN */
    const none = [...document.querySelectorAll("#verdict p")].some((p) => p.textContent.startsWith("Nothing stands out"));
    check(!slots || document.querySelectorAll("#verdict .help li").length > 0 || (none && data.runs[0].workload !== "3dgan"), "nothing would help");
  }
  /* the tree is the step, its waste that of its leaves; buffers are the peak, with its padding */
  const run = data.runs[0], near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)), total = (list) => list.reduce((a, b) => a + b, 0);
  if (!two) {
    const roof = (o) => Math.max(o.flops / run.slice.peak_flops_per_core, o.hbm_bytes / run.slice.hbm_bytes_per_second_per_core);
    check(near(run.tree[0].seconds, run.seconds_per_step), "the tree is not the step");
    check(near(run.tree[0].wasted_seconds, total(run.ops.map((o) => Math.max(0, o.seconds - roof(o))))), "the page and the tree differ in what is wasted");
    check(run.tree.reduce((n, b) => n + b.ops.length, 0) === run.ops.length, "an operation is not in the tree");
    for (let closed; (closed = [...document.querySelectorAll("#tree details:not([open])")]).length;) { for (const d of closed) d.open = true; await settle(); }
    document.documentElement.style.scrollBehavior = "auto";
    const leaves = [...document.querySelectorAll("#tree .leaf button")];
    check(leaves.length === run.ops.length, `${leaves.length} of ${run.ops.length} operations are in the tree`);
    const buffers = run.memory.buffers, others = run.memory.roles.workspace + run.memory.roles.process;
    check(total(buffers.map((b) => b.bytes)) + others === run.memory.peak_bytes_per_core || run.slice.kind === "TPU", "buffers do not add up to the peak");
    leaves[leaves.length - 1].click();
    await settle();
    const chosen = document.querySelector("#neighbours input").value, at = run.ops.findIndex((o) => o.name === chosen);
    check(chosen === leaves[leaves.length - 1].textContent, "the tree does not lead to the neighbours");
    check(document.querySelectorAll("#neighbours circle").length >= Math.min(10, run.flow.filter((e) => e.to === at).length), "a tensor that is read is not drawn");
    const maker = document.querySelector("#neighbours .step");
    if (maker) { maker.dispatchEvent(new MouseEvent("click", { bubbles: true })); await settle(); check(document.querySelector("#neighbours input").value !== chosen, "a neighbour leads nowhere"); }
  }
  for (const b of document.querySelectorAll(".bar > i > b")) check(b.style.visibility === "hidden" || b.scrollWidth <= b.clientWidth, `"${b.textContent}" does not fit its part`);

  /* the keys alone */
  const press = async (key, at = document.body) => { at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })); await settle(); };
  const themeNow = () => document.documentElement.dataset.theme, wasTheme = themeNow();
  await press("t");
  check(themeNow() !== wasTheme, "the key t does nothing");
  await press("t");
  await press("/");
  check(document.activeElement.id === "find", "the key / does not go to find");
  await press("t", document.activeElement);
  check(themeNow() === wasTheme, "a letter typed into find is taken for a key");
  document.activeElement.blur();
  const sections = [...document.querySelectorAll("main > section")], top = (i) => Math.round(sections[i].getBoundingClientRect().top);
  document.documentElement.style.scrollBehavior = "auto";
  await press("3");
  check(top(2) > -8 && top(2) < 140, `the key 3 leaves the third section at ${top(2)}`);
  await press("j");
  check(top(3) > -8 && top(3) < 140, `the key j leaves the fourth section at ${top(3)}`);
  await press("k");
  check(top(2) > -8 && top(2) < 140, `the key k leaves the third section at ${top(2)}`);
  scrollTo(0, 0);
  for (const [id, mark] of [["roofline", "circle"], ["links", "rect"]]) {
    const marks = document.querySelectorAll(`#${id} svg:first-of-type ${mark}`);
    if (marks.length < 2) continue;
    check([...marks[0].closest("svg").querySelectorAll('[tabindex="0"]')].length === 1, `more than one mark of ${id} for the tab key`);
    marks[0].focus();
    check(!document.getElementById("tip").hidden, `no words for a mark of ${id}`);
    await press("ArrowRight", marks[0]);
    check(document.activeElement === marks[1], `the arrows do not go through ${id}`);
    marks[1].blur();
  }

  /* on paper: light, and pictures as wide as it is */
  await press("t");
  const shown = themeNow();
  dispatchEvent(new Event("beforeprint"));
  check(themeNow() === "light", "paper is dark");
  for (const c of document.querySelectorAll("canvas")) check(c.width <= 703 * devicePixelRatio, `a picture is ${c.width} wide on paper`);
  dispatchEvent(new Event("afterprint"));
  check(themeNow() === shown, "the theme is another one after printing");
  await press("t");
  await settle();

  if (!two) {
    const canvas = document.querySelector("#timeline canvas"), label = () => document.getElementById("zoomed").textContent;
    const whole = { text: label(), sum: painted(canvas).sum };
    await click("zoom-zoom-in");
    check(label() !== whole.text && /2×/.test(label()), `zoom in: ${label()}`);
    check(painted(canvas).sum !== whole.sum, "zoom in draws the same");
    const text = label();
    await click("zoom-later");
    check(label() !== text, "later does nothing");
    canvas.focus();
    check(document.activeElement === canvas, "the picture takes no focus");
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    await settle();
    check(/4×/.test(label()), `the key +: ${label()}`);
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }));
    await settle();
    check(label() === whole.text && painted(canvas).sum === whole.sum, "the key 0 does not show the whole step again");
    canvas.blur();
  }

  /* sorting: against an order worked out here */
  const table = document.querySelector("#operations table"), head = (name) => [...table.querySelectorAll("th")].find((h) => h.textContent === name);
  const column = (h) => [...table.querySelectorAll("tbody tr")].map((r) => r.children[[...h.parentNode.children].indexOf(h)].textContent);
  const byName = head("operation");
  byName.querySelector("button").click();
  check(byName.getAttribute("aria-sort") === "ascending", "a click does not sort");
  let names = column(byName);
  check(names.length > 1 && names.every((n, i) => !i || names[i - 1].localeCompare(n) <= 0), "names are not in order");
  byName.querySelector("button").click();
  names = column(byName);
  check(byName.getAttribute("aria-sort") === "descending" && names.every((n, i) => !i || names[i - 1].localeCompare(n) >= 0), "names are not in reverse order");
  if (!two) {
    const time = head("time");
    time.querySelector("button").click();
    const sums = new Map();
    for (const o of data.runs[0].ops) sums.set(`${o.group}\n${o.kind}\n${o.phase}`, (sums.get(`${o.group}\n${o.kind}\n${o.phase}`) || 0) + o.seconds);
    const numbered = data.runs[0].phases.some((p) => p.group !== p.name);
    const [group, kind] = [...sums].sort((a, b) => b[1] - a[1])[0][0].split("\n");
    check(numbered || column(byName)[0] === title(data.runs[0], group, kind), `the slowest is not ${title(data.runs[0], group, kind)}`);
  }
  const find = document.getElementById("find"), before = table.querySelectorAll("tbody tr").length;
  find.value = data.runs[0].ops[0].name;
  find.dispatchEvent(new Event("input"));
  const found = column(byName);
  check(found.length > 0 && found.length <= before, "find finds nothing");
  find.value = "no operation is called so";
  find.dispatchEvent(new Event("input"));
  check(column(byName).length === 0, "find finds what is not there");
  find.value = "";
  find.dispatchEvent(new Event("input"));

  /* identical layers: together, singly, together again */
  const counted = () => document.getElementById("shown").textContent;
  const alike = data.runs.some((r) => r.ops.some((o) => o.group !== o.name));
  check(!alike || !!document.getElementById("singly"), "no way to see layers singly");
  if (alike) {
    const together = counted(), text = () => document.getElementById("operations").textContent + (document.getElementById("waste")?.textContent ?? "");
    check(/×\d/.test(text()), "no group says how many layers it has");
    await click("more");
    const groups = document.querySelectorAll("#operations tbody tr").length;
    await click("singly");
    check(document.activeElement.id === "singly", "the button that was pressed has lost the focus");
    check(!/×\d/.test(text()), "layers are not shown singly");
    await click("more");
    const rows = document.querySelectorAll("#operations tbody tr").length;
    check(rows > groups, `${rows} rows of single layers, ${groups} of groups`);
    if (two) check(rows === new Set(data.runs.flatMap((r) => r.ops.map((o) => `${o.name}\n${o.kind}`))).size, `${rows} rows are not one a name`);
    await click("singly");
    check(counted() === together, "layers do not come together again");
  }

  /* a sample of 3DGAN is none of MLPF */
  const other = two && data.runs[0].workload !== data.runs[1].workload;
  check(document.getElementById("verdict").textContent.includes("do different work") === other, "other work is not told of, or where there is none");

  const colour = () => getComputedStyle(document.body).backgroundColor, first = colour();
  await click("theme");
  check(colour() !== first, "light and dark are the same");
  await click("theme");
} catch (e) {
  bad.push(`${e}\n${e.stack}`);
}
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL\n${bad.join("\n")}` : `PASS ${checks}`;
document.body.append(result);
})();
