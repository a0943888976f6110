/* Put behind the script of any page: is it whole without a network, by keyboard, and for who sees few colors? */
"use strict";
(async () => {
const bad = window.pageErrors, root = document.documentElement;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));

/* What stands side by side: the causes of a step on slices of TPUs, boxes of GPUs and nodes of CPUs. */
const SETS = ["mxu vpu xlu hbm ici dcn pcie storage host fallback compile launch bubble sync",
  "tensor cuda sfu smem l2 hbm ici dcn pcie storage host compile launch bubble sync",
  "cores cache numa memory pages serial dcn storage host compile launch bubble sync"].map((s) => s.split(" "));
const ROLES = [...new Set(SETS.flat())];
const GRAPHIC = 3, TEXT = 4.5; /* WCAG 2.1, 1.4.11 and 1.4.3: contrast of graphics and of text */
const APART = 7;               /* 100 * distance in Oklab */

const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
/* Whatever CSS calls a color, as linear sRGB. */
const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const linearOf = (text) => {
  pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => linear(v / 255));
};
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
/* Machado, Oliveira, Fernandes 2009: what is seen without one kind of cones. */
const EYES = { "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]] };
const seen = (m, c) => m.map((w) => Math.max(0, Math.min(1, w[0] * c[0] + w[1] * c[1] + w[2] * c[2])));
/* Ottosson 2020 */
const oklab = ([r, g, b]) => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b), m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b),
    s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
};
const apart = (a, b) => 100 * Math.hypot(...a.map((v, i) => v - b[i]));

try {
  /* the scale itself: black on white, and two colors that look alike without red cones */
  check(Math.abs(contrast([0, 0, 0], [1, 1, 1]) - 21) < 1e-9, "the contrast of black and white is not 21");
  check(Math.abs(apart(oklab([0, 0, 0]), oklab([1, 1, 1])) - 100) < 0.01, "black and white are not 100 apart");

  const style = getComputedStyle(root), of = (name) => linearOf(style.getPropertyValue(`--${name}`).trim());
  const label = document.body.appendChild(document.createElement("div")); /* a label in its part of a bar */
  label.className = "bar";
  label.innerHTML = "<i><b>x</b></i>";
  for (const theme of ["light", "dark"]) {
    root.dataset.theme = theme;
    const panel = of("panel"), colors = new Map(ROLES.map((r) => [r, of(r)]));
    for (const name of [...ROLES, "ink", "soft", "accent", "good", "bad"]) {
      const c = contrast(of(name), panel), needed = ROLES.includes(name) ? GRAPHIC : TEXT;
      check(c >= needed, `${theme}: ${name} on its ground has a contrast of ${c.toFixed(2)}`);
    }
    for (const name of ROLES) {
      label.firstChild.style.setProperty("--part", `var(--${name})`);
      const c = contrast(linearOf(getComputedStyle(label.firstChild.firstChild).color), linearOf(getComputedStyle(label.firstChild).backgroundColor));
      check(c >= TEXT, `${theme}: a label on ${name} has a contrast of ${c.toFixed(2)}`);
    }
    for (const [eye, m] of Object.entries(EYES))
      for (const set of SETS)
        set.forEach((a, i) => set.slice(0, i).forEach((b) => {
          const d = apart(oklab(seen(m, colors.get(a))), oklab(seen(m, colors.get(b))));
          check(d >= APART, `${theme}, ${eye}: ${a} and ${b} are ${d.toFixed(1)} apart`);
        }));
  }
  label.remove();
  root.dataset.theme = "light";

  /* without a network */
  check(performance.getEntriesByType("resource").length === 0, "the page loads something");
  check(![...document.querySelectorAll("[href], [src]")].some((e) => /^(https?:)?\/\//.test(e.getAttribute("href") || e.getAttribute("src"))), "the page points into the network");
  check(!/url\(|@import/.test([...document.querySelectorAll("style")].map((s) => s.textContent).join("")), "the style loads something");

  /* by keyboard: every section has its key, every control its name and its turn */
  const press = async (key) => { document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })); await settle(); };
  await press("t");
  check(root.dataset.theme === "dark", "the key t does nothing");
  await press("t");
  root.style.scrollBehavior = "auto";
  const sections = [...document.querySelectorAll("main > section")], top = (i) => Math.round(sections[i].getBoundingClientRect().top);
  await press("2");
  const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2; /* a short page ends there */
  check(top(1) < 140 || end, `the key 2 leaves the second section at ${top(1)}`);
  for (const c of document.querySelectorAll("button, select, input, canvas, a[href]")) {
    const name = c.getAttribute("aria-label") || c.textContent || c.getAttribute("placeholder") || c.labels?.[0]?.textContent;
    check(c.tabIndex >= 0, `${c.tagName} ${name} is not reached by the tab key`);
    check(name && name.trim(), `${c.tagName} ${c.id} has no name`);
  }
  for (const s of document.querySelectorAll("svg"))
    for (const mark of s.querySelectorAll("circle"))
      if (!s.querySelector('[tabindex="0"]')) { check(false, `no mark of ${s.closest("section")?.id} is reached by the tab key`); break; }

  /* on paper */
  await press("t");
  dispatchEvent(new Event("beforeprint"));
  check(root.dataset.theme === "light", "paper is dark");
  dispatchEvent(new Event("afterprint"));
} catch (e) { bad.push(`the check itself: ${e.message}`); }
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL: ${bad.join("; ")}` : `PASS ${checks} checks`;
document.body.append(result);
})();
