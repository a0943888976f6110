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
      g.fillText(text, 2, y + h / 2, LABEL - 10 - (value ? g.measureText(value).width + 6 : 0));
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
          g.fillStyle = over(opCause.get(timeline.names[name]) || "launch"); g.fillText(timeline.names[name], x + 4, y + BAND / 2 - 1); g.restore();
        }
      }
      y += BAND;
    }
    if (STATE) {
      label(`${SAY.core} waits for`, STATE);
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
      label(box.width < 600 ? lane.label : lane.full, LANE, lane.beside);
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
      text += `\n${lane.label}${lane.kind === "share" ? ` busy: ${percent(v)}` : `: ${amount(lane, v * lane.most)}${ofPeak(lane, v * lane.most)}`}`;
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

/* Bytes of memory as elsewhere on the page; rates in powers of ten. */
const amount = (lane, v, digits) => lane.unit === "B" ? iec(v) : si(v, lane.unit, digits);
const ofPeak = (lane, value) => lane.peak ? `, ${percent(value / lane.peak)} of ${si(lane.peak, lane.unit)}` : "";

function laneOf(lane) {
  const unit = lane.name.split(".").find((p) => /^(mxu|vpu|xlu|hbm|ici|pcie|host|storage)/.test(p)) || "";
  const kind = unit.replace(/\d+$/, "");
  const label = lane.name.replace(/^chip0\.(core0\.)?/, "").replace(/\.bytes$/, "").replace(/^sequencer\./, "").replace(/chip(?=\d)/g, SAY.device);
  const mean = sum(lane.values) / 1000 / (lane.values.length || 1), share = lane.kind === "share";
  return { ...lane, mean, label, full: share ? label : `${label}, ${amount(lane, lane.most, 3)}`,
    beside: share ? percent(mean) : lane.peak ? `max ${percent(lane.most / lane.peak, 0)}` : null,
    color: CAUSES.includes(kind) ? kind : lane.name.includes("->") ? "ici" : lane.kind === "level" ? "sync" : "launch" };
}
const busy = (l) => l.values.some((v) => v > 0);
const hostLane = (l) => /^(host|chip0\.pcie)/.test(l.name);

function lanes() {
  if (!timeline) return;
  const s = section("timeline", "Units over the step", `The operations of the first ${SAY.core}, coloured by what they wait for; below, what its units do. A row of a unit is full at 100 % busy; beside its name is how busy it is on average. A row of bytes is full at its largest rate, which stands beside its name with its share of the peak of that component.`);
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
  s.append(key(timeline.states.filter((x) => x.name !== "idle").map((x) => [STATE_COLOR[x.name] || "launch", `${SAY.core}: ${x.name}`])));
}

function memory() {
  const s = section("memory", "Memory", `Bytes alive in the ${wordsOf(A).memory} of a ${wordsOf(A).core}: from the operation that writes a value to its last reader.`);
  const level = timeline && timeline.lanes.filter((l) => l.kind === "level" && busy(l)).map(laneOf);
  if (level && level.length) lanesCanvas(s, level, { lane: 120, label: "Memory over the step" });
  for (const [i, r] of data.runs.entries()) {
    const m = r.memory;
    if (two) s.append(el("h3", {}, `${"AB"[i]}: ${names[i]}`));
    if (m.roles) {
      const colors = ["mxu", "ici", "storage", "host", "hbm", "vpu", "launch", "sync"], roles = Object.entries(m.roles).filter(([, v]) => v > 0);
      const whole = sum(roles.map(([, v]) => v)) || 1;
      s.append(el("h3", {}, "At the peak"), bar(roles.map(([n, v], k) => [colors[k % 8], v / whole, `${n} ${iec(v)}`])),
        key(roles.map(([n, v], k) => [colors[k % 8], `${n} ${iec(v)}`])));
    }
    s.append(el("p", {}, `Peak ${iec(m.peak_bytes_per_core)} of ${iec(m.capacity_bytes_per_core)} a ${wordsOf(r).core} (${percent(m.peak_bytes_per_core / m.capacity_bytes_per_core)})${m.peak_at ? `, at ${m.peak_at}` : ""}: it ${m.fits ? "fits" : "does not fit"}.`));
    if (m.remedies && m.remedies.length)
      s.append(el("ul", {}, m.remedies.map((x) => el("li", {}, `${x.what}: ${iec(x.peak_bytes_per_core)}, ${x.fits === null ? "by an estimate: it may fit" : x.fits ? "fits" : "does not fit"}`))));
  }
}

