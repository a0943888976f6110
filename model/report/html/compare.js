/* The sections of the page of machines side by side; html_page.h describes `data`. */
const redraw = () => {};
const all = data.comparison.machines, ran = all.filter((m) => !m.error), refused = all.filter((m) => m.error);
const nameOf = (m) => `${m.trace && m.trace !== data.comparison.trace ? `${m.trace.replace(/^.*\//, "")} on ` : ""}${m.machine}${m.batch ? ` batch=${m.batch}` : ""}`;
const number = (v, unit, digits = 4) => v === null || v === undefined ? "–" : `${+v.toPrecision(digits)}${unit ? ` ${unit}` : ""}`;
const bySample = all.every((m) => m.error || m.samples_per_second !== null);
/* rounded up from a tenth on, as in text */
const errorText = (e) => e >= 0.1 ? `${Math.ceil(e * 100 - 1e-9)} %` : percent(e, 1);
const errorOf = (m) => m.expected && m.expected.error !== null && m.expected.error !== undefined ? m.expected.error : null;
const usd = (m) => bySample ? m.usd_per_million_samples.on_demand : m.usd_per_step.on_demand;
const DEVICE = { TPU: "chip", GPU: "GPU", CPU: "node" };
/* Joules of a sample, or of a step: [least, most]. */
const per = (m) => bySample ? m.samples_per_second : 1 / m.seconds_per_step;
const joules = (m) => m.watts.most === null ? null : m.watts.average === null ? [m.watts.least / per(m), m.watts.most / per(m)] : [m.watts.average / per(m), m.watts.average / per(m)];

function verdict() {
  const s = section("verdict", "Verdict");
  data.verdict.forEach((line, i) => s.append(el("p", { class: i ? "note" : "verdict" }, i ? line.charAt(0).toUpperCase() + line.slice(1) : line)));
}

/* Nobody knows how far off the figure is, or some of the step is not known. */
const doubtOf = (m) => `${errorOf(m) === null ? ", error not known" : ""}${m.account && m.account.known < 0.95 ? `, ${unknownOf(m.account, "it")} not known` : ""}`;

/* A bar of each machine: [least, most] of a figure, or [least, most, expected], by which they stand;
   the part that is uncertain is in another colour. */
function bars(title, note, rangeOf, show, lessIsBetter) {
  const rows = ran.map((m) => ({ m, range: rangeOf(m) })).filter((r) => r.range !== null);
  if (!rows.length) return [];
  const by = (r) => r.range[2] ?? r.range[1];
  rows.sort((x, y) => lessIsBetter ? by(x) - by(y) : by(y) - by(x));
  const most = Math.max(...rows.map((r) => r.range[1])) || 1;
  return [el("h3", {}, title), el("p", { class: "note" }, note), el("div", { class: "bars" }, rows.map(({ m, range: [low, high] }) => [
    el("span", {}, `${nameOf(m)}${m.fits ? "" : " (does not fit)"}${doubtOf(m)}`),
    el("div", { style: `width:${Math.max(1, 100 * high / most)}%` }, bar([[m.fits ? "mxu" : "launch", low / high, `${nameOf(m)}: ${show(low)}${high > low ? ` to ${show(high)}` : ""}`],
      ["storage", 1 - low / high, `uncertain: up to ${show(high)}`]])),
    el("span", { class: "num" }, high > low ? `${show(low)} to ${show(high)}` : show(high)), el("span", { class: "num" })]))];
}

function figures() {
  const s = section("figures", "Speed, cost and energy", "Machines that can run it; the end of a bar in another colour is what the errors to expect, or unknown power, leave open.");
  const speed = (m) => { const v = bySample ? m.samples_per_second : 1 / m.seconds_per_step, e = errorOf(m); return e === null ? [v, v] : [v / (1 + e), v / Math.max(0.05, 1 - e), v]; };
  const cost = (m) => { const v = usd(m), e = errorOf(m); return v === null ? null : e === null ? [v, v] : [v * Math.max(0.05, 1 - e), v * (1 + e), v]; };
  s.append(...bars(bySample ? "Samples a second" : "Steps a second", "The longer, the faster.", speed, (v) => number(v, "", 3), false));
  s.append(...bars(bySample ? "USD for a million samples" : "USD for a step", "On demand; machines without a list price have no bar.", cost, (v) => number(v, "USD", 3), true));
  s.append(...bars(bySample ? "Energy of a sample" : "Energy of a step", "Without hosts.", joules, (v) => si(v, "J", 3), true));
}

function machines() {
  const s = section("machines", "Machines", "Sort by a click on a heading.");
  const best = (m, key) => (data.comparison[key] || []).some((n) => n === m.machine || n.startsWith(`${m.machine} `) || n.endsWith(` on ${m.machine}`));
  const why = (m) => ["cheapest", "fastest", "smallest"].filter((k) => best(m, k)).join(", ");
  s.append(table([
    ["machine", nameOf, null, "text"], ["is", why, null, "text"], ["fits", (m) => m.fits ? "yes" : "no", null, "text"], ["size", (m) => m.chips, (m) => `${m.chips} ${DEVICE[m.kind]}${m.chips === 1 ? "" : "s"}`],
    ["memory", (m) => m.times_capacity, (m) => `${iec(m.peak_bytes_per_core)} of ${iec(m.capacity_bytes_per_core)}`],
    ["step", (m) => m.seconds_per_step, (m) => si(m.seconds_per_step, "s")], ["samples/s", (m) => m.samples_per_second, (m) => number(m.samples_per_second)],
    ["known of the step", (m) => m.account ? m.account.known : null, (m) => m.account ? `${m.account.known_or_more && m.account.known < 0.95 ? "nobody knows how much" : percent(m.account.known)}${m.account.at_least ? ", at least that time" : ""}` : "–"],
    ["error to expect", errorOf, (m) => errorOf(m) === null ? "–" : `± ${errorText(errorOf(m))}`],
    ["epoch", (m) => m.hours_per_epoch, (m) => m.hours_per_epoch === null ? "–" : si(3600 * m.hours_per_epoch, "s")],
    ...(bySample ? [] : [["cost of a step", (m) => m.usd_per_step.on_demand, (m) => number(m.usd_per_step.on_demand, "USD", 3)]]),
    ["cost of an epoch", (m) => m.usd_per_epoch.on_demand, (m) => `${number(m.usd_per_epoch.on_demand, "USD", 3)}${m.usd_per_epoch.on_demand !== null && !m.price_verified ? " [unverified]" : ""}`],
    ["price", (m) => m.price_source || "none is listed", null, "text"], ["preemptible", (m) => m.usd_per_epoch.preemptible, (m) => number(m.usd_per_epoch.preemptible, "USD", 3)],
    ["power", (m) => m.watts.average ?? m.watts.most, (m) => m.watts.average !== null ? si(m.watts.average, "W") : m.watts.most !== null ? `${si(m.watts.least, "W")} to ${si(m.watts.most, "W")}` : "–"],
    ["bound by", (m) => m.limited_by, (m) => el("span", { ...tips(data.causes[m.limited_by] ? `it ${data.causes[m.limited_by]}` : "") }, m.limited_by), "text"]], ran, { sort: 6 }));
  const used = [...new Set(ran.map((m) => m.limited_by))].filter((c) => data.causes[c]);
  if (used.length) s.append(el("dl", {}, used.map((c) => [el("dt", {}, c), el("dd", {}, `it ${data.causes[c]}`)])));
  if (refused.length)
    s.append(el("h3", {}, "Cannot run it"), el("ul", {}, refused.map((m) => el("li", {}, el("b", {}, nameOf(m)), ` ${m.error}`))));
}

$("title").textContent = data.comparison.trace.replace(/^.*\//, "");
$("subtitle").textContent = `${all.length} machine${all.length === 1 ? "" : "s"}, ${ran.filter((m) => m.fits).length} hold it`;
document.title = `${$("title").textContent} – cyclotron`;
verdict();
if (ran.length) figures();
machines();
document.body.append(el("footer", {}, "Keys: ", [["1 … 9", "sections"], ["j k", "next and previous section"], ["t", "light or dark"]]
  .map(([k, what], i) => [i ? ", " : "", el("kbd", {}, k), ` ${what}`]), "."));
