/* The sections of the page of a sweep; sweep/report/sweep_page.h describes `data`. */
const points = data.points || [], columns = data.columns || [], goals = data.goals || [];
const WIDE = 4; /* values of a range this wide stand in the logarithm, where ratios are lengths */
const HUES = ["mxu", "host", "vpu", "hbm", "ici", "sync", "compile", "pcie", "storage", "launch"];
let drawPicture = () => {};
const redraw = () => drawPicture();

const ofColumn = (c) => (p) => columns[c].parameter && p.values[c] === null ? p.texts[c] : p.values[c];
function shown(c, v, digits = 4) {
  if (v === null || v === undefined) return "–";
  if (typeof v === "string") return v;
  const { unit, parameter } = columns[c];
  if (parameter) { const p = points.find((q) => q.values[c] === v); return p ? p.texts[c] : String(+v.toPrecision(digits)); }
  const number = v && Math.abs(v) < 1e-3 ? v.toExponential(digits - 1).replace("e-", " × 10^−") : +v.toPrecision(digits);
  return unit === "%" ? percent(v) : unit === "s" ? si(v, "s", digits) : unit === "B" ? iec(v) : `${number}${unit ? ` ${unit}` : ""}`;
}
const cell = (c, p) => columns[c].parameter ? p.texts[c] : shown(c, p.values[c]);
const title = (c) => columns[c].heading === columns[c].name ? columns[c].name : `${columns[c].heading} (${columns[c].name})`;
function words(p) {
  const lines = [`point ${p.id}${p.baseline ? ", the baseline" : ""}${p.front ? ", on the front" : ""}${p.fits ? "" : ", does not fit"}`];
  columns.forEach((c, i) => { if (c.parameter) lines.push(`${c.name} ${p.texts[i]}`); });
  for (const c of new Set([data.best.column, ...goals.map((g) => g.column)])) lines.push(`${columns[c].heading} ${cell(c, p)}`);
  return [...lines, `bound by ${p.bound}`].join("\n");
}
/* A change of a goal, green if it is for the better. */
function changeOf(goal, ratio, covered = false) {
  if (ratio === null) return "–";
  if (covered) return `${signed(ratio - 1)} ~`;
  const better = goal.most ? ratio > 1 : ratio < 1, change = ratio - 1;
  return el("span", { class: Math.abs(change) < 5e-4 ? "" : better ? "good" : "bad" }, signed(change));
}

/* What-ifs that differ in a goal by less than this share of it may be equal. */
const noiseOf = (c) => { const g = goals.findIndex((g) => g.column === c); return g < 0 || !data.noise ? 0 : data.noise[g]; };

/* --- verdict ------------------------------------------------------------------------------ */

function verdict() {
  const s = section("verdict", "Verdict");
  const text = (t) => t.charAt(0).toUpperCase() + t.slice(1) + ".";
  if (!points.length) s.append(el("p", { class: "verdict" }, data.where ? `No point where ${data.where}.` : "No point is done yet."));
  data.verdict.forEach((t, i) => s.append(el("p", { class: i ? "note" : "verdict" }, text(t))));
}

/* --- all points --------------------------------------------------------------------------- */

/* A scale of numbers, or of words side by side. */
function scaleOf(c, from, to) {
  const values = points.map(ofColumn(c)).filter((v) => v !== null && v !== undefined);
  if (values.some((v) => typeof v === "string")) {
    const names = [...new Set(values.map(String))], step = (to - from) / names.length;
    return { at: (v) => from + step * (names.indexOf(String(v)) + 0.5), ticks: names };
  }
  let low = Math.min(...values), high = Math.max(...values);
  const log = low > 0 && high >= WIDE * low;
  if (!(high > low)) { const room = Math.abs(low) / 10 || 1; low -= room; high += room; }
  const given = columns[c].parameter ? [...new Set(values)] : [];
  const room = (high - low) * 0.04;
  if (log) { low /= 1.08; high *= 1.08; } else { low -= room; high += room; }
  const ticks = given.length && given.length < 9 ? given : log ? ticksOfLog(low, high) : ticksOf(low, high);
  const at = (v) => log ? from + (to - from) * Math.log(v / low) / Math.log(high / low) : from + (to - from) * (v - low) / (high - low);
  /* as many digits as tell one tick from the next */
  const digits = Math.max(4, Math.min(9, Math.ceil(Math.log10(high / (high - low))) + 2)) || 4;
  return { at, ticks, log, digits };
}
function ticksOf(low, high) {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((m) => m * power >= raw) * power;
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) list.push(+(k * step).toPrecision(12));
  return list;
}
function ticksOfLog(low, high) {
  const list = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const m of [1, 2, 5]) { const v = +(m * 10 ** power).toPrecision(12); if (v >= low && v <= high) list.push(v); }
  return list.length > 1 ? list : ticksOf(low, high);
}

/* The color of a point by a column: a hue for each of a few values, else light to dark. */
function palette(c) {
  if (c < 0) return { of: () => "var(--launch)", key: [["bad", "Pareto front"], ["launch", "beaten by another point"]], front: true };
  const names = [...new Set(points.map((p) => columns[c].parameter ? p.texts[c] : null))];
  if (columns[c].parameter && names.length <= HUES.length)
    return { of: (p) => color(HUES[names.indexOf(p.texts[c])]), key: names.map((n, i) => [HUES[i], `${columns[c].name} ${n}`]) };
  const all = points.map((p) => p.values[c]).filter((v) => v !== null), low = Math.min(...all), high = Math.max(...all);
  const share = (v) => high > low ? (v - low) / (high - low) : 0;
  return { of: (p) => p.values[c] === null ? "var(--grid)" : `color-mix(in srgb, var(--host) ${Math.round(10 + 90 * share(p.values[c]))}%, var(--grid))`,
    ramp: [shown(c, low), shown(c, high)] };
}

function drawPoints(x, y, c) {
  const W = Math.max(400, Math.min(1000, $("main").clientWidth - 60)), H = Math.min(460, 0.9 * W), left = 116, bottom = 58, sx = scaleOf(x, left, W - 20), sy = scaleOf(y, H - bottom, 16), paint = palette(c);
  const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `${points.length} points, ${title(x)} across, ${title(y)} up` });
  for (const t of sx.ticks) svg.append(el("svg:path", { class: "grid", d: `M${sx.at(t)} 16V${H - bottom}` }),
    el("svg:text", { x: sx.at(t), y: H - bottom + 18, "text-anchor": "middle" }, shown(x, t, sx.digits)));
  for (const t of sy.ticks) svg.append(el("svg:path", { class: "grid", d: `M${left} ${sy.at(t)}H${W - 20}` }),
    el("svg:text", { x: left - 6, y: sy.at(t) + 4, "text-anchor": "end" }, shown(y, t, sy.digits)));
  svg.append(el("svg:text", { class: "strong", x: (left + W - 20) / 2, y: H - 10, "text-anchor": "middle" }, title(x) + (sx.log ? ", logarithmic" : "")),
    el("svg:text", { class: "strong", transform: `translate(16 ${(16 + H - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, title(y) + (sy.log ? ", logarithmic" : "")));
  const placed = points.filter((p) => ofColumn(x)(p) !== null && ofColumn(y)(p) !== null);
  const front = placed.filter((p) => p.front).sort((p, q) => sx.at(ofColumn(x)(p)) - sx.at(ofColumn(x)(q)));
  if (goals.length === 2 && goals.some((g) => g.column === x) && goals.some((g) => g.column === y) && front.length > 1)
    svg.append(el("svg:path", { d: `M${front.map((p) => `${sx.at(ofColumn(x)(p))} ${sy.at(ofColumn(y)(p))}`).join("L")}`, style: "fill:none;stroke:var(--bad);stroke-width:1.5" }));
  const marks = [...placed].reverse().map((p) => {
    const cx = sx.at(ofColumn(x)(p)), cy = sy.at(ofColumn(y)(p)), fill = paint.front && p.front ? "var(--bad)" : paint.of(p);
    const m = el("svg:circle", { class: "dot", cx, cy, r: p.front ? 5.5 : 4, style: `fill:${fill};stroke:${p.front ? "var(--bad)" : "var(--panel)"};stroke-width:1`, ...spoken(words(p)) });
    svg.append(m);
    const nx = noiseOf(x), ny = noiseOf(y);
    if ((p.front || p.baseline) && nx + ny > 0)
      svg.append(el("svg:path", { class: "noise", d: `M${sx.at(ofColumn(x)(p) * (1 - nx))} ${cy}H${sx.at(ofColumn(x)(p) * (1 + nx))}M${cx} ${sy.at(ofColumn(y)(p) * (1 - ny))}V${sy.at(ofColumn(y)(p) * (1 + ny))}`, style: "fill:none;stroke:var(--ink);stroke-width:1;pointer-events:none" }));
    if (p.baseline) svg.append(el("svg:path", { class: "base", d: `M${cx} ${cy - 11}L${cx + 11} ${cy}L${cx} ${cy + 11}L${cx - 11} ${cy}Z`, style: "fill:none;stroke:var(--ink);stroke-width:1.8;pointer-events:none" }));
    return m;
  });
  walkable(svg, marks.reverse());
  return el("div", {}, svg, paint.ramp ? el("p", { class: "ramp" }, paint.ramp[0], el("i"), paint.ramp[1]) : key(paint.key));
}

function choice(id, label, options, value, change) {
  const list = el("select", { id, onchange: (e) => change(+e.target.value) }, options.map(([v, t]) => el("option", { value: v, selected: v === value }, t)));
  return el("label", {}, `${label} `, list);
}
function scatter() {
  const s = section("points", "All points", "Each dot is a point of the sweep. Rest the pointer on one, or go through them with Tab and the arrows, to see what it is. "
    + "Red rims are the Pareto front: to gain in one goal from one of these is to lose in another" + (data.strict ? ". " : ", or to gain no more than noise. ")
    + (points.some((p) => p.baseline) ? "The diamond is the baseline: the machine and workload as they stand." : "No point is the baseline, the machine and workload as they stand.")
    + (goals.some((g) => noiseOf(g.column) > 0) ? " Bars at the front and the baseline are the noise of what-ifs." : ""));
  if (data.front.length) s.append(el("p", { class: "note" }, `The front has ${data.front.join(" ")}.`));
  let x = goals.length ? goals[0].column : data.best.column, y = goals.length > 1 ? goals[1].column : 0, c = -1;
  const picture = el("div"), draw = () => picture.replaceChildren(drawPoints(x, y, c));
  const all = columns.map((d, i) => [i, title(i)]);
  s.append(el("div", { class: "tools" }, choice("x", "across", all, x, (v) => { x = v; draw(); }), choice("y", "up", all, y, (v) => { y = v; draw(); }),
    choice("color", "color", [[-1, "Pareto front"], ...all], c, (v) => { c = v; draw(); })), picture);
  drawPicture = draw;
  draw();
}

/* --- tables ------------------------------------------------------------------------------- */

function pointTable() {
  const parameters = [...columns.keys()].filter((c) => columns[c].parameter), usual = [...columns.keys()].filter((c) => columns[c].heading !== columns[c].name);
  const first = [...new Set([...parameters, data.best.column, ...goals.map((g) => g.column), ...usual])];
  const best = data.best, s = section("table", "Points", `${data.where ? `Where ${data.where}. ` : ""}Sort by a click on a heading. USD and die are estimates by proxies, but for list prices.`);
  const count = el("span", { class: "hint" });
  const list = [["point", (p) => p.id, (p) => [String(p.id), p.baseline ? el("b", {}, " baseline") : null, p.front ? el("span", { class: "bad" }, " front") : null, p.fits ? null : el("span", { class: "bad" }, " does not fit")]],
    ...first.map((c) => [columns[c].heading, ofColumn(c), (p) => cell(c, p), columns[c].parameter && points.some((p) => p.values[c] === null) ? "text" : undefined]),
    ["bound by", (p) => p.bound, null, "text"]];
  const t = table(list, points, { sort: 1 + first.indexOf(best.column), down: best.most, limit: data.top, count, text: (p) => words(p) });
  s.append(el("div", { class: "tools" }, el("input", { id: "find", type: "search", placeholder: "find a value", "aria-label": "find a point", oninput: (e) => t.setFilter(e.target.value) }),
    el("button", { type: "button", onclick: (e) => { t.setLimit(Infinity); e.target.remove(); } }, "show all"), count), t);
}

const goalName = (f) => columns[goals[f].column].heading;

/* Bars from the goal at the lowest value of a parameter to the goal at its highest. */
function tornado(f) {
  const list = data.effects.map((e) => ({ name: e.parameter, ...e.fits[f] })).filter((e) => e.low !== null).sort((a, b) => Math.abs(b.high - b.low) - Math.abs(a.high - a.low));
  const reach = Math.max(1e-9, ...list.flatMap((e) => [Math.abs(e.low), Math.abs(e.high)]));
  const half = (v, end, e) => { const better = goals[f].most ? v > 0 : v < 0, text = `${e.name}, ${end} value: ${signed(v)}`;
    return el("i", { style: `left:${v < 0 ? 50 + 50 * v / reach : 50}%;width:${50 * Math.abs(v) / reach}%;--part:var(--${better ? "good" : "bad"})`, ...tips(text) },
      el("b", {}, Math.abs(v) > 0.12 * reach ? end : "")); };
  return el("div", { class: "bars tornado" }, list.map((e) => [el("span", {}, e.name), el("div", { class: "bar", role: "img", "aria-label": `${e.name}: ${signed(e.low)} to ${signed(e.high)}` },
    half(e.low, "lowest", e), half(e.high, "highest", e)), el("span", { class: "num" }, signed(e.low)), el("span", { class: "num" }, signed(e.high))]));
}
const covers = () => el("p", { class: "note" }, `~: within the noise of what-ifs, ${goals.map((g, f) => `${percent(data.noise[f])} of ${goalName(f)}`).join(", ")}, or within the errors to expect of two machines.`);
function effects() {
  if (data.effects.length) {
    const s = section("effects", "What matters", "Each bar goes from the lowest to the highest value of a parameter, the others in their middle, by a power law through all points. Green is for the better, red for the worse.");
    data.fits.forEach((fit, f) => s.append(el("h3", {}, `${goalName(f)}: the law explains ${percent(fit.explained, 0)} of the spread of ${fit.points} points`), tornado(f)));
    s.append(el("h3", {}, "+ 10 % of each parameter"), table([["parameter", (e) => e.parameter, null, "text"],
      ...data.fits.flatMap((_, f) => [[goalName(f), (e) => 1.1 ** e.fits[f].elasticity - 1, (e) => changeOf(goals[f], e.fits[f].elasticity === null ? null : 1.1 ** e.fits[f].elasticity, e.fits[f].covered)],
        ["elasticity", (e) => e.fits[f].elasticity, (e) => e.fits[f].elasticity === null ? "–" : e.fits[f].elasticity.toFixed(3)]])], data.effects, { sort: 1, down: goals[0].most }), covers());
  }
  if (data.steps.length) {
    const s = section("steps", "What one step does", "All else equal: the average over pairs of points that differ in this parameter alone. Green is for the better.");
    s.append(table([["parameter", (p) => p.parameter, null, "text"], ["from", (p) => p.from, null, "text"], ["to", (p) => p.to, null, "text"], ["pairs", (p) => p.pairs],
      ...data.fits.map((_, f) => [goalName(f), (p) => p.ratios[f], (p) => changeOf(goals[f], p.ratios[f], p.covered[f])])], data.steps, { sort: 0, down: false }), covers());
  }
}
function rest() {
  if (data.failures.length) section("failed", "Failed", "Points whose parameters give no valid machine, or whose machine cannot run the step.")
    .append(table([["point", (f) => f.id], ["why", (f) => f.error, null, "text"]], data.failures, { down: false }));
  section("plan", "Plan", "A plan file that runs this sweep again. One more value of an axis runs only the points that are new.").append(el("pre", {}, data.plan));
}

const { all, done, failed } = data.count;
$("title").textContent = data.name.replace(/^.*\//, "");
$("subtitle").textContent = `${all} points, ${done} done, ${failed} failed, ${all - done - failed} open`;
document.title = `${$("title").textContent} – cyclotron`;
verdict();
if (points.length) { scatter(); pointTable(); effects(); }
rest();
document.body.append(el("footer", {}, "Keys: ", [["1 … 9", "sections"], ["j k", "next and previous section"], ["/", "find a point"], ["t", "light or dark"], ["Tab and arrows", "through points"]]
  .map(([k, what], i) => [i ? ", " : "", el("kbd", {}, k), ` ${what}`]), "."));
