/* The sections of the page of a profile; report/html/profile_page.h describes `data`. */
const P = data.report, kernels = P.kernels, HUE = { mxu: "mxu", vector: "vpu", movement: "hbm", collective: "ici", feed: "pcie", idle: "launch", gap: "host" };
const NEAR = 0.15; /* of the band around the diagonal */
let pictures = [];
const redraw = () => pictures.forEach((draw) => draw());

const errorOf = (predicted, measured) => measured > 0 ? predicted / measured - 1 : null;
const lost = (k) => Math.abs(k.predicted_seconds - k.measured_seconds);
const shape = (k) => `${k.name}${k.measured_name === k.name ? "" : `, measured as ${k.measured_name}`}`;
const words = (k) => [shape(k), data.classes[k.class][0], `${count(k.count)} times a step`, `predicted ${si(k.predicted_seconds, "s")}`, `measured ${si(k.measured_seconds, "s")}, ${signed(errorOf(k.predicted_seconds, k.measured_seconds))}`,
  ...k.source ? [k.source] : []].join("\n");

/* --- verdict ------------------------------------------------------------------------------ */

function verdict() {
  const s = section("verdict", "Verdict"), sums = P.step.measured_is_sum_of_kernels;
  const ours = sums ? P.step.predicted_kernel_seconds : P.step.predicted_seconds, theirs = P.step.measured_seconds;
  s.append(el("p", { class: "verdict" }, `Predicted ${si(ours, "s")}, measured ${si(theirs, "s")}${sums ? ", both in kernels" : ""}: ${signed(errorOf(ours, theirs))}.`));
  if (P.doubtful) s.append(el("p", { class: "note" }, "Few names and kernels agree: is this a profile of that program?"));
  if (P.host_wait_seconds) s.append(el("p", {}, `For ${si(P.host_wait_seconds, "s")} of the measured step nothing ran and nothing was launched yet: the host was the pace.`));
  const A = P.account, all = A && sum(Object.values(A.seconds));
  if (A) s.append(el("p", {}, `The prediction rests on ${Object.entries(A.seconds).filter(([, v]) => v > 0).map(([k, v]) => `${percent(v / all)} ${k}`).join(", ")}${A.at_least ? "; work is left out" : ""}${A.known < 0.95 ? `; ${unknownOf(A, "it")} is not known` : ""}.`));
  const near = kernels.filter((k) => k.measured_seconds > 0 && Math.abs(errorOf(k.predicted_seconds, k.measured_seconds)) <= NEAR);
  const tiles = [[percent(P.weighted_error), "of the measured kernel time is predicted otherwise"], [percent(P.matched_share), "of it has a partner in the prediction"],
    [percent(sum(near.map((k) => k.measured_seconds)) / sum(kernels.map((k) => k.measured_seconds)), 0), `of the time of pairs within ${percent(NEAR, 0)}`], [count(kernels.length), "kernels with a partner"]];
  s.append(el("div", { class: "tiles" }, tiles.map(([v, text]) => el("div", { class: "tile" }, el("b", {}, v), el("span", {}, text)))));
}

/* --- classes ------------------------------------------------------------------------------ */

function classes() {
  const s = section("classes", "Where the difference is", "Classes of kernels and the time without one add up to the step. Host gaps lie between steps.");
  const list = Object.entries(P.classes).filter(([, x]) => x.predicted_seconds || x.measured_seconds), inStep = list.filter(([c]) => c !== "gap");
  const longest = Math.max(P.step.predicted_seconds, P.step.measured_seconds);
  for (const [side, name] of [["predicted_seconds", "predicted"], ["measured_seconds", "measured"]])
    s.append(el("h3", {}, `${name} ${si(P.step[side], "s")}`), bar(inStep.map(([c, x]) => [HUE[c], Math.max(0, x[side]) / longest, `${data.classes[c][0]}: ${si(x[side], "s")} ${name}`, data.classes[c][0]])));
  s.append(key(inStep.map(([c]) => [HUE[c], data.classes[c][0]])), table([["class", ([c]) => data.classes[c][0], null, "text"], ["predicted", ([, x]) => x.predicted_seconds, ([, x]) => si(x.predicted_seconds, "s")],
    ["measured", ([, x]) => x.measured_seconds, ([, x]) => si(x.measured_seconds, "s")], ["difference", ([, x]) => x.predicted_seconds - x.measured_seconds, ([, x]) => si(x.predicted_seconds - x.measured_seconds, "s")],
    ["error", ([, x]) => errorOf(x.predicted_seconds, x.measured_seconds), ([, x]) => signed(errorOf(x.predicted_seconds, x.measured_seconds))], ["what it is", ([c]) => data.classes[c][1], null, "text"]], list, { sort: 2 }));
}

/* --- timelines ---------------------------------------------------------------------------- */

/* Both steps under one another on one axis; wheel with Ctrl and drag look closer. */
function timelines() {
  const sides = [["predicted", data.predicted], ["measured", data.measured]].filter(([, x]) => x && x.spans.length);
  if (sides.length < 2) return;
  const s = section("timeline", "Both timelines", "One step as predicted and one run as measured, of median length, on one axis. Look closer with + and −, or with the wheel once the picture has the focus, move by a drag or the arrows, 0 shows all.");
  const of = new Map(); /* class and partner by name */
  for (const k of [...kernels, ...P.unmatched]) { of.set(k.name, k); if (k.measured_name) of.set(`measured ${k.measured_name}`, k); }
  const find = (side, name) => of.get(side === "measured" ? `measured ${name}` : name.replace(/:\d+$/, "")) || of.get(name);
  const end = Math.max(...sides.flatMap(([, x]) => x.spans.map(([begin, length]) => begin + length))), BAND = 44, AXIS = 24, LABEL = 90;
  const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `Kernels of a step, predicted above measured, ${si(end / 1e6, "s")}` });
  canvas.style.height = `${2 * BAND + AXIS}px`;
  let view = [0, end], box = { width: 0 };
  const t2x = (t) => LABEL + (t - view[0]) / (view[1] - view[0]) * (box.width - LABEL), x2t = (x) => view[0] + (x - LABEL) / (box.width - LABEL) * (view[1] - view[0]);
  function draw() {
    box = canvas.getBoundingClientRect();
    const scale = devicePixelRatio || 1, g = canvas.getContext("2d");
    canvas.width = Math.round(box.width * scale); canvas.height = Math.round((2 * BAND + AXIS) * scale);
    g.scale(scale, scale); g.font = "12px system-ui, sans-serif"; g.textBaseline = "middle";
    sides.forEach(([side, x], row) => {
      const y = row * BAND;
      g.fillStyle = css("ink"); g.fillText(side, 2, y + BAND / 2);
      let last = -1;
      for (const [begin, length, name] of x.spans) {
        if (begin + length < view[0] || begin > view[1]) continue;
        const left = Math.max(LABEL, t2x(begin)), w = Math.min(box.width, t2x(begin + length)) - left;
        if (w < 0.3 && left - last < 0.7) continue;
        last = left;
        const k = find(side, x.names[name]);
        const hue = k ? HUE[k.class] : "launch";
        g.fillStyle = css(hue);
        g.fillRect(left, y + 4, Math.max(w - (w > 3 ? 1 : 0), 0.5), BAND - 8);
        if (w > 46) { g.save(); g.beginPath(); g.rect(left, y, w - 3, BAND); g.clip(); g.fillStyle = over(hue); g.fillText(x.names[name], left + 4, y + BAND / 2); g.restore(); }
      }
    });
    g.fillStyle = css("soft"); g.textAlign = "center";
    const parts = box.width < 520 ? 2 : 4;
    for (let i = 0; i <= parts; i++) { const t = view[0] + i / parts * (view[1] - view[0]); g.fillText(si(t / 1e6, "s", 3), Math.min(box.width - 28, Math.max(LABEL + 20, t2x(t))), 2 * BAND + AXIS / 2); }
    g.textAlign = "left";
  }
  function look(from, to) {
    const width = Math.min(end, Math.max(end / 1e5, to - from)), begin = Math.min(end - width, Math.max(0, from));
    view = [begin, begin + width];
    draw();
  }
  const zoom = (by, at) => look(at - (at - view[0]) * by, at + (view[1] - at) * by);
  function what(e) {
    const x = e.clientX - box.left, row = Math.floor((e.clientY - box.top) / BAND), t = x2t(x);
    if (x < LABEL || !sides[row]) return null;
    const hit = sides[row][1].spans.find(([begin, length]) => begin <= t && t < begin + length);
    if (!hit) return `${sides[row][0]}, ${si(t / 1e6, "s")}: no kernel`;
    const name = sides[row][1].names[hit[2]], k = find(sides[row][0], name);
    return `${name}: ${si(hit[1] / 1e6, "s")} ${sides[row][0]}${k && k.measured_name ? `\n${words(k)}` : ""}`;
  }
  let drag = null;
  canvas.addEventListener("pointermove", (e) => {
    if (drag) { const by = (e.clientX - drag.x) / (box.width - LABEL) * (drag.view[1] - drag.view[0]); look(drag.view[0] - by, drag.view[1] - by); }
    tip(e, what(e));
  });
  canvas.addEventListener("pointerleave", (e) => tip(e, null));
  canvas.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, view: [...view] }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("wheel", (e) => { if (!e.ctrlKey && document.activeElement !== canvas) return; e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, x2t(Math.max(LABEL, e.clientX - box.left))); }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const width = view[1] - view[0], middle = (view[0] + view[1]) / 2;
    const keys = { "+": () => zoom(0.5, middle), "=": () => zoom(0.5, middle), "-": () => zoom(2, middle), "0": () => look(0, end), ArrowLeft: () => look(view[0] - width / 8, view[1] - width / 8), ArrowRight: () => look(view[0] + width / 8, view[1] + width / 8) };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  s.append(canvas, key(Object.keys(HUE).filter((c) => !["idle", "gap"].includes(c)).map((c) => [HUE[c], data.classes[c][0]])));
  pictures.push(draw);
}

/* --- scatter ------------------------------------------------------------------------------ */

function scatter() {
  const list = kernels.filter((k) => k.predicted_seconds > 0 && k.measured_seconds > 0);
  if (!list.length) return;
  const s = section("scatter", "Kernel by kernel", `Each dot is a kernel with all its occurrences in a step. On the diagonal the prediction is right; the band is ${percent(NEAR, 0)} either way. Rest the pointer on a dot, or go through them with Tab and the arrows.`);
  const all = list.flatMap((k) => [k.predicted_seconds, k.measured_seconds]), low = Math.min(...all) / 1.3, high = Math.max(...all) * 1.3;
  const picture = el("div");
  function draw() {
    const W = Math.max(360, Math.min(900, $("main").clientWidth - 60)), H = Math.min(560, W), left = 84, bottom = 52, top = 14, right = 18;
    const share = (v) => Math.log(v / low) / Math.log(high / low), x = (v) => left + share(v) * (W - left - right), y = (v) => H - bottom - share(v) * (H - bottom - top);
    const svg = el("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `${list.length} kernels, measured across, predicted up` });
    const every = Math.ceil(58 / (x(10 * low) - x(low))); /* decades from one text to the next */
    for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high); power++) {
      const v = 10 ** power;
      svg.append(el("svg:path", { class: "grid", d: `M${x(v)} ${top}V${H - bottom}M${left} ${y(v)}H${W - right}` }), el("svg:text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, si(v, "s")));
      if (power % every === 0) svg.append(el("svg:text", { x: x(v), y: H - bottom + 18, "text-anchor": "middle" }, si(v, "s")));
    }
    const up = 1 + NEAR, down = 1 - NEAR;
    svg.append(el("svg:path", { d: `M${x(low)} ${y(low * up)}L${x(high / up)} ${y(high)}L${x(high)} ${y(high)}L${x(high)} ${y(high * down)}L${x(low / down)} ${y(low)}L${x(low)} ${y(low)}Z`, style: "fill:var(--grid);stroke:none;opacity:.7" }),
      el("svg:path", { class: "axis", d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}` }), el("svg:text", { class: "strong", x: (left + W - right) / 2, y: H - 8, "text-anchor": "middle" }, "measured, seconds of a step"),
      el("svg:text", { class: "strong", transform: `translate(14 ${(top + H - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "predicted"));
    const most = Math.max(...list.map(lost)), marks = [...list].reverse().map((k) => {
      const m = el("svg:circle", { class: "dot", cx: x(k.measured_seconds), cy: y(k.predicted_seconds), r: 3 + 6 * Math.sqrt(lost(k) / (most || 1)), style: `fill:var(--${HUE[k.class]});fill-opacity:.75;stroke:var(--panel)`, ...spoken(words(k)) });
      svg.append(m);
      return m;
    });
    walkable(svg, marks.reverse());
    picture.replaceChildren(svg, key([...new Set(list.map((k) => k.class))].map((c) => [HUE[c], data.classes[c][0]])));
  }
  s.append(picture, el("p", { class: "note" }, "Larger dots cost more seconds of difference."));
  pictures.push(draw);
}

/* --- tables ------------------------------------------------------------------------------- */

function kernelTable() {
  const s = section("kernels", "Kernels", "Most seconds of difference first. The estimate is the compiler's own. Sort by a click on a heading."), shown = el("span", { class: "hint" });
  const t = table([["kernel", (k) => k.name, shape, "text"], ["class", (k) => data.classes[k.class][0], null, "text"], ["times a step", (k) => k.count, (k) => count(k.count)], ["predicted", (k) => k.predicted_seconds, (k) => si(k.predicted_seconds, "s")],
    ["measured", (k) => k.measured_seconds, (k) => si(k.measured_seconds, "s")], ["ratio", (k) => k.measured_seconds ? k.predicted_seconds / k.measured_seconds : null, (k) => k.measured_seconds ? (k.predicted_seconds / k.measured_seconds).toFixed(2) : "–"],
    ["estimate", (k) => k.estimated_seconds, (k) => si(k.estimated_seconds, "s")], ["difference", lost, (k) => si(k.predicted_seconds - k.measured_seconds, "s")], ["source", (k) => k.source, null, "text"]], kernels, { sort: 7, limit: 50, count: shown, text: words });
  s.append(el("div", { class: "tools" }, el("input", { id: "find", type: "search", placeholder: "find a kernel", "aria-label": "find a kernel", oninput: (e) => t.setFilter(e.target.value) }),
    el("button", { type: "button", onclick: (e) => { t.setLimit(Infinity); e.target.remove(); } }, "show all"), shown), t);
}
function rest() {
  if (P.unmatched.length)
    section("unmatched", "Without a partner", "Kernels that only the prediction or only the profile has.").append(table([["kernel", (k) => k.name, null, "text"], ["only", (k) => k.side, null, "text"], ["class", (k) => data.classes[k.class][0], null, "text"],
      ["times a step", (k) => k.count, (k) => count(k.count)], ["time", (k) => k.seconds, (k) => si(k.seconds, "s")], ["of the step", (k) => k.share_of_step, (k) => percent(k.share_of_step)]], P.unmatched, { sort: 4, limit: 200 }));
  const c = P.calibration;
  if (c)
    section("calibration", "Calibration", `Fitted on ${c.fitted_on.kernels} kernels: ${percent(c.fitted_on.weighted_error_before)} of their time was predicted otherwise, now ${percent(c.fitted_on.weighted_error_after)}. `
      + `Held out, ${c.held_out.kernels} kernels: ${percent(c.held_out.weighted_error_before)}, now ${percent(c.held_out.weighted_error_after)}.`).append(table([["constant", (k) => k.key, null, "text"], ["before", (k) => k.before, null, "text"], ["after", (k) => k.after, null, "text"],
      ["standard error", (k) => k.standard_error, (k) => k.standard_error === null ? "–" : percent(k.standard_error)], ["left alone because", (k) => k.left_alone || "", null, "text"]], c.constants, { sort: 0, down: false }));
}

$("title").textContent = P.program.replace(/^.*\//, "");
$("subtitle").textContent = `${P.machine} beside ${P.profile.replace(/^.*\//, "")}, ${P.format}`;
document.title = `${$("title").textContent} – cyclotron`;
verdict();
classes();
timelines();
scatter();
kernelTable();
rest();
redraw();
document.body.append(el("footer", {}, "Keys: ", [["1 … 9", "sections"], ["j k", "next and previous section"], ["/", "find a kernel"], ["t", "light or dark"], ["Tab and arrows", "through dots"]]
  .map(([k, what], i) => [i ? ", " : "", el("kbd", {}, k), ` ${what}`]), "."));
