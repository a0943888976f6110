/* --- roofline ----------------------------------------------------------------------------- */

function roofline() {
  const s = section("roofline", "Roofline", `FLOP/s of each operation over its FLOP per byte of ${SAY.memory}; the size of a dot is its share of the step. A dot far below the roof waits for something else, or leaves the ${SAY.array} idle.`);
  const holder = el("div", { class: two ? "split" : "" });
  for (const [i, r] of data.runs.entries()) {
    const peak = r.slice && r.slice.peak_flops_per_core, rate = r.slice && r.slice.hbm_bytes_per_second_per_core;
    const ops = grouped(r).filter((o) => o.flops > 0 && o.bytes > 0 && o.seconds > 0);
    const W = Math.min(two ? 620 : 1000, Math.max(360, innerWidth - 70)), H = Math.min(430, 0.68 * W), L = 74, R = 20, T = 16, M = 44;
    const xs = ops.map((o) => o.flops / o.bytes), ys = ops.map((o) => o.flops / o.seconds);
    const ridge = peak / rate;
    const x0 = Math.log10(Math.min(0.1, ridge / 100, ...xs)) - 0.2, x1 = Math.log10(Math.max(ridge * 10, ...xs)) + 0.2;
    const y0 = Math.log10(Math.max(peak / 1e7, Math.min(peak / 1e3, ...ys))) - 0.3, y1 = Math.log10(peak) + 0.3;
    const X = (v) => L + (Math.log10(v) - x0) / (x1 - x0) * (W - L - R), Y = (v) => H - M - (Math.max(Math.log10(v), y0) - y0) / (y1 - y0) * (H - M - T);
    const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `Roofline of ${names[i]}` });
    for (let e = Math.ceil(x0); e <= x1; e++) svg.append(el("svg:path", { class: "grid", d: `M${X(10 ** e)} ${T}V${H - M}` }), el("svg:text", { x: X(10 ** e), y: H - M + 18, "text-anchor": "middle" }, e < 0 ? (10 ** e).toFixed(-e) : si(10 ** e, "", 3)));
    for (let e = Math.ceil(y0); e <= y1; e++) svg.append(el("svg:path", { class: "grid", d: `M${L} ${Y(10 ** e)}H${W - R}` }), el("svg:text", { x: L - 8, y: Y(10 ** e) + 4, "text-anchor": "end" }, si(10 ** e, "", 3)));
    svg.append(el("svg:path", { class: "axis", d: `M${L} ${T}V${H - M}H${W - R}` }),
      el("svg:path", { class: "roof", d: `M${X(10 ** x0)} ${Y(10 ** x0 * rate)}L${X(ridge)} ${Y(peak)}H${W - R}` }),
      el("svg:text", { class: "strong", x: W - R, y: Y(peak) - 6, "text-anchor": "end" }, `${si(peak, "FLOP/s")} of a ${SAY.core}`),
      el("svg:text", { class: "strong", x: X(ridge) - 12, y: Y(peak) - 6, "text-anchor": "end" }, `${si(rate, "B/s")} of ${SAY.memory}`),
      el("svg:text", { x: W - R, y: H - 6, "text-anchor": "end" }, "FLOP a byte"),
      el("svg:text", { x: 4, y: T - 3 }, "FLOP/s"));
    const dots = [];
    for (const o of [...ops].sort((a, b) => b.seconds - a.seconds)) {
      const radius = 3 + 26 * Math.sqrt(o.seconds / r.seconds_per_step);
      dots.push(el("svg:circle", { cx: X(o.flops / o.bytes), cy: Y(o.flops / o.seconds), r: radius, fill: color(o.bound_by), "fill-opacity": 0.62, stroke: color("panel"),
        ...spoken(`${o.name} (${o.kind})\n${si(o.flops / o.seconds, "FLOP/s")}, ${si(o.flops / o.bytes, "FLOP/B", 3)}\n${si(o.seconds, "s")}, ${percent(o.seconds / r.seconds_per_step)} of the step, bound by ${o.bound_by}`) }));
    }
    svg.append(...dots);
    walkable(svg, dots);
    holder.append(el("div", {}, two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : null, svg));
  }
  s.append(holder, key(CAUSES.filter((c) => data.runs.some((r) => r.ops.some((o) => o.bound_by === c && o.flops > 0))).map((c) => [c, `bound by ${c}`])));
}

/* --- waste -------------------------------------------------------------------------------- */

function waste() {
  const counted = [...data.runs.entries()].filter(([, r]) => r.mxu_slots.capacity);
  if (!counted.length) return;
  const s = section("waste", "Waste of the matrix units", "What became of each multiply-accumulate that the matrix units could have done in the step.");
  for (const [i, r] of counted)
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", slotBar(r.mxu_slots));
  const used = SLOTS.filter(([n]) => counted.some(([, r]) => slot(r.mxu_slots, n) > 0));
  s.append(key(used.map(([n, c, text]) => [c, `${text} ${counted.map(([, r]) => percent(slot(r.mxu_slots, n) / r.mxu_slots.capacity)).join(" → ")}`])));
  for (const [i, r] of counted) {
    const all = r.mxu_slots.capacity - r.mxu_slots.useful;
    const lost = (o) => o.slots.capacity - o.slots.useful;
    s.append(el("h3", {}, two ? `${"AB"[i]}: where it is lost` : "Where it is lost"),
      table([["operation", (o) => o.name, null, "text"], ["of all waste", lost, (o) => percent(lost(o) / all)],
        ["useful", (o) => o.slots.capacity ? o.slots.useful / o.slots.capacity : null, (o) => percent(o.slots.capacity ? o.slots.useful / o.slots.capacity : null)],
        ["its slots", (o) => o.slots.capacity, (o) => el("div", { style: "min-width:14rem" }, slotBar(o.slots)), "text"],
        ["what would help", (o) => o.advice[0] || "", null, "text wrap"]],
      grouped(r).filter((o) => o.slots.capacity).sort((a, b) => lost(b) - lost(a)).slice(0, 12), { sort: 1 }));
  }
}

/* --- links -------------------------------------------------------------------------------- */

function heat(v) { /* from the panel's colour to that of a full link */
  return `color-mix(in srgb, ${color("host")} ${Math.round(100 * Math.min(1, v))}%, ${color("grid")})`;
}

function links() {
  const s = section("links", `Links between ${SAY.device}s`, `Bytes in each direction of each link, against the busiest; ${SAY.device}s stand as in the mesh. Dashed links go around its edge.`);
  const holder = el("div", { class: two ? "split" : "" });
  s.append(holder);
  for (const [i, r] of data.runs.entries()) {
    const box = el("div", {}, two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : null);
    holder.append(box);
    if (!r.links.length) { box.append(el("p", {}, `This machine has one ${SAY.device}: there is no link.`)); continue; }
    const chips = r.slice ? r.slice.chips : 1 + Math.max(...r.links.flatMap((l) => l.name.match(/\d+/g).map(Number)));
    const [mx, my, mz] = r.slice ? r.slice.mesh : [chips, 1, 1], per = mx * my;
    const cols = Math.ceil(Math.sqrt(mz)), big = mx * cols > 40;
    const cell = Math.max(14, Math.min(96, 1000 / (mx * cols + (cols - 1) + 1))), node = cell * (big ? 0.5 : 0.44);
    const at = (c) => { const z = Math.floor(c / per), x = c % per % mx, y = Math.floor(c % per / mx);
      return [(x + (z % cols) * (mx + 1) + 0.7) * cell, (y + Math.floor(z / cols) * (my + 1) + 0.7) * cell]; };
    const W = (mx * cols + cols - 1 + 0.4) * cell, H = (my * Math.ceil(mz / cols) + Math.ceil(mz / cols) - 1 + 0.4) * cell;
    const most = Math.max(...r.links.map((l) => l.bytes)) || 1;
    const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `Links of ${names[i]}`, style: `max-width:${Math.max(320, Math.min(1000, W * 1.6))}px` });
    const total = new Map();
    for (const l of r.links) {
      const [from, to] = l.name.match(/\d+/g).map(Number);
      for (const c of [from, to]) total.set(c, (total.get(c) || 0) + l.bytes);
      let [x1, y1] = at(from), [x2, y2] = at(to);
      const dx = x2 - x1, dy = y2 - y1, d = Math.hypot(dx, dy) || 1, far = d > cell * 1.5;
      const ox = -dy / d * node * 0.28, oy = dx / d * node * 0.28;
      const text = `${l.name}\n${iec(l.bytes)} a step, ${percent(l.utilization, 2)} of its bandwidth`;
      const stroke = { stroke: heat(0.12 + 0.88 * l.bytes / most), "stroke-width": Math.max(1.5, node * 0.2), "stroke-linecap": "round", fill: "none", ...tips(text) };
      if (far) { /* a stub each way out of the edge */
        const e = node * 0.95, ux = dx / d, uy = dy / d;
        svg.append(el("svg:path", { ...stroke, "stroke-dasharray": `${node * 0.2} ${node * 0.26}`, d: `M${x1 + ox - ux * e * 0.55} ${y1 + oy - uy * e * 0.55}L${x1 + ox - ux * e} ${y1 + oy - uy * e}` }));
      } else {
        svg.append(el("svg:path", { ...stroke, d: `M${x1 + dx / d * node * 0.5 + ox} ${y1 + dy / d * node * 0.5 + oy}L${x2 - dx / d * node * 0.55 + ox} ${y2 - dy / d * node * 0.55 + oy}` }));
      }
    }
    const squares = [];
    for (let c = 0; c < chips; c++) {
      const [x, y] = at(c);
      squares.push(el("svg:rect", { x: x - node / 2, y: y - node / 2, width: node, height: node, rx: node * 0.16, fill: color("panel"), stroke: color("line"), ...spoken(`${wordsOf(r).device}${c}: ${si(total.get(c) || 0, "B")} in and out a step`) }));
      svg.append(squares[c]);
      if (!big) svg.append(el("svg:text", { x, y: y + 4, "text-anchor": "middle", style: `font-size:${Math.min(13, node * 0.42)}px` }, c));
    }
    walkable(svg, squares);
    const used = r.links.filter((l) => l.bytes > 0);
    const ramp = el("div", { class: "ramp" }, el("span", {}, "0 B"), el("i", {}), el("span", {}, `${iec(most)} a step`));
    const side = el("div", {}, ramp, el("p", {}, `${count(used.length)} of ${count(r.links.length)} directions carry something; the busiest moves ${iec(most)} a step, ${percent(Math.max(...r.links.map((l) => l.utilization)), 2)} of its bandwidth.`));
    side.append(table([["link", (l) => l.name, null, "text"], ["bytes a step", (l) => l.bytes, (l) => iec(l.bytes)], ["of its bandwidth", (l) => l.utilization, (l) => percent(l.utilization, 2)]],
      [...r.links].sort((a, b) => b.bytes - a.bytes).slice(0, 8), { sort: 1 }));
    box.append(el("div", { class: two ? "" : "split" }, el("div", {}, svg), side));
  }
}

/* --- host --------------------------------------------------------------------------------- */

function host() {
  const s = section("host", "Host pipeline", `From storage through input preparation on the host and PCIe to the ${SAY.core}s: each stage works ahead of the next until its queue is full.`);
  const stages = [["storage", "storage", "storage"], ["host prepares input or serves calls", "host", "host"], ["PCIe", "pcie", "pcie"]];
  const columns = [["stage", (x) => x[0], null, "text"]];
  for (const [i, r] of data.runs.entries()) {
    const p = two ? `${"AB"[i]}: ` : "";
    columns.push([`${p}busy`, (x) => r.utilization[x[1]] ?? null, (x) => percent(r.utilization[x[1]])]);
    columns.push([`${p}${SAY.core}s wait for it`, (x) => r.time_by_cause[x[2]], (x) => `${si(r.time_by_cause[x[2]], "s")}, ${percent(r.time_by_cause[x[2]] / r.seconds_per_step)}`]);
  }
  s.append(table(columns, stages, { sort: 0, down: false }));
  const shown = timeline && timeline.lanes.filter((l) => l.kind !== "level" && hostLane(l) && busy(l)).map(laneOf);
  if (shown && shown.length) lanesCanvas(s, shown, { label: "Host and PCIe over the step" });
  const slowest = stages.reduce((a, b) => (A.utilization[b[1]] ?? 0) > (A.utilization[a[1]] ?? 0) ? b : a);
  s.append(el("p", {}, `${two ? "In A the" : "The"} stage with most to do is ${slowest[0]}: ${percent(A.utilization[slowest[1]])} of the time. Calls from the ${SAY.core}s to the host (${percent(A.time_by_cause.fallback / A.seconds_per_step)} fall-back operations) wait here too.`));
}

/* --- operations --------------------------------------------------------------------------- */

/* The operations of one run, phase by phase. */
function operationTable(options) {
  const useful = (o) => o.slots.capacity ? o.slots.useful / o.slots.capacity : 0;
  return table([["operation", (o) => o.name, null, "text"], ["kind", (o) => o.kind, null, "text"], ["phase", (o) => o.phase, null, "text"],
    ["runs", (o) => o.count, (o) => count(o.count)], ["time", (o) => o.seconds, (o) => si(o.seconds, "s")], ["share", (o) => o.seconds, (o) => percent(o.seconds / A.seconds_per_step)],
    ["bound by", (o) => o.bound_by, (o) => [el("span", { class: "swatch", style: `background:${color(o.bound_by)}` }), ` ${o.bound_by}`], "text"],
    ["FLOP", (o) => o.flops, (o) => si(o.flops, "")], [SAY.memory, (o) => o.bytes, (o) => si(o.bytes, "B")],
    ["of peak", (o) => o.mxu, (o) => o.mxu ? percent(o.mxu) : "–"], ["useful slots", useful, (o) => useful(o) ? percent(useful(o)) : "–"],
    ["what would help", (o) => o.advice[0] || "", null, "text wrap"]], grouped(A, true), { ...options, sort: 4, text: (o) => `${o.name} ${[...o.names].join(" ")} ${o.kind} ${o.phase} ${o.bound_by}` });
}

/* The operations of both runs side by side, over all phases. */
function pairTable(options) {
  const all = new Map();
  for (const [i, r] of data.runs.entries()) for (const o of grouped(r)) {
    if (!all.has(o.key)) all.set(o.key, { label: o.label, kind: o.kind, run: [null, null] });
    all.get(o.key).run[i] = o;
  }
  const rows = [...all.values()].map((x) => {
    const n = x.run.map((o) => o ? o.names.size : 0);
    return { ...x, name: n[0] && n[1] && n[0] !== n[1] ? `${x.label} ×${n[0]} and ×${n[1]}` : x.label + times(Math.max(...n)) };
  });
  const time = (x, i) => x.run[i] ? x.run[i].seconds * per[i] : 0, change = (x) => time(x, 1) - time(x, 0);
  const cause = (o) => o ? [el("span", { class: "swatch", style: `background:${color(o.bound_by)}` }), ` ${o.bound_by}`] : "–";
  const peak = (i) => [`${"AB"[i]}: of peak`, (x) => x.run[i] ? x.run[i].mxu : 0, (x) => x.run[i] && x.run[i].mxu ? percent(x.run[i].mxu) : "–"];
  const bounds = (i) => [`${"AB"[i]} bound by`, (x) => x.run[i] ? x.run[i].bound_by : "", (x) => cause(x.run[i]), "text"];
  const span = (i) => [`${"AB"[i]}: time`, (x) => time(x, i), (x) => x.run[i] ? si(time(x, i), PER) : "–"];
  return table([["operation", (x) => x.name, null, "text"], ["kind", (x) => x.kind, null, "text"], span(0), span(1),
    ["B − A", change, (x) => el("span", { class: change(x) > 0 ? "bad" : change(x) < 0 ? "good" : "" }, si(change(x), PER))],
    ["|B − A|", (x) => Math.abs(change(x)), (x) => percent(Math.abs(change(x)) / (A.seconds_per_step * per[0]))], bounds(0), bounds(1), peak(0), peak(1)],
  rows, { ...options, sort: 5, text: (x) => `${x.name} ${x.run.map((o) => o ? [...o.names].join(" ") : "").join(" ")} ${x.kind}` });
}

/* A button that stays pressed, and its words before and after. */
function toggle(id, off, on, pressed, act) {
  return el("button", { type: "button", id, "aria-pressed": String(pressed), onclick: (e) => {
    const now = e.target.getAttribute("aria-pressed") !== "true";
    e.target.setAttribute("aria-pressed", now);
    e.target.textContent = now ? on : off;
    act(now);
  } }, pressed ? on : off);
}

/* Draw anew what has rows of operations. */
function regroup(singly) {
  single = singly;
  if (two) pairs = pairGroups();
  for (const part of [verdict, causes, roofline, waste, operations]) part();
  $("singly").focus();
}

function operations() {
  const s = section("operations", "Operations", two ? `By name, over all phases${unequal ? "; times are those of a sample" : ""}.` : null);
  const counter = el("span", { class: "hint", id: "shown" });
  const LIMIT = 40, options = { limit: LIMIT, count: counter };
  const t = two ? pairTable(options) : operationTable(options);
  s.append(el("div", { class: "tools" }, el("label", {}, "find ", el("input", { type: "search", id: "find", oninput: (e) => t.setFilter(e.target.value) })),
    toggle("more", "show all", "show the first only", false, (on) => t.setLimit(on ? Infinity : LIMIT)),
    hasGroups ? toggle("singly", "show identical layers singly", "group identical layers", single, regroup) : null, counter), t);
}

/* What the seconds rest on; results of earlier versions do not say it. */
function account() {
  if (!data.runs.some((r) => r.account)) return;
  const s = section("account", "What it rests on", "Each second of the step is in one class: measured kinds of kernels, models without a measurement, lower bounds of what could not be read, work that data or the file leave open, our tiles in place of the compiler's, unverified values of the machine.");
  for (const [i, r] of data.runs.entries()) {
    const a = r.account;
    if (two) s.append(el("h3", {}, `${"AB"[i]}: ${names[i]}`));
    if (!a) { s.append(el("p", {}, "This result does not say what it rests on.")); continue; }
    const share = (l) => percent(l.seconds / r.seconds_per_step);
    s.append(el("p", {}, Object.entries(a.seconds).filter(([, v]) => v > 0).map(([k, v]) => `${percent(v / r.seconds_per_step)} ${k}`).join(", "),
      a.at_least ? "; work is left out, so a step takes longer than this says." : ".",
      a.unread_of_recorded ? ` In the recording ${percent(a.unread_of_recorded)} of the time is work that was not read.` : "",
      a.known_or_more && a.known < 0.95 ? ` What was left out may take far longer than its share here.` : ""));
    for (const [name, rows, what] of [["Reasons", a.reasons, "why"], ["Longest of them", a.largest, "name"], ["Kinds of kernels", a.kinds, "name"]])
      if (rows.length)
        s.append(el("h3", {}, name), table([[what === "why" ? "reason" : "name", (l) => l[what], null, "text wrap"], ["class", (l) => l.class, null, "text"],
          ["time", (l) => l.seconds, (l) => si(l.seconds, "s")], ["of the step", (l) => l.seconds / r.seconds_per_step, share], ["runs", (l) => l.count, (l) => count(l.count)]], rows, { sort: 2, limit: 12 }));
  }
}

/* Of a compiled program: sums of its operations by where they come from. */
function origins() {
  const lists = [["layer", A.layers], ["scope", A.scopes], ["source line", A.sources]].filter(([, rows]) => rows && rows.length);
  if (two || !lists.length) return;
  const s = section("origins", "Layers and source lines", "Operations by the layer, the scope and the line that they come from; each table adds up to the step.");
  for (const [name, rows] of lists)
    s.append(el("h3", {}, `By ${name}`), table([[name, (o) => o.name || "none given", null, "text wrap"],
      ["time", (o) => o.seconds, (o) => si(o.seconds, "s")], ["of the step", (o) => o.seconds / A.seconds_per_step, (o) => percent(o.seconds / A.seconds_per_step)],
      ["compiler's estimate", (o) => o.estimated_seconds, (o) => si(o.estimated_seconds, "s")], ["runs", (o) => o.count], ["bound by", (o) => o.bound_by, null, "text"],
      ["useful FLOPs", (o) => o.flops, (o) => si(o.flops, "FLOP")], ["HBM", (o) => o.hbm_bytes, (o) => si(o.hbm_bytes, "B")]], rows, { sort: 1, limit: 15 }));
}

function provenance() {
  const s = section("provenance", "Provenance");
  for (const [i, r] of data.runs.entries()) {
    const p = r.provenance;
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", el("dl", {}, [["machine", r.machine], ["trace", r.trace], ["steps measured", r.steps],
      ["trace checksum", p.trace_checksum], ["machine checksum", p.machine_checksum], ["parameters changed", p.parameters_changed.join("; ") || "none"],
      ["error to expect", !r.evidence || !r.evidence.expected ? "not said" : `${r.evidence.expected.error === null ? "not known" : `${percent(r.evidence.expected.error)} either way`}: ${r.evidence.expected.rests_on}`],
      ["held against measurements", r.evidence ? [r.evidence.says, ...r.evidence.measured.map((m) => `${m.class}, ${m.rows} figures on ${m.machine}: error median ${percent(m.median_error)}, worst ${percent(m.worst_error)}`)].join("; ") : "not said"],
      ["could not be read", r.uncovered.ops ? `${r.uncovered.ops} operations, ${percent(r.uncovered.share)} of the time` : "nothing"],
      ["made by", `cyclotron ${p.version}`]].map(([k, v]) => [el("dt", {}, k), el("dd", {}, String(v))])));
  }
}
