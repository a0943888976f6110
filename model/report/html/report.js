/* The sections of the report of a run, or of two side by side. */
const [A, B] = data.runs, two = data.runs.length > 1, timeline = data.timeline;
/* of files their last part, and the machine where that differs */
const names = data.names.map((n, i) => n.replace(/^.*\//, "") + (two && A.machine !== B.machine ? ` (${data.runs[i].machine})` : ""));
const CAUSES = Object.keys(data.causes);
/* GPUs have no matrix units whose slots are counted, and no kind of core has all causes: 0 */
for (const r of data.runs)
  for (const x of [r, ...r.ops, ...r.phases]) {
    x.time_by_cause = Object.fromEntries([...CAUSES.map((c) => [c, 0]), ...Object.entries(x.time_by_cause)]);
    x.mxu_slots ||= { capacity: 0, useful: 0, waiting: {} };
    x.mxu_waste ||= {};
    x.mxu ??= x.tensor;
  }
/* What the parts of a machine are called, by the kind of its chips; older files do not say it. */
const WORDS = {
  TPU: { core: "core", device: "chip", memory: "HBM", array: "matrix units", busy: ["mxu_busy", "matrix units busy"] },
  GPU: { core: "GPU", device: "GPU", memory: "HBM", array: "tensor cores", busy: ["sm", "SMs with work"] },
  CPU: { core: "node", device: "node", memory: "RAM", array: "vector units", busy: ["cores", "cores with work"] },
};
const wordsOf = (r) => WORDS[(r.slice && r.slice.kind) || (r.utilization.sm !== undefined ? "GPU" : r.utilization.cores !== undefined ? "CPU" : "TPU")];
const SAY = two && wordsOf(A) !== wordsOf(B) ? WORDS.TPU : wordsOf(A); /* what holds of both */
const SLOTS = [["useful", "good", "useful work"], ["precision", "compile", "more passes for precision"],
  ["conv_zeros", "xlu", "multiplying zeros of a convolution"],
  ["pad_m", "sync", "padding rows (m)"], ["pad_n", "host", "idle columns (n)"], ["pad_k", "hbm", "idle array rows (k)"],
  ["weight_load", "ici", "loading weights"], ["fill_drain", "pcie", "filling or draining"],
  ["not_issued", "storage", "no rows issued"], ["waiting", "launch", "no command: waiting"]];
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
const waiting = (s) => sum(Object.values(s.waiting));
const slot = (s, name) => name === "waiting" ? waiting(s) : s[name] || 0;
const causeBar = (causes, whole) => bar(CAUSES.map((c) =>
  [c, causes[c] / whole, `${c} ${si(causes[c], "s")} (${percent(causes[c] / whole)}): ${data.causes[c]}`, `${c} ${percent(causes[c] / whole, 0)}`]));
const slotBar = (s, labels) => bar(SLOTS.map(([n, c, text]) => [c, slot(s, n) / s.capacity, `${text}: ${percent(slot(s, n) / s.capacity)}`,
  labels && `${text} ${percent(slot(s, n) / s.capacity, 0)}`]));

/* --- verdict ------------------------------------------------------------------------------ */

const short = (r) => (r.workload || r.trace).replace(/^.*\//, "");
const bound = (r) => CAUSES.reduce((a, c) => r.time_by_cause[c] > r.time_by_cause[a] ? c : a, CAUSES[0]);

function delta(a, b, lessIsBetter = true) {
  if (a === null || b === null || a === undefined || b === undefined || !a) return null;
  const change = b / a - 1, better = lessIsBetter ? change < 0 : change > 0;
  const cls = Math.abs(change) < 5e-4 ? "" : better ? "good" : "bad";
  return el("em", { class: cls }, signed(change));
}

/* What would help, over all operations: the same advice counts once, with the time it is about. */
function remedies(r) {
  const all = new Map();
  for (const o of grouped(r)) {
    if (!o.advice.length) continue;
    const text = o.advice[0], cut = text.lastIndexOf("; ");
    const remedy = cut < 0 ? text : text.slice(cut + 2), k = all.get(remedy) || { remedy, /* a fact alone, with the most that it costs */ seconds: 0, groups: 0, ops: 0, worst: null };
    k.seconds += o.seconds;
    k.groups++;
    k.ops += o.names.size;
    if (!k.worst || o.seconds > k.worst.seconds) Object.assign(k, { worst: o, why: cut < 0 ? "" : text.slice(0, cut) });
    all.set(remedy, k);
  }
  return [...all.values()].filter((k) => k.seconds > 0).sort((x, y) => y.seconds - x.seconds);
}

function verdictText(r) {
  const cause = bound(r), share = r.time_by_cause[cause] / r.seconds_per_step;
  const a = r.account, doubt = a && a.known < 0.95 ? `: ${unknownOf(a, "it")} is not known` : "";
  let text = `A step takes ${a && a.at_least ? "at least " : ""}${si(r.seconds_per_step, "s")}${doubt}. For ${percent(share)} of it a ${wordsOf(r).core} ${data.causes[cause]}.`;
  if (cause === "mxu" && r.mxu_slots.capacity) {
    const lost = SLOTS.slice(1).reduce((x, y) => slot(r.mxu_slots, y[0]) > slot(r.mxu_slots, x[0]) ? y : x);
    text += ` Of what the matrix units could do, ${percent(r.mxu_slots.useful / r.mxu_slots.capacity)} is useful; most is lost to ${lost[2]}.`;
  }
  if (r.limited_by && r.limited_by !== cause) text += ` The ${r.limited_by} is always busy: no step can be shorter than its work.`;
  const m = r.memory, other = m.switched;
  if (m.close || m.rests_on_switch) text += ` Its memory ${m.fits ? "fits" : "does not fit"} by ${percent(Math.abs(m.margin))}${other ? `; with ${other.set} it needs ${iec(other.peak_bytes_per_core)} and ${other.fits ? "fits" : "does not fit"}${other.fits === m.fits ? (m.fits ? " too" : " either") : ""}` : ""}.`;
  if (!r.memory.fits) text += ` It does not fit: ${iec(r.memory.peak_bytes_per_core)} of ${iec(r.memory.capacity_bytes_per_core)} a ${wordsOf(r).core}.`;
  return text;
}

/* A sample of one run is none of the other: their FLOPs of a sample differ by more than a tenth, or
 * by more than twice where their names are the same. */
function otherWork() {
  if (!A.workload || !B.workload) return "";
  const alike = A.workload === B.workload;
  if (alike && A.trace && A.trace === B.trace) return "";
  const work = (r) => r.global_batch && r.model_flops ? r.model_flops.per_step / r.global_batch : 0, x = work(A), y = work(B);
  if (x > 0 && y > 0 ? Math.max(x / y, y / x) - 1 <= (alike ? 1 : 0.1) : alike) return "";
  return `A and B do different work, ${A.workload} and ${B.workload}: ${x > 0 && y > 0 ? `${x.toPrecision(3)} and ${y.toPrecision(3)} FLOP a sample; ` : ""}their times do not compare. `;
}

/* What made B another than A: of a step, or of a sample where their global batches differ. */
function changeText() {
  const a = A.seconds_per_step * per[0], b = B.seconds_per_step * per[1], d = b - a, f = b / a, what = unequal ? "sample" : "step";
  const parts = CAUSES.map((c) => [c, B.time_by_cause[c] * per[1] - A.time_by_cause[c] * per[0]]).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1])).filter((x) => Math.abs(x[1]) > 0.1 * Math.abs(d)).slice(0, 3);
  const head = otherWork() + (unequal ? `Global batches differ: a step has ${count(A.global_batch)} samples in A and ${count(B.global_batch)} in B. ` : "");
  const text = head + (Math.abs(f - 1) < 0.005 ? `${what[0].toUpperCase()}${what.slice(1)}s of A and B take the same time within ${Math.abs(100 * (f - 1)).toFixed(2)} %.`
    : f < 1 ? `A ${what} of B is ${(1 / f).toFixed(2)} times as fast as one of A.` : `A ${what} of B takes ${f.toFixed(2)} times as long as one of A.`);
  return parts.length && d ? `${text} The difference of ${si(Math.abs(d), "s")} is mostly ${parts.map(([c, v]) => `${c} ${v < 0 ? "−" : "+"}${si(Math.abs(v), "s")}`).join(", ")}.` : text;
}

function verdict() {
  const s = section("verdict", "Verdict");
  if (two) s.append(el("p", { class: "verdict" }, el("b", {}, changeText())));
  for (const [i, r] of data.runs.entries()) {
    s.append(el("p", { class: "verdict" }, two ? el("b", {}, `${"AB"[i]}: ${names[i]}. `) : null, verdictText(r)));
    s.append(el("div", { class: "glance" }, el("span", {}, "the step"), causeBar(r.time_by_cause, r.seconds_per_step),
      r.mxu_slots.capacity ? [el("span", {}, "matrix units"), slotBar(r.mxu_slots, true)] : null));
  }
  if (!two) {
    const slow = [...grouped(A)].sort((x, y) => y.seconds - x.seconds).slice(0, 5), most = slow.length ? slow[0].seconds : 1;
    const help = remedies(A).slice(0, 3);
    s.append(el("div", { class: "split" },
      el("div", {}, el("h3", {}, "Slowest operations"), el("div", { class: "bars" }, slow.map((o) => [el("span", {}, o.name),
        el("div", { style: `width:${Math.max(1, 100 * o.seconds / most)}%` }, causeBar(o.causes, o.seconds || 1)),
        el("span", { class: "num" }, si(o.seconds, "s")), el("span", { class: "num" }, percent(o.seconds / A.seconds_per_step))]))),
      el("div", {}, el("h3", {}, "What would help"), el("ol", { class: "help" }, help.map((k) => el("li", {}, el("b", {}, k.remedy),
        el("span", {}, ` ${k.groups === 1 ? k.worst.name : `${k.ops} operations`}, ${percent(k.seconds / A.seconds_per_step)} of the step${k.why ? `; in ${k.worst.name} ${k.why}` : ""}`)))),
        help.length ? null : el("p", {}, A.mxu_slots.capacity ? "Nothing stands out in the ledger of the matrix units." : "No slots are counted on this machine: see what the operations wait for."))));
  }
  const tile = (label, get, show, less, extra) => {
    const a = get(A), b = two ? get(B) : undefined;
    return el("div", { class: two ? "tile two" : "tile" }, el("b", {}, two ? `${show(a)} → ${show(b)}` : show(a)), el("span", {}, label, " "),
      two ? less === null ? null : delta(a, b, less) : extra ? el("em", {}, extra(A)) : null);
  };
  s.append(el("div", { class: "tiles" },
    unequal ? tile("time of a sample", (r) => 1 / r.samples_per_second, (v) => si(v, "s"), true) : null,
    unequal ? tile("global batch", (r) => r.global_batch, (v) => count(v), null) : null,
    unequal ? tile("cost of a million samples", (r) => r.usd_per_million_samples.on_demand, (v) => v === null ? "–" : `${+v.toPrecision(3)} USD`, true) : null,
    tile("time of a step", (r) => r.seconds_per_step, (v) => si(v, "s"), true, (r) => `${count(r.cycles_per_step)} cycles`),
    tile("samples a second", (r) => r.samples_per_second, (v) => v === null ? "–" : count(+v.toPrecision(4)), false),
    tile("time of an epoch", (r) => r.seconds_per_epoch, (v) => si(v, "s"), true),
    tile("cost of an epoch", (r) => r.usd_per_epoch.on_demand, (v) => v === null ? "–" : `${+v.toPrecision(3)} USD`, true,
      (r) => [r.usd_per_epoch.preemptible !== null ? `${+r.usd_per_epoch.preemptible.toPrecision(3)} USD preemptible` : "",
        r.usd_per_epoch.on_demand !== null && r.price && !r.price.verified ? "[unverified]" : ""].filter(Boolean).join(", ")),
    A.watts && A.watts.most !== null ? tile(`power of the ${SAY.device}s`, (r) => r.watts ? r.watts.average ?? r.watts.most : null, (v) => si(v, "W"), true,
      (r) => `${r.watts.average !== null ? `${si(r.joules_per_step, "J")} a step` : `at most; ${si(r.watts.least, "W")} idle`}${/unverified/.test(r.watts.source) ? ", [unverified]" : ""}`) : null,
    tile(`peak memory of a ${wordsOf(A).core}`, (r) => r.memory.peak_bytes_per_core, iec, true,
      (r) => `${r.memory.fits ? "fits: " : "too much: "}${percent(r.memory.peak_bytes_per_core / r.memory.capacity_bytes_per_core)}`),
    tile("model FLOP utilization (MFU)", (r) => r.model_flops ? r.model_flops.mfu : null, (v) => percent(v), false,
      (r) => r.model_flops ? `${si(r.model_flops.per_second, "FLOP/s")} of ${si(r.model_flops.peak_per_second, "FLOP/s")} in ${r.model_flops.dtype}, ${counted(r.slice.chips, wordsOf(r).device)}` : ""),
    tile(wordsOf(A).busy[1], (r) => r.utilization[wordsOf(r).busy[0]] ?? null, (v) => percent(v), false),
    tile(`${wordsOf(A).memory} bandwidth used`, (r) => r.utilization.hbm ?? null, (v) => percent(v), false)));
}

/* --- time by cause ------------------------------------------------------------------------ */

function causes() {
  const s = section("causes", "Time by cause", `Every femtosecond of every ${SAY.core} has one cause, booked when the wait ends; together they are the step.`);
  for (const [i, r] of data.runs.entries())
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", causeBar(r.time_by_cause, r.seconds_per_step));
  const used = CAUSES.filter((c) => data.runs.some((r) => r.time_by_cause[c] > 0));
  s.append(key(used.map((c) => [c, c])));
  const columns = [["cause", (c) => c, (c) => [el("span", { class: "swatch", style: `background:${color(c)}` }), ` ${c}`], "text"]];
  for (const [i, r] of data.runs.entries()) {
    columns.push([two ? `${"AB"[i]}: time` : "time", (c) => r.time_by_cause[c] * per[i], (c) => si(r.time_by_cause[c] * per[i], PER)]);
    columns.push([two ? `${"AB"[i]}: share` : "share", (c) => r.time_by_cause[c] / r.seconds_per_step, (c) => percent(r.time_by_cause[c] / r.seconds_per_step)]);
  }
  const more = (c) => { const d = B.time_by_cause[c] * per[1] - A.time_by_cause[c] * per[0]; return Math.abs(d) < 1e-9 * A.seconds_per_step * per[0] ? 0 : d; };
  if (two) columns.push(["B − A", more, (c) => si(more(c), PER)]);
  columns.push([`the ${SAY.core}`, (c) => data.causes[c], null, "text"]);
  s.append(table(columns, used, { sort: 1 }));
  s.append(el("h3", {}, "Phases"));
  const phases = data.runs.map(groupedPhases);
  const longest = Math.max(...phases.flatMap((list, i) => list.map((p) => p.seconds * per[i]))) || 1;
  const phase = (p, i, name) => [el("span", {}, name),
    el("div", { style: `width:${Math.max(0.4, 100 * p.seconds * per[i] / longest)}%` }, causeBar(p.time_by_cause, p.seconds || 1)),
    el("span", { class: "num" }, si(p.seconds * per[i], PER)), el("span", { class: "num" }, percent(p.seconds / data.runs[i].seconds_per_step))];
  const rows = phases[0].map((p) => [phase(p, 0, two ? `${p.name} A` : p.name),
    two ? phases[1].filter((q) => q.label === p.label).map((q) => phase(q, 1, el("span", { class: "soft" }, q.name === p.name ? "B" : `B${times(q.n)}`))) : null]);
  if (two) rows.push(phases[1].filter((q) => !phases[0].some((p) => p.label === q.label)).map((q) => phase(q, 1, `${q.name} B`)));
  s.append(el("div", { class: two ? "bars pairs" : "bars" }, rows));
}

