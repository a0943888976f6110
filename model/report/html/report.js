"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const [A, B] = data.runs, two = data.runs.length > 1, timeline = data.timeline;
/* of files their last part, and the machine where that differs */
const names = data.names.map((n, i) => n.replace(/^.*\//, "") + (two && A.machine !== B.machine ? ` (${data.runs[i].machine})` : ""));
const CAUSES = Object.keys(data.causes);
const SLOTS = [["useful", "good", "useful work"], ["precision", "compile", "more passes for precision"],
  ["conv_zeros", "xlu", "multiplying zeros of a convolution"],
  ["pad_m", "sync", "padding rows (m)"], ["pad_n", "host", "idle columns (n)"], ["pad_k", "hbm", "idle array rows (k)"],
  ["weight_load", "ici", "loading weights"], ["fill_drain", "pcie", "filling or draining"],
  ["not_issued", "storage", "no rows issued"], ["waiting", "launch", "no command: waiting"]];

/* --- small things ------------------------------------------------------------------------- */

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
function el(tag, attrs, ...children) {
  const e = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {}))
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== null && v !== false) e.setAttribute(k, v === true ? "" : v);
  for (const c of children.flat(Infinity)) if (c !== null && c !== undefined) e.append(c);
  return e;
}
const color = (name) => `var(--${name})`;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
function si(v, unit, digits = 4) {
  if (v === null || v === undefined) return "–";
  if (v === 0) return `0 ${unit}`;
  const steps = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9], ["p", 1e-12]];
  const [prefix, scale] = steps.find(([, s]) => Math.abs(v) >= s * 0.9999999) || steps[steps.length - 1];
  return `${+(v / scale).toPrecision(digits)} ${prefix}${unit}`;
}
const percent = (v, places = 1) => v === null || v === undefined ? "–"
  : v && Math.abs(v) < 1e-5 ? "< 0.001 %"
  : `${v && Math.abs(v) < 0.5 * 10 ** (-2 - places) ? +(100 * v).toPrecision(2) : (100 * v).toFixed(places)} %`;
const count = (v) => v === null || v === undefined ? "–" : Number(v).toLocaleString("en-US").replaceAll(",", "\u202f");
const sum = (list) => list.reduce((a, b) => a + b, 0);
const waiting = (s) => sum(Object.values(s.waiting));
const slot = (s, name) => name === "waiting" ? waiting(s) : s[name] || 0;

function tip(event, text) {
  const t = $("tip");
  if (!text) { t.hidden = true; return; }
  t.textContent = text;
  t.hidden = false;
  const box = t.getBoundingClientRect();
  t.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  t.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8))}px`;
}
const tips = (text) => ({ onpointermove: (e) => tip(e, text), onpointerleave: (e) => tip(e, null) });

/* Marks of a picture that the arrow keys go through, the first of them by the tab key. */
function walkable(svg, marks) {
  marks.forEach((m, i) => m.setAttribute("tabindex", i ? -1 : 0));
  svg.addEventListener("keydown", (e) => {
    const i = marks.indexOf(document.activeElement);
    const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: marks.length - 1 }[e.key];
    if (i < 0 || to === undefined || !marks[to]) return;
    e.preventDefault();
    marks[i].setAttribute("tabindex", -1);
    marks[to].setAttribute("tabindex", 0);
    marks[to].focus();
  });
}
/* The same words for the pointer, the keys and who cannot see it. */
const spoken = (text) => ({ ...tips(text), role: "img", "aria-label": text,
  onfocus: (e) => { const b = e.target.getBoundingClientRect(); tip({ clientX: b.right, clientY: b.bottom }, text); }, onblur: (e) => tip(e, null) });

function section(id, title, note) {
  const s = el("section", { id, "aria-labelledby": `${id}-h` }, el("h2", { id: `${id}-h` }, title),
    note ? el("p", { class: "note" }, note) : null);
  $("main").append(s);
  $("nav").append(el("a", { href: `#${id}` }, title));
  return s;
}

/* Parts of a whole as one bar: [[color, share, text, label]]; a label stands in its part if that is
 * wide. */
function bar(parts) {
  return el("div", { class: "bar", role: "img", "aria-label": parts.map((p) => p[2]).join("; ") },
    parts.filter((p) => p[1] > 0).map(([c, share, text, label]) =>
      el("i", { style: `width:${100 * share}%;background:${color(c)}`, ...tips(text) },
        label && share > 0.012 * label.length + 0.03 ? el("b", {}, label) : null)));
}
const causeBar = (causes, whole) => bar(CAUSES.map((c) =>
  [c, causes[c] / whole, `${c} ${si(causes[c], "s")} (${percent(causes[c] / whole)}): ${data.causes[c]}`, `${c} ${percent(causes[c] / whole, 0)}`]));
const slotBar = (s, labels) => bar(SLOTS.map(([n, c, text]) => [c, slot(s, n) / s.capacity, `${text}: ${percent(slot(s, n) / s.capacity)}`,
  labels && `${text} ${percent(slot(s, n) / s.capacity, 0)}`]));
const key = (items) => el("ul", { class: "key" }, items.map(([c, text]) =>
  el("li", {}, el("span", { class: "swatch", style: `background:${color(c)}` }), text)));

/* A table that sorts: columns are [title, value of row, text of row, class]. */
function table(columns, rows, options = {}) {
  const body = el("tbody");
  let by = options.sort ?? 0, down = options.down ?? true, filter = "", limit = options.limit || Infinity;
  const heads = columns.map(([title, , , cls], i) => el("th", { class: cls, scope: "col" },
    el("button", { type: "button", onclick: () => { down = by === i ? !down : cls !== "text"; by = i; fill(); } }, title)));
  function fill() {
    heads.forEach((h, i) => i === by ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    const value = columns[by][1], at = new Map(rows.map((r, i) => [r, i]));
    const wanted = rows.filter((r) => !filter || (options.text || JSON.stringify)(r).toLowerCase().includes(filter));
    wanted.sort((a, b) => {
      const x = value(a), y = value(b);
      const order = typeof x === "string" ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity);
      return (down ? -order : order) || at.get(a) - at.get(b);
    });
    body.replaceChildren(...wanted.slice(0, limit).map((r) => el("tr", {}, columns.map(([, v, text, cls]) => el("td", { class: cls }, text ? text(r) : v(r))))));
    if (options.count) options.count.textContent = wanted.length > limit ? `${limit} of ${wanted.length} shown` : `${wanted.length} rows`;
  }
  fill();
  return Object.assign(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body)),
    { setFilter: (f) => { filter = f.toLowerCase(); fill(); }, setLimit: (n) => { limit = n; fill(); } });
}

/* --- verdict ------------------------------------------------------------------------------ */

const short = (r) => (r.workload || r.trace).replace(/^.*\//, "");
const bound = (r) => CAUSES.reduce((a, c) => r.time_by_cause[c] > r.time_by_cause[a] ? c : a, CAUSES[0]);

function delta(a, b, lessIsBetter = true) {
  if (a === null || b === null || a === undefined || b === undefined || !a) return null;
  const change = b / a - 1, better = lessIsBetter ? change < 0 : change > 0;
  const cls = Math.abs(change) < 5e-4 ? "" : better ? "good" : "bad";
  return el("em", { class: cls }, `${change >= 0 ? "+" : "−"}${Math.abs(100 * change).toFixed(1)} %`);
}

/* What would help, over all operations: the same advice counts once, with the time it is about. */
function remedies(r) {
  const all = new Map();
  for (const o of byName(r)) {
    if (!o.advice.length) continue;
    const text = o.advice[0], cut = text.lastIndexOf("; ");
    const remedy = cut < 0 ? text : text.slice(cut + 2), k = all.get(remedy) || { remedy, seconds: 0, ops: 0, worst: null };
    k.seconds += o.seconds;
    k.ops++;
    if (!k.worst || o.seconds > k.worst.seconds) Object.assign(k, { worst: o, why: cut < 0 ? "" : text.slice(0, cut) });
    all.set(remedy, k);
  }
  return [...all.values()].filter((k) => k.seconds > 0).sort((x, y) => y.seconds - x.seconds);
}

function verdictText(r) {
  const cause = bound(r), share = r.time_by_cause[cause] / r.seconds_per_step;
  let text = `A step takes ${si(r.seconds_per_step, "s")}. For ${percent(share)} of it a core ${data.causes[cause]}.`;
  if (cause === "mxu" && r.mxu_slots.capacity) {
    const lost = SLOTS.slice(1).reduce((x, y) => slot(r.mxu_slots, y[0]) > slot(r.mxu_slots, x[0]) ? y : x);
    text += ` Of what the matrix units could do, ${percent(r.mxu_slots.useful / r.mxu_slots.capacity)} is useful; most is lost to ${lost[2]}.`;
  }
  if (r.limited_by && r.limited_by !== cause) text += ` The ${r.limited_by} is always busy: no step can be shorter than its work.`;
  if (!r.memory.fits) text += ` It does not fit: ${si(r.memory.peak_bytes_per_core, "B")} of ${si(r.memory.capacity_bytes_per_core, "B")} a core.`;
  return text;
}

/* What made B another than A. */
function changeText() {
  const d = B.seconds_per_step - A.seconds_per_step, f = B.seconds_per_step / A.seconds_per_step;
  const parts = CAUSES.map((c) => [c, B.time_by_cause[c] - A.time_by_cause[c]]).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1])).filter((x) => Math.abs(x[1]) > 0.1 * Math.abs(d)).slice(0, 3);
  const text = Math.abs(f - 1) < 0.005 ? `Steps of A and B take the same time within ${Math.abs(100 * (f - 1)).toFixed(2)} %.`
    : f < 1 ? `A step of B is ${(1 / f).toFixed(2)} times as fast as one of A.` : `A step of B takes ${f.toFixed(2)} times as long as one of A.`;
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
    const slow = [...byName(A)].sort((x, y) => y.seconds - x.seconds).slice(0, 5), most = slow.length ? slow[0].seconds : 1;
    const help = remedies(A).slice(0, 3);
    s.append(el("div", { class: "split" },
      el("div", {}, el("h3", {}, "Slowest operations"), el("div", { class: "bars" }, slow.map((o) => [el("span", {}, o.name),
        el("div", { style: `width:${Math.max(1, 100 * o.seconds / most)}%` }, causeBar(o.causes, o.seconds || 1)),
        el("span", { class: "num" }, si(o.seconds, "s")), el("span", { class: "num" }, percent(o.seconds / A.seconds_per_step))]))),
      el("div", {}, el("h3", {}, "What would help"), el("ol", { class: "help" }, help.map((k) => el("li", {}, el("b", {}, k.remedy),
        el("span", {}, ` ${k.ops === 1 ? k.worst.name : `${k.ops} operations`}, ${percent(k.seconds / A.seconds_per_step)} of the step${k.why ? `; in ${k.worst.name} ${k.why}` : ""}`)))),
        help.length ? null : el("p", {}, "Nothing stands out in the ledger of the matrix units."))));
  }
  const tile = (label, get, show, less, extra) => {
    const a = get(A), b = two ? get(B) : undefined;
    return el("div", { class: two ? "tile two" : "tile" }, el("b", {}, two ? `${show(a)} → ${show(b)}` : show(a)), el("span", {}, label, " "),
      two ? delta(a, b, less) : extra ? el("em", {}, extra(A)) : null);
  };
  s.append(el("div", { class: "tiles" },
    tile("time of a step", (r) => r.seconds_per_step, (v) => si(v, "s"), true, (r) => `${count(r.cycles_per_step)} cycles`),
    tile("samples a second", (r) => r.samples_per_second, (v) => count(+v.toPrecision(4)), false),
    tile("time of an epoch", (r) => r.seconds_per_epoch, (v) => si(v, "s"), true),
    tile("cost of an epoch", (r) => r.usd_per_epoch.on_demand, (v) => v === null ? "–" : `${+v.toPrecision(3)} USD`, true),
    tile("peak memory of a core", (r) => r.memory.peak_bytes_per_core, (v) => si(v, "B"), true,
      (r) => `${r.memory.fits ? "fits: " : "too much: "}${percent(r.memory.peak_bytes_per_core / r.memory.capacity_bytes_per_core)}`),
    tile("useful share of matrix peak", (r) => r.utilization.mxu ?? null, (v) => percent(v), false),
    tile("matrix units busy", (r) => r.utilization.mxu_busy ?? null, (v) => percent(v), false),
    tile("HBM bandwidth used", (r) => r.utilization.hbm ?? null, (v) => percent(v), false)));
}

/* --- time by cause ------------------------------------------------------------------------ */

function causes() {
  const s = section("causes", "Time by cause", "Every femtosecond of every core has one cause, booked when the wait ends; together they are the step.");
  for (const [i, r] of data.runs.entries())
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", causeBar(r.time_by_cause, r.seconds_per_step));
  const used = CAUSES.filter((c) => data.runs.some((r) => r.time_by_cause[c] > 0));
  s.append(key(used.map((c) => [c, c])));
  const columns = [["cause", (c) => c, (c) => [el("span", { class: "swatch", style: `background:${color(c)}` }), ` ${c}`], "text"]];
  for (const [i, r] of data.runs.entries()) {
    columns.push([two ? `${"AB"[i]}: time` : "time", (c) => r.time_by_cause[c], (c) => si(r.time_by_cause[c], "s")]);
    columns.push([two ? `${"AB"[i]}: share` : "share", (c) => r.time_by_cause[c] / r.seconds_per_step, (c) => percent(r.time_by_cause[c] / r.seconds_per_step)]);
  }
  const more = (c) => { const d = B.time_by_cause[c] - A.time_by_cause[c]; return Math.abs(d) < 1e-9 * A.seconds_per_step ? 0 : d; };
  if (two) columns.push(["B − A", more, (c) => si(more(c), "s")]);
  columns.push(["the core", (c) => data.causes[c], null, "text"]);
  s.append(table(columns, used, { sort: 1 }));
  s.append(el("h3", {}, "Phases"));
  const longest = Math.max(...data.runs.flatMap((r) => r.phases.map((p) => p.seconds))) || 1;
  const phase = (p, r, name) => [el("span", {}, name),
    el("div", { style: `width:${Math.max(0.4, 100 * p.seconds / longest)}%` }, causeBar(p.time_by_cause, p.seconds || 1)),
    el("span", { class: "num" }, si(p.seconds, "s")), el("span", { class: "num" }, percent(p.seconds / r.seconds_per_step))];
  const rows = A.phases.map((p) => [phase(p, A, two ? `${p.name} A` : p.name),
    two ? B.phases.filter((q) => q.name === p.name).map((q) => phase(q, B, el("span", { class: "soft" }, "B"))) : null]);
  if (two) rows.push(B.phases.filter((q) => !A.phases.some((p) => p.name === q.name)).map((q) => phase(q, B, `${q.name} B`)));
  s.append(el("div", { class: two ? "bars pairs" : "bars" }, rows));
}

/* --- lanes -------------------------------------------------------------------------------- */

const STATE_COLOR = { idle: "grid", busy: "mxu", launch: "launch", read: "hbm", compute: "mxu", feed: "storage", write: "pcie",
  collective: "ici", infeed: "host", host: "fallback", blocked: "sync", gather: "sync", ring: "ici" };
let view = null; /* [from, to] in seconds, shared by all lanes */
const drawers = [];
const redraw = () => {
  drawers.forEach((d) => d());
  for (const b of document.querySelectorAll(".bar > i > b")) b.style.visibility = b.scrollWidth > b.clientWidth ? "hidden" : "";
};

function setView(from, to) {
  const all = timeline.seconds, least = Math.max(all / 1e6, 1e-9);
  let width = Math.min(Math.max(to - from, least), all);
  from = Math.min(Math.max(from, 0), all - width);
  view = [from, from + width];
  const z = $("zoomed");
  if (z) z.textContent = `${si(view[0], "s", 6)} to ${si(view[1], "s", 6)}${width < all ? `, ${+(all / width).toPrecision(3)}×` : ""}`;
  redraw();
}
const zoomBy = (f, at) => setView(at - (at - view[0]) * f, at + (view[1] - at) * f);

function lanesCanvas(parent, lanes, options = {}) {
  const AXIS = 22, BAND = options.spans ? 30 : 0, STATE = options.states ? 46 : 0;
  const tall = (lane) => options.lane || (lane.mean < 0.002 && lane.kind === "share" ? 20 : 34); /* who hardly works gets little room */
  const height = BAND + STATE + sum(lanes.map(tall)) + AXIS;
  let LABEL = 190;
  const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": options.label, "data-lanes": lanes.length });
  canvas.style.height = `${height}px`;
  parent.append(canvas);
  let box = { width: 0 };
  const x2t = (x) => view[0] + (x - LABEL) / (box.width - LABEL) * (view[1] - view[0]);
  const t2x = (t) => LABEL + (t - view[0]) / (view[1] - view[0]) * (box.width - LABEL);
  const bins = timeline.bin_seconds;
  const opCause = new Map();
  for (const o of A.ops) opCause.set(o.name, o.bound_by);

  function draw() {
    box = canvas.getBoundingClientRect();
    LABEL = box.width < 600 ? 124 : 190;
    const scale = devicePixelRatio || 1;
    canvas.width = Math.round(box.width * scale);
    canvas.height = Math.round(height * scale);
    const g = canvas.getContext("2d");
    g.scale(scale, scale);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    const ink = css("ink"), soft = css("soft"), line = css("line"), grid = css("grid");
    let y = 0;
    const label = (text, h, value) => {
      g.fillStyle = ink;
      g.fillText(text, 2, y + h / 2, LABEL - (value ? 62 : 10));
      if (!value) return;
      g.fillStyle = soft; g.textAlign = "right"; g.fillText(value, LABEL - 8, y + h / 2); g.textAlign = "left";
    };
    if (BAND) {
      label(options.spanLabel, BAND);
      let last = -1;
      for (const [begin, length, name] of timeline.spans) {
        const t = begin / 1e6, d = length / 1e6;
        if (t + d < view[0] || t > view[1]) continue;
        const x = Math.max(LABEL, t2x(t)), w = Math.min(box.width, t2x(t + d)) - x;
        if (w < 0.3 && x - last < 0.7) continue;
        last = x;
        g.fillStyle = css(opCause.get(timeline.names[name]) || "launch");
        g.fillRect(x, y + 2, Math.max(w - (w > 3 ? 1 : 0), 0.5), BAND - 6);
        if (w > 46) {
          g.save(); g.beginPath(); g.rect(x, y, w - 3, BAND); g.clip();
          g.fillStyle = css("panel"); g.fillText(timeline.names[name], x + 4, y + BAND / 2 - 1); g.restore();
        }
      }
      y += BAND;
    }
    if (STATE) {
      label("core waits for", STATE);
      const step = Math.max((box.width - LABEL) / Math.ceil((view[1] - view[0]) / bins), 1);
      for (let x = LABEL; x < box.width; x += step) {
        const b0 = Math.floor(x2t(x) / bins), b1 = Math.max(b0 + 1, Math.floor(x2t(x + step) / bins));
        let base = y + STATE - 6;
        for (const st of timeline.states) {
          let v = 0;
          for (let b = b0; b < b1; b++) v += st.values[b] || 0;
          const h = v / (b1 - b0) / 1000 * (STATE - 10);
          if (st.name === "idle" || h <= 0) continue;
          g.fillStyle = css(STATE_COLOR[st.name] || "launch");
          g.fillRect(x, base - h, step + 0.4, h);
          base -= h;
        }
      }
      y += STATE;
    }
    for (const lane of lanes) {
      const LANE = tall(lane);
      label(lane.label, LANE, lane.kind === "share" ? percent(lane.mean) : null);
      g.fillStyle = grid;
      g.fillRect(LABEL, y + LANE - 5, box.width - LABEL, 1);
      g.fillStyle = css(lane.color);
      const H = LANE - 9;
      g.beginPath();
      g.moveTo(LABEL, y + LANE - 5);
      for (let x = LABEL; x <= box.width; x++) {
        const b0 = Math.floor(x2t(x) / bins), b1 = Math.max(b0 + 1, Math.floor(x2t(x + 1) / bins));
        let v = 0;
        for (let b = b0; b < b1; b++) {
          const value = lane.values[Math.min(b, lane.values.length - 1)] || 0;
          v = lane.kind === "level" ? Math.max(v, value) : v + value / (b1 - b0);
        }
        g.lineTo(x, y + LANE - 5 - v / 1000 * H);
      }
      g.lineTo(box.width, y + LANE - 5);
      g.fill();
      y += LANE;
    }
    const width = view[1] - view[0], raw = width / Math.min(8, (box.width - LABEL) / 75), mag = 10 ** Math.floor(Math.log10(raw));
    const tick = [1, 2, 5, 10].map((m) => m * mag).find((m) => m >= raw);
    g.fillStyle = soft; g.strokeStyle = line;
    for (let t = Math.ceil(view[0] / tick) * tick; t <= view[1]; t += tick) {
      const x = t2x(t);
      g.globalAlpha = 0.5; g.beginPath(); g.moveTo(x, 0); g.lineTo(x, y); g.stroke(); g.globalAlpha = 1;
      if (x < box.width - 50) g.fillText(si(t, "s", 6), x + 3, y + AXIS / 2);
    }
  }
  function what(e) {
    const x = e.clientX - box.left, y = e.clientY - box.top;
    if (x < LABEL) return null;
    const t = x2t(x), b = Math.floor(t / bins);
    let text = si(t, "s", 6);
    if (BAND) {
      const at = timeline.spans.find(([begin, length]) => begin / 1e6 <= t && t < (begin + length) / 1e6);
      if (at) text += `\n${timeline.names[at[2]]}: ${si(at[1] / 1e6, "s")}, bound by ${opCause.get(timeline.names[at[2]]) || "–"}`;
    }
    if (STATE && y > BAND && y < BAND + STATE)
      text += timeline.states.filter((s) => s.values[b] > 0).map((s) => `\n${s.name} ${percent(s.values[b] / 1000)}`).join("");
    let top = BAND + STATE;
    const lane = lanes.find((l) => y >= top && y < (top += tall(l)));
    if (lane) {
      const v = (lane.values[Math.min(b, lane.values.length - 1)] || 0) / 1000;
      text += `\n${lane.label}${lane.kind === "share" ? " busy" : ""}: ${lane.kind === "share" ? percent(v) : si(v * lane.most, lane.unit)}`;
    }
    return text;
  }
  let drag = null;
  canvas.addEventListener("pointermove", (e) => {
    if (drag) setView(drag.view[0] - (e.clientX - drag.x) / (box.width - LABEL) * (drag.view[1] - drag.view[0]), drag.view[1] - (e.clientX - drag.x) / (box.width - LABEL) * (drag.view[1] - drag.view[0]));
    tip(e, what(e));
  });
  canvas.addEventListener("pointerleave", (e) => tip(e, null));
  canvas.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, view: [...view] }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && document.activeElement !== canvas) return; /* else the page scrolls */
    e.preventDefault();
    zoomBy(e.deltaY > 0 ? 1.25 : 0.8, x2t(Math.max(LABEL, e.clientX - box.left)));
  }, { passive: false });
  canvas.addEventListener("dblclick", (e) => zoomBy(0.25, x2t(Math.max(LABEL, e.clientX - box.left))));
  canvas.addEventListener("keydown", (e) => {
    const width = view[1] - view[0], middle = (view[0] + view[1]) / 2;
    const keys = { "+": () => zoomBy(0.5, middle), "=": () => zoomBy(0.5, middle), "-": () => zoomBy(2, middle), "0": () => setView(0, timeline.seconds),
      ArrowLeft: () => setView(view[0] - width / 8, view[1] - width / 8), ArrowRight: () => setView(view[0] + width / 8, view[1] + width / 8),
      Home: () => setView(0, width), End: () => setView(timeline.seconds - width, timeline.seconds) };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  drawers.push(draw);
  return draw;
}

function laneOf(lane) {
  const unit = lane.name.split(".").find((p) => /^(mxu|vpu|xlu|hbm|ici|pcie|host|storage)/.test(p)) || "";
  const kind = unit.replace(/\d+$/, "");
  const label = lane.name.replace(/^chip0\.(core0\.)?/, "").replace(/\.bytes$/, "").replace(/^sequencer\./, "");
  return { ...lane, mean: sum(lane.values) / 1000 / (lane.values.length || 1), label: lane.kind === "rate" ? `${label}, ${si(lane.most, lane.unit, 3)}` : lane.kind === "level" ? `${label}, ${si(lane.most, lane.unit, 3)}` : label,
    color: CAUSES.includes(kind) ? kind : lane.name.includes("->") ? "ici" : lane.kind === "level" ? "sync" : "launch" };
}
const busy = (l) => l.values.some((v) => v > 0);
const hostLane = (l) => /^(host|chip0\.pcie)/.test(l.name);

function lanes() {
  if (!timeline) return;
  const s = section("timeline", "Units over the step", "The operations of the first core, coloured by what they wait for; below, what its units and its chip do. A lane is full at 100 % busy, or at its largest rate; beside its name is how busy it is on average.");
  view = [0, timeline.seconds];
  const button = (text, label, act) => el("button", { type: "button", "aria-label": label, id: `zoom-${label.replace(/ /g, "-")}`, onclick: act }, text);
  const middle = () => (view[0] + view[1]) / 2, width = () => view[1] - view[0];
  s.append(el("div", { class: "tools" },
    button("+", "zoom in", () => zoomBy(0.5, middle())), button("−", "zoom out", () => zoomBy(2, middle())),
    button("◂", "earlier", () => setView(view[0] - width() / 4, view[1] - width() / 4)), button("▸", "later", () => setView(view[0] + width() / 4, view[1] + width() / 4)),
    button("all", "whole step", () => setView(0, timeline.seconds)), el("span", { id: "zoomed" }),
    el("span", { class: "hint" }, "drag to move, double-click to zoom in; with the picture in focus also the wheel and the keys + − 0 ← →")));
  const shown = timeline.lanes.filter((l) => l.kind !== "level" && !hostLane(l) && busy(l)).map(laneOf);
  lanesCanvas(s, shown, { spans: true, states: true, spanLabel: "operation", label: "Operations and utilization over the step" });
  s.append(key(CAUSES.filter((c) => A.ops.some((o) => o.bound_by === c)).map((c) => [c, `bound by ${c}`])));
  s.append(key(timeline.states.filter((x) => x.name !== "idle").map((x) => [STATE_COLOR[x.name] || "launch", `core: ${x.name}`])));
}

function memory() {
  const s = section("memory", "Memory", "Bytes alive in the HBM of a core: from the operation that writes a value to its last reader.");
  const level = timeline && timeline.lanes.filter((l) => l.kind === "level" && busy(l)).map(laneOf);
  if (level && level.length) lanesCanvas(s, level, { lane: 120, label: "Memory over the step" });
  for (const [i, r] of data.runs.entries()) {
    const m = r.memory;
    if (two) s.append(el("h3", {}, `${"AB"[i]}: ${names[i]}`));
    if (m.roles) {
      const colors = ["mxu", "ici", "storage", "host", "hbm", "vpu", "launch", "sync"], roles = Object.entries(m.roles).filter(([, v]) => v > 0);
      const whole = sum(roles.map(([, v]) => v)) || 1;
      s.append(el("h3", {}, "At the peak"), bar(roles.map(([n, v], k) => [colors[k % 8], v / whole, `${n} ${si(v, "B")}`])),
        key(roles.map(([n, v], k) => [colors[k % 8], `${n} ${si(v, "B")}`])));
    }
    s.append(el("p", {}, `Peak ${si(m.peak_bytes_per_core, "B")} of ${si(m.capacity_bytes_per_core, "B")} a core (${percent(m.peak_bytes_per_core / m.capacity_bytes_per_core)})${m.peak_at ? `, at ${m.peak_at}` : ""}: it ${m.fits ? "fits" : "does not fit"}.`));
    if (m.remedies && m.remedies.length)
      s.append(el("ul", {}, m.remedies.map((x) => el("li", {}, `${x.what}: ${si(x.peak_bytes_per_core, "B")}, ${x.fits ? "fits" : "does not fit"}`))));
  }
}

/* --- roofline ----------------------------------------------------------------------------- */

function byName(r) {
  const all = new Map();
  for (const o of r.ops) {
    const k = `${o.name}\n${o.kind}`;
    let w = all.get(k);
    if (!w) all.set(k, w = { name: o.name, kind: o.kind, phase: o.phase, count: 0, seconds: 0, flops: 0, bytes: 0, macs: 0, causes: {}, slots: { capacity: 0, useful: 0, waiting: {} }, advice: [] });
    w.count += o.count; w.seconds += o.seconds; w.flops += o.flops; w.bytes += o.hbm_bytes; w.macs += (o.mxu || 0) * o.seconds;
    for (const c of CAUSES) w.causes[c] = (w.causes[c] || 0) + o.time_by_cause[c];
    for (const [n] of SLOTS) if (n !== "waiting") w.slots[n] = (w.slots[n] || 0) + (o.mxu_slots[n] || 0);
    for (const c of CAUSES) w.slots.waiting[c] = (w.slots.waiting[c] || 0) + (o.mxu_slots.waiting[c] || 0);
    w.slots.capacity += o.mxu_slots.capacity;
    if (!w.advice.length && o.mxu_waste.advice) w.advice = o.mxu_waste.advice;
  }
  const list = [...all.values()];
  for (const w of list) {
    w.bound_by = CAUSES.reduce((a, c) => w.causes[c] > w.causes[a] ? c : a, CAUSES[0]);
    w.mxu = w.seconds ? w.macs / w.seconds : 0;
  }
  return list;
}

function roofline() {
  const s = section("roofline", "Roofline", "FLOP/s of each operation over its FLOP per byte of HBM; the size of a dot is its share of the step. A dot far below the roof waits for something else, or leaves the matrix units idle.");
  const holder = el("div", { class: two ? "split" : "" });
  for (const [i, r] of data.runs.entries()) {
    const peak = r.slice && r.slice.peak_flops_per_core, rate = r.slice && r.slice.hbm_bytes_per_second_per_core;
    const ops = byName(r).filter((o) => o.flops > 0 && o.bytes > 0 && o.seconds > 0);
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
      el("svg:text", { class: "strong", x: W - R, y: Y(peak) - 6, "text-anchor": "end" }, `${si(peak, "FLOP/s")} of a core`),
      el("svg:text", { class: "strong", x: X(ridge) - 12, y: Y(peak) - 6, "text-anchor": "end" }, `${si(rate, "B/s")} of HBM`),
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
  const s = section("waste", "Waste of the matrix units", "What became of each multiply-accumulate that the matrix units could have done in the step.");
  for (const [i, r] of data.runs.entries())
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", slotBar(r.mxu_slots));
  const used = SLOTS.filter(([n]) => data.runs.some((r) => slot(r.mxu_slots, n) > 0));
  s.append(key(used.map(([n, c, text]) => [c, `${text} ${data.runs.map((r) => percent(slot(r.mxu_slots, n) / r.mxu_slots.capacity)).join(" → ")}`])));
  for (const [i, r] of data.runs.entries()) {
    const all = r.mxu_slots.capacity - r.mxu_slots.useful;
    const lost = (o) => o.slots.capacity - o.slots.useful;
    s.append(el("h3", {}, two ? `${"AB"[i]}: where it is lost` : "Where it is lost"),
      table([["operation", (o) => o.name, null, "text"], ["of all waste", lost, (o) => percent(lost(o) / all)],
        ["useful", (o) => o.slots.capacity ? o.slots.useful / o.slots.capacity : null, (o) => percent(o.slots.capacity ? o.slots.useful / o.slots.capacity : null)],
        ["its slots", (o) => o.slots.capacity, (o) => el("div", { style: "min-width:14rem" }, slotBar(o.slots)), "text"],
        ["what would help", (o) => o.advice[0] || "", null, "text wrap"]],
      byName(r).filter((o) => o.slots.capacity).sort((a, b) => lost(b) - lost(a)).slice(0, 12), { sort: 1 }));
  }
}

/* --- links -------------------------------------------------------------------------------- */

function heat(v) { /* from the panel's colour to that of a full link */
  return `color-mix(in srgb, ${color("host")} ${Math.round(100 * Math.min(1, v))}%, ${color("grid")})`;
}

function links() {
  const s = section("links", "Links between chips", "Bytes in each direction of each link, against the busiest; chips stand as in the mesh. Dashed links go around its edge.");
  const holder = el("div", { class: two ? "split" : "" });
  s.append(holder);
  for (const [i, r] of data.runs.entries()) {
    const box = el("div", {}, two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : null);
    holder.append(box);
    if (!r.links.length) { box.append(el("p", {}, "This machine has one chip: there is no link.")); continue; }
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
      const text = `${l.name}\n${si(l.bytes, "B")} a step, ${percent(l.utilization, 2)} of its bandwidth`;
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
      squares.push(el("svg:rect", { x: x - node / 2, y: y - node / 2, width: node, height: node, rx: node * 0.16, fill: color("panel"), stroke: color("line"), ...spoken(`chip${c}: ${si(total.get(c) || 0, "B")} in and out a step`) }));
      svg.append(squares[c]);
      if (!big) svg.append(el("svg:text", { x, y: y + 4, "text-anchor": "middle", style: `font-size:${Math.min(13, node * 0.42)}px` }, c));
    }
    walkable(svg, squares);
    const used = r.links.filter((l) => l.bytes > 0);
    const ramp = el("div", { class: "ramp" }, el("span", {}, "0 B"), el("i", {}), el("span", {}, `${si(most, "B")} a step`));
    const side = el("div", {}, ramp, el("p", {}, `${count(used.length)} of ${count(r.links.length)} directions carry something; the busiest moves ${si(most, "B")} a step, ${percent(Math.max(...r.links.map((l) => l.utilization)), 2)} of its bandwidth.`));
    side.append(table([["link", (l) => l.name, null, "text"], ["bytes a step", (l) => l.bytes, (l) => si(l.bytes, "B")], ["of its bandwidth", (l) => l.utilization, (l) => percent(l.utilization, 2)]],
      [...r.links].sort((a, b) => b.bytes - a.bytes).slice(0, 8), { sort: 1 }));
    box.append(el("div", { class: two ? "" : "split" }, el("div", {}, svg), side));
  }
}

/* --- host --------------------------------------------------------------------------------- */

function host() {
  const s = section("host", "Host pipeline", "From storage through input preparation on the host and PCIe to the cores: each stage works ahead of the next until its queue is full.");
  const stages = [["storage", "storage", "storage"], ["host prepares input or serves calls", "host", "host"], ["PCIe", "pcie", "pcie"]];
  const columns = [["stage", (x) => x[0], null, "text"]];
  for (const [i, r] of data.runs.entries()) {
    const p = two ? `${"AB"[i]}: ` : "";
    columns.push([`${p}busy`, (x) => r.utilization[x[1]] ?? null, (x) => percent(r.utilization[x[1]])]);
    columns.push([`${p}cores wait for it`, (x) => r.time_by_cause[x[2]], (x) => `${si(r.time_by_cause[x[2]], "s")}, ${percent(r.time_by_cause[x[2]] / r.seconds_per_step)}`]);
  }
  s.append(table(columns, stages, { sort: 0, down: false }));
  const shown = timeline && timeline.lanes.filter((l) => l.kind !== "level" && hostLane(l) && busy(l)).map(laneOf);
  if (shown && shown.length) lanesCanvas(s, shown, { label: "Host and PCIe over the step" });
  const slowest = stages.reduce((a, b) => (A.utilization[b[1]] ?? 0) > (A.utilization[a[1]] ?? 0) ? b : a);
  s.append(el("p", {}, `${two ? "In A the" : "The"} stage with most to do is ${slowest[0]}: ${percent(A.utilization[slowest[1]])} of the time. Calls from the cores to the host (${percent(A.time_by_cause.fallback / A.seconds_per_step)} fall-back operations) wait here too.`));
}

/* --- operations --------------------------------------------------------------------------- */

function operations() {
  const s = section("operations", "Operations", two ? "By name, over all phases." : null);
  const counter = el("span", { class: "hint", id: "shown" });
  let t;
  const LIMIT = 40;
  if (!two) {
    const cap = (o) => o.mxu_slots.capacity;
    t = table([["operation", (o) => o.name, null, "text"], ["kind", (o) => o.kind, null, "text"], ["phase", (o) => o.phase, null, "text"],
      ["runs", (o) => o.count, (o) => count(o.count)], ["time", (o) => o.seconds, (o) => si(o.seconds, "s")], ["share", (o) => o.seconds, (o) => percent(o.seconds / A.seconds_per_step)],
      ["bound by", (o) => o.bound_by, (o) => [el("span", { class: "swatch", style: `background:${color(o.bound_by)}` }), ` ${o.bound_by}`], "text"],
      ["FLOP", (o) => o.flops, (o) => si(o.flops, "")], ["HBM", (o) => o.hbm_bytes, (o) => si(o.hbm_bytes, "B")],
      ["of peak", (o) => o.mxu, (o) => o.mxu ? percent(o.mxu) : "–"], ["useful slots", (o) => cap(o) ? o.mxu_slots.useful / cap(o) : 0, (o) => cap(o) && o.mxu_slots.useful ? percent(o.mxu_slots.useful / cap(o)) : "–"],
      ["what would help", (o) => (o.mxu_waste.advice || [])[0] || "", null, "text wrap"]], A.ops, { sort: 4, limit: LIMIT, count: counter, text: (o) => `${o.name} ${o.kind} ${o.phase} ${o.bound_by}` });
  } else {
    const all = new Map();
    for (const [i, r] of data.runs.entries()) for (const o of byName(r)) {
      const k = `${o.name}\n${o.kind}`;
      if (!all.has(k)) all.set(k, { name: o.name, kind: o.kind, run: [null, null] });
      all.get(k).run[i] = o;
    }
    const time = (x, i) => x.run[i] ? x.run[i].seconds : 0, change = (x) => time(x, 1) - time(x, 0);
    const cause = (o) => o ? [el("span", { class: "swatch", style: `background:${color(o.bound_by)}` }), ` ${o.bound_by}`] : "–";
    t = table([["operation", (x) => x.name, null, "text"], ["kind", (x) => x.kind, null, "text"],
      ["A: time", (x) => time(x, 0), (x) => x.run[0] ? si(time(x, 0), "s") : "–"], ["B: time", (x) => time(x, 1), (x) => x.run[1] ? si(time(x, 1), "s") : "–"],
      ["B − A", change, (x) => el("span", { class: change(x) > 0 ? "bad" : change(x) < 0 ? "good" : "" }, si(change(x), "s"))],
      ["|B − A|", (x) => Math.abs(change(x)), (x) => percent(Math.abs(change(x)) / A.seconds_per_step)],
      ["A bound by", (x) => x.run[0] ? x.run[0].bound_by : "", (x) => cause(x.run[0]), "text"], ["B bound by", (x) => x.run[1] ? x.run[1].bound_by : "", (x) => cause(x.run[1]), "text"],
      ["A: of peak", (x) => x.run[0] ? x.run[0].mxu : 0, (x) => x.run[0] && x.run[0].mxu ? percent(x.run[0].mxu) : "–"], ["B: of peak", (x) => x.run[1] ? x.run[1].mxu : 0, (x) => x.run[1] && x.run[1].mxu ? percent(x.run[1].mxu) : "–"]],
    [...all.values()], { sort: 5, limit: LIMIT, count: counter, text: (x) => `${x.name} ${x.kind}` });
  }
  const more = el("button", { type: "button", id: "more", "aria-pressed": "false", onclick: () => {
    const on = more.getAttribute("aria-pressed") !== "true";
    more.setAttribute("aria-pressed", on);
    more.textContent = on ? "show the first only" : "show all";
    t.setLimit(on ? Infinity : LIMIT);
  } }, "show all");
  s.append(el("div", { class: "tools" }, el("label", {}, "find ", el("input", { type: "search", id: "find", oninput: (e) => t.setFilter(e.target.value) })), more, counter), t);
}

function provenance() {
  const s = section("provenance", "Provenance");
  for (const [i, r] of data.runs.entries()) {
    const p = r.provenance;
    s.append(two ? el("h3", {}, `${"AB"[i]}: ${names[i]}`) : "", el("dl", {}, [["machine", r.machine], ["trace", r.trace], ["steps measured", r.steps],
      ["trace checksum", p.trace_checksum], ["machine checksum", p.machine_checksum], ["parameters changed", p.parameters_changed.join(", ") || "none"],
      ["costed as memory traffic alone", r.uncovered.ops ? `${r.uncovered.ops} operations of unknown kind, ${percent(r.uncovered.share)} of the time` : "nothing"],
      ["made by", `cyclotron ${p.version}`]].map(([k, v]) => [el("dt", {}, k), el("dd", {}, String(v))])));
  }
}

/* --- the page ----------------------------------------------------------------------------- */

function theme(name) {
  document.documentElement.dataset.theme = name;
  redraw();
}
$("title").textContent = two ? `${short(A)}: ${names[0]} and ${names[1]}` : `${short(A)} on ${A.machine}`;
$("subtitle").textContent = A.slice ? data.runs.map((r) => `${r.slice.cores} cores, ${r.slice.chips} chips, ${r.slice.hosts} hosts`.replace(/\b1 (core|chip|host)s/g, "1 $1")).join("; ") : "";
document.title = `${$("title").textContent} – cyclotron`;
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
for (const part of [verdict, causes, lanes, roofline, memory, waste, links, host, operations, provenance]) part();
if (timeline) setView(0, timeline.seconds);
else redraw();
document.body.append(el("footer", {}, "Keys: ", [["1 … 9", "sections"], ["j k", "next and previous section"], ["/", "find an operation"], ["t", "light or dark"], ["Tab and arrows", "through pictures"]]
  .map(([k, what], i) => [i ? ", " : "", el("kbd", {}, k), ` ${what}`]), "."));
const sections = [...document.querySelectorAll("main > section")], ways = [...document.querySelectorAll("#nav a")];
let here = 0; /* the section that is read */
function mark() {
  const at = sections.findLastIndex((x) => x.getBoundingClientRect().top < 120);
  here = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 ? Math.max(here, at) : Math.max(0, at);
  ways.forEach((w, i) => i === here ? w.setAttribute("aria-current", "true") : w.removeAttribute("aria-current"));
}
function go(i) {
  if (!sections[i]) return;
  sections[i].scrollIntoView();
  here = i;
}
addEventListener("scroll", mark, { passive: true });
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
    if (e.key === "Escape" && e.target.id === "find") e.target.blur();
    return;
  }
  if (/^[1-9]$/.test(e.key)) go(e.key - 1);
  else if (e.key === "j") go(here + 1);
  else if (e.key === "k") go(here - 1);
  else if (e.key === "t") $("theme").click();
  else if (e.key === "/") { e.preventDefault(); $("find").focus(); }
});
mark();
addEventListener("resize", redraw);
/* paper is light, and 186 mm wide: pictures are drawn for that */
let worn = null;
addEventListener("beforeprint", () => {
  worn = document.documentElement.dataset.theme;
  $("main").style.width = "186mm";
  theme("light");
});
addEventListener("afterprint", () => {
  $("main").style.width = "";
  if (worn) theme(worn);
});
document.documentElement.dataset.ready = "true";
})();
