/* Put behind the script of a report: does the page work?  The verdict stands in an element of its
 * own, for tests/html/run. */
"use strict";
(async () => {
const data = JSON.parse(document.getElementById("data").textContent);
const two = data.runs.length > 1, bad = window.pageErrors;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));
const painted = (canvas) => {
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const g = copy.getContext("2d", { willReadFrequently: true }), seen = new Set();
  g.drawImage(canvas, 0, 0);
  const { data: p } = g.getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (let i = 0; i < p.length; i += 4)
    if (p[i + 3]) { seen.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]); sum = (sum * 31 + p[i] + 7 * p[i + 1] + 13 * p[i + 2] + i) % 4294967291; }
  return { colors: seen.size, sum };
};
const click = async (id) => { document.getElementById(id).click(); await settle(); };

try {
  check(document.documentElement.dataset.ready === "true", "the script did not come to its end");
  const wanted = ["verdict", "causes", "roofline", "memory", "waste", "links", "host", "operations", "provenance"];
  if (!two) wanted.push("timeline");
  for (const id of wanted) {
    const s = document.getElementById(id);
    check(s && s.textContent.length > 60, `section ${id} is empty`);
    check(s && !/undefined|NaN|\[object/.test(s.textContent), `section ${id} says ${s && (s.textContent.match(/.{0,20}(undefined|NaN|\[object).{0,20}/) || [""])[0]}`);
    check(document.querySelector(`#nav a[href="#${id}"]`), `no way to section ${id}`);
  }
  for (const c of document.querySelectorAll("canvas")) check(painted(c).colors > 2, `nothing is drawn on "${c.getAttribute("aria-label")}"`);
  check(document.querySelectorAll("#roofline circle").length > 0, "no operation under the roof");
  for (const c of document.querySelectorAll("#roofline circle"))
    if (!(isFinite(c.getAttribute("cx")) && isFinite(c.getAttribute("cy")) && isFinite(c.getAttribute("r")))) check(false, "an operation outside the roofline");
  const linked = data.runs.filter((r) => r.links.length);
  check(document.querySelectorAll("#links svg").length === linked.length, "a heat map of links is missing");
  check(document.querySelectorAll("#links rect").length === linked.reduce((n, r) => n + r.slice.chips, 0), "not one square a chip");
  check(document.querySelectorAll("#links path").length === linked.reduce((n, r) => n + r.links.length, 0), "not one line a link");
  check([...document.querySelectorAll("[src], link, img, iframe")].length === 0, "something is loaded from elsewhere");

  if (!two) {
    const canvas = document.querySelector("#timeline canvas"), label = () => document.getElementById("zoomed").textContent;
    const whole = { text: label(), sum: painted(canvas).sum };
    await click("zoom-zoom-in");
    check(label() !== whole.text && /2×/.test(label()), `zoom in: ${label()}`);
    check(painted(canvas).sum !== whole.sum, "zoom in draws the same");
    const text = label();
    await click("zoom-later");
    check(label() !== text, "later does nothing");
    canvas.focus();
    check(document.activeElement === canvas, "the picture takes no focus");
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    await settle();
    check(/4×/.test(label()), `the key +: ${label()}`);
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }));
    await settle();
    check(label() === whole.text && painted(canvas).sum === whole.sum, "the key 0 does not show the whole step again");
    canvas.blur();
  }

  /* sorting: against an order worked out here */
  const table = document.querySelector("#operations table"), head = (name) => [...table.querySelectorAll("th")].find((h) => h.textContent === name);
  const column = (h) => [...table.querySelectorAll("tbody tr")].map((r) => r.children[[...h.parentNode.children].indexOf(h)].textContent);
  const byName = head("operation");
  byName.querySelector("button").click();
  check(byName.getAttribute("aria-sort") === "ascending", "a click does not sort");
  let names = column(byName);
  check(names.length > 1 && names.every((n, i) => !i || names[i - 1].localeCompare(n) <= 0), "names are not in order");
  byName.querySelector("button").click();
  names = column(byName);
  check(byName.getAttribute("aria-sort") === "descending" && names.every((n, i) => !i || names[i - 1].localeCompare(n) >= 0), "names are not in reverse order");
  if (!two) {
    const time = head("time");
    time.querySelector("button").click();
    const slowest = [...data.runs[0].ops].sort((a, b) => b.seconds - a.seconds)[0];
    check(column(byName)[0] === slowest.name, `the slowest is not ${slowest.name}`);
  }
  const find = document.getElementById("find"), before = table.querySelectorAll("tbody tr").length;
  find.value = data.runs[0].ops[0].name;
  find.dispatchEvent(new Event("input"));
  const found = column(byName);
  check(found.length > 0 && found.length <= before, "find finds nothing");
  find.value = "no operation is called so";
  find.dispatchEvent(new Event("input"));
  check(column(byName).length === 0, "find finds what is not there");
  find.value = "";
  find.dispatchEvent(new Event("input"));

  const colour = () => getComputedStyle(document.body).backgroundColor, first = colour();
  await click("theme");
  check(colour() !== first, "light and dark are the same");
  await click("theme");
} catch (e) {
  bad.push(`${e}\n${e.stack}`);
}
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL\n${bad.join("\n")}` : `PASS ${checks}`;
document.body.append(result);
})();
