/* What every page has: helpers that draw.  It is the first part of a script; page_end.js is the last. */
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

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
/* Black or white, whichever reads better on a color of the page. */
function over(name) {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(css(name).slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}
function si(v, unit, digits = 4) {
  if (v === null || v === undefined) return "–";
  if (v === 0) return `0 ${unit}`;
  const steps = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9], ["p", 1e-12]];
  const [prefix, scale] = steps.find(([, s]) => Math.abs(v) >= s * 0.9999999) || steps[steps.length - 1];
  return `${+(v / scale).toPrecision(digits)} ${prefix}${unit}`;
}
/* Bytes of memory, as texts have them. */
function iec(v) {
  if (v === null || v === undefined) return "–";
  const steps = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]];
  const [unit, scale] = steps.find(([, s]) => Math.abs(v) >= s) || ["B", 1];
  return `${+(v / scale).toPrecision(4)} ${unit}`;
}
const percent = (v, places = 1) => v === null || v === undefined ? "–"
  : v && Math.abs(v) < 1e-5 ? "< 0.001 %"
  : `${v && Math.abs(v) < 0.5 * 10 ** (-2 - places) ? +(100 * v).toPrecision(2) : (100 * v).toFixed(places)} %`;
/* A change with its sign; none where the digits are zeros. */
const signed = (v, places = 1) => {
  if (v === null || v === undefined) return "–";
  const digits = Math.abs(100 * v).toFixed(places);
  return `${!Number(digits) ? "" : v > 0 ? "+" : "−"}${digits} %`;
};
const count = (v) => v === null || v === undefined ? "–" : Number(v).toLocaleString("en-US").replaceAll(",", "\u202f");
const sum = (list) => list.reduce((a, b) => a + b, 0);
/* "22.0 % of it", or what is known of operations that may take any time. */
const unknownOf = (account, name) => account.known_or_more
  ? `how long ${count(account.operations_of_any_time)} operation${account.operations_of_any_time === 1 ? "" : "s"} of ${name} take${account.operations_of_any_time === 1 ? "s" : ""}` : `${percent(1 - account.known)} of ${name}`;

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

/* A section with its way there; one that is on the page already starts anew. */
function section(id, title, note) {
  const old = $(id), s = old || el("section", { id, "aria-labelledby": `${id}-h` });
  s.replaceChildren(el("h2", { id: `${id}-h` }, title), ...note ? [el("p", { class: "note" }, note)] : []);
  if (old) return s;
  $("main").append(s);
  $("nav").append(el("a", { href: `#${id}` }, title));
  return s;
}

/* Parts of a whole as one bar: [[color, share, text, label]]; a label stands in its part if that is
 * wide. */
function bar(parts) {
  return el("div", { class: "bar", role: "img", "aria-label": parts.map((p) => p[2]).join("; ") },
    parts.filter((p) => p[1] > 0).map(([c, share, text, label]) =>
      el("i", { style: `width:${100 * share}%;--part:${color(c)}`, ...tips(text) },
        label && share > 0.012 * label.length + 0.03 ? el("b", {}, label) : null)));
}
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
