/* --- operations as a tree, the buffers at the peak, the neighbours of an operation ------------ */

/* The branches by their place: tree rows stand parents before children. */
function branches() {
  const path = [];
  for (const b of A.tree) {
    b.children = [];
    path[b.depth] = b;
    if (b.depth) path[b.depth - 1].children.push(b);
  }
  return A.tree[0];
}
/* Seconds beyond the roof: as op_tree.h has it. */
const wastedOf = (o) => Math.max(0, o.seconds - Math.max(o.flops / A.slice.peak_flops_per_core, o.hbm_bytes / A.slice.hbm_bytes_per_second_per_core));

function tree() {
  if (two || !A.tree) return;
  const root = branches(), s = section("tree", "Operations as a tree", `Time of each phase and scope, and what of it is wasted: beyond the roof, which is the longer of FLOPs at the peak and bytes at the bandwidth of ${SAY.memory}.`);
  const line = (name, x) => [name, el("span", { class: "num" }, si(x.seconds, "s")), el("span", { class: "num" }, percent(x.seconds / root.seconds)),
    el("span", { class: "num" }, percent(x.wasted_seconds / root.seconds)), el("span", { class: "num" }, x.seconds ? si(x.flops / x.seconds, "FLOP/s", 3) : "–"), el("span", { class: "num" }, x.seconds ? si(x.hbm_bytes / x.seconds, "B/s", 3) : "–")];
  const leaf = (i) => { const o = A.ops[i]; return el("li", { class: "leaf" }, line(el("button", { type: "button", onclick: () => { neighbours(i); go(sections.indexOf($("neighbours"))); } }, o.name), { ...o, wasted_seconds: wastedOf(o) })); };
  function branch(b, open) {
    const list = el("ul", {}), d = el("details", { open }, el("summary", {}, line(el("b", {}, b.name || "the step"), b)), list);
    const fill = () => {
      if (!d.open || list.firstChild) return;
      list.append(...b.children.map((c) => branch(c, c.seconds > 0.9 * b.seconds)));
      list.append(...[...b.ops].sort((x, y) => A.ops[y].seconds - A.ops[x].seconds || x - y).map(leaf));
    };
    d.addEventListener("toggle", fill);
    fill();
    return el("li", {}, d);
  }
  s.append(el("p", { class: "branch head" }, el("span", {}, "phase, scope, operation"), ["time", "of the step", "wasted", "FLOP/s", `${SAY.memory} B/s`].map((t) => el("span", { class: "num" }, t))),
    el("ul", { class: "branch" }, branch(root, true)));
}

function buffers() {
  const all = A.memory.buffers;
  if (two || !all || !all.length) return;
  const held = sum(all.map((b) => b.bytes)), padding = sum(all.map((b) => Math.max(0, b.bytes - b.logical_bytes)));
  const s = section("buffers", "Buffers at the peak", `${counted(all.length, "buffer")} of ${iec(held)} in the ${SAY.memory} of a ${SAY.core} at ${A.memory.peak_at || "the peak"}, ${iec(padding)} of it padding.`);
  const before = (t, none) => t || none;
  s.append(table([["buffer", (b) => b.name, null, "text wrap"], ["shape", (b) => b.shape, null, "text wrap"], ["role", (b) => b.role, null, "text"], ["size", (b) => b.bytes, (b) => iec(b.bytes)],
    ["its elements", (b) => b.logical_bytes, (b) => iec(b.logical_bytes)], ["padding", (b) => b.bytes - b.logical_bytes, (b) => b.bytes > b.logical_bytes ? iec(b.bytes - b.logical_bytes) : "–"],
    ["made by", (b) => before(b.made, "there before"), null, "text wrap"], ["last read by", (b) => before(b.last, "kept"), null, "text wrap"]], all, { sort: 3, limit: 15 }));
}

/* An operation between those that make what it reads and those that read what it makes. */
function neighbours(chosen) {
  if (two || !A.flow || !A.ops.length) return;
  const s = section("neighbours", "Neighbours of an operation", "What an operation reads and who made it; who reads what it makes. A line is as wide as its tensor is large.");
  const i = chosen ?? A.ops.reduce((a, o, k) => o.seconds > A.ops[a].seconds ? k : a, 0), MOST = 10, largest = (list) => [...list].sort((x, y) => y.bytes - x.bytes);
  const reads = largest(A.flow.filter((e) => e.to === i)), feeds = largest(A.flow.filter((e) => e.from === i));
  const find = el("input", { type: "search", "aria-label": "an operation", value: A.ops[i].name, onchange: (e) => { const k = A.ops.findIndex((o) => o.name === e.target.value); if (k >= 0) neighbours(k); } });
  const W = 1000, row = 30, rows = Math.max(1, Math.min(MOST, reads.length), Math.min(MOST, feeds.length)), H = 40 + row * rows, mid = 20 + row * rows / 2;
  const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `Neighbours of ${A.ops[i].name}` });
  const most = Math.max(1, ...reads.map((e) => e.bytes), ...feeds.map((e) => e.bytes)), short = (t, n) => t.length > n ? `${t.slice(0, n - 1)}…` : t, marks = [];
  const side = (list, left) => list.slice(0, MOST).forEach((e, k, shown) => {
    const other = left ? e.from : e.to, o = other === null ? null : A.ops[other], y = mid + row * (k - (shown.length - 1) / 2), x = left ? 330 : W - 330, to = left ? 400 : W - 400;
    const text = `${o ? o.name : "before the step"}: ${e.tensor}, ${iec(e.bytes)}${o ? `; ${o.kind}, ${si(o.seconds, "s")}, bound by ${o.bound_by}` : ""}`;
    svg.append(el("svg:path", { class: "edge", d: `M${x} ${y}C${(x + to) / 2} ${y} ${(x + to) / 2} ${mid} ${to} ${mid}`, "stroke-width": 1 + 9 * e.bytes / most }));
    const move = () => o && neighbours(other);
    const mark = el("svg:g", { ...spoken(text), class: o ? "step" : "", onclick: move, onkeydown: (ev) => { if (ev.key === "Enter") move(); } }, el("svg:circle", { cx: x, cy: y, r: 6, fill: o ? color(o.bound_by) : color("line") }),
      el("svg:text", { class: "strong", x: left ? x - 12 : x + 12, y: y + 4, "text-anchor": left ? "end" : "start" }, short(`${o ? o.name : e.tensor} ${iec(e.bytes)}`, 46)));
    marks.push(mark);
  });
  side(reads, true);
  side(feeds, false);
  const o = A.ops[i], box = el("svg:g", spoken(`${o.name}: ${o.kind}, ${si(o.seconds, "s")}, bound by ${o.bound_by}`), el("svg:rect", { x: 400, y: mid - 20, width: W - 800, height: 40, rx: 6, fill: color("panel"), stroke: color(o.bound_by), "stroke-width": 2 }),
    el("svg:text", { class: "strong", x: W / 2, y: mid - 3, "text-anchor": "middle" }, short(o.name, 28)), el("svg:text", { x: W / 2, y: mid + 13, "text-anchor": "middle" }, `${si(o.seconds, "s")}, ${o.bound_by}`));
  svg.append(...marks, box);
  walkable(svg, [box, ...marks]);
  const more = (list, what) => list.length > MOST ? `${list.length - MOST} smaller ones ${what} are not drawn. ` : "";
  s.append(el("div", { class: "tools" }, el("label", {}, "operation ", find)), svg,
    el("p", { class: "note" }, `${counted(reads.length, "tensor")} of ${iec(sum(reads.map((e) => e.bytes)))} read; ${feeds.length ? `${counted(feeds.length, "operation")} read${feeds.length === 1 ? "s" : ""} its results` : "no operation reads its results"}. ${more(reads, "read")}${more(feeds, "made")}`));
}

/* --- the page ----------------------------------------------------------------------------- */

$("title").textContent = two ? `${short(A)}: ${names[0]} and ${names[1]}` : `${short(A)} on ${A.machine}`;
$("subtitle").textContent = A.slice ? data.runs.map((r) => r.slice.kind && r.slice.kind !== "TPU" ? `${counted(r.slice.cores, wordsOf(r).core)}, ${counted(r.slice.hosts, "host")}`
  : `${[...new Set([counted(r.slice.cores, wordsOf(r).core), counted(r.slice.chips, wordsOf(r).device)])].join(", ")}, ${counted(r.slice.hosts, "host")}`).join("; ") : "";
document.title = `${$("title").textContent} – cyclotron`;
for (const part of [verdict, causes, lanes, roofline, memory, buffers, waste, links, host, operations, tree, neighbours, origins, account, provenance]) part();
if (timeline) setView(0, timeline.seconds);
else redraw();
document.body.append(el("footer", {}, "Keys: ", [["1 … 9", "sections"], ["j k", "next and previous section"], ["/", "find an operation"], ["t", "light or dark"], ["Tab and arrows", "through pictures"]]
  .map(([k, what], i) => [i ? ", " : "", el("kbd", {}, k), ` ${what}`]), "."));
