/* Put behind the script of a sweep's page: does the page work?  check.js does so for reports. */
"use strict";
(async () => {
const data = JSON.parse(document.getElementById("data").textContent), bad = window.pageErrors;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));
const choose = async (id, value) => {
  const list = document.getElementById(id);
  list.value = value;
  list.dispatchEvent(new Event("change"));
  await settle();
};
const dots = () => [...document.querySelectorAll("#points circle")];

try {
  check(document.documentElement.dataset.ready === "true", "the script did not come to its end");
  for (const id of ["verdict", "points", "table", "effects", "steps", "plan"]) {
    const s = document.getElementById(id);
    check(s && s.textContent.length > 40, `section ${id} is empty`);
    check(s && !/undefined|NaN|\[object/.test(s.textContent), `section ${id} shows what is no value`);
    check(document.querySelector(`#nav a[href="#${id}"]`), `no way to section ${id}`);
  }
  check(document.querySelector("main > section").id === "verdict", "the verdict is not first");
  check(document.documentElement.scrollWidth <= innerWidth + 1, `the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);

  /* the plot: a dot a point, the front in red, the baseline marked, axes and color to choose */
  check(dots().length === data.points.length, `${dots().length} dots for ${data.points.length} points`);
  check(dots().every((d) => isFinite(d.getAttribute("cx")) && isFinite(d.getAttribute("cy"))), "a dot has no place");
  check(document.querySelectorAll("#points .base").length === 1, "not one baseline");
  const red = dots().filter((d) => d.style.fill === "var(--bad)").length;
  check(red === data.points.filter((p) => p.front).length, `${red} dots are red`);
  const places = () => dots().map((d) => `${d.getAttribute("cx")},${d.getAttribute("cy")}`).join(" ");
  const colors = () => new Set(dots().map((d) => d.style.fill)).size;
  const was = places();
  await choose("x", 0);
  check(new Set(dots().map((d) => d.getAttribute("cx"))).size === new Set(data.points.map((p) => p.texts[0])).size, "not one column a value");
  check(places() !== was, "the axis across does nothing");
  await choose("y", 1);
  await choose("color", 0);
  check(colors() === new Set(data.points.map((p) => p.texts[0])).size, "not one color a value");
  dots()[0].dispatchEvent(new PointerEvent("pointermove", { clientX: 200, clientY: 200 }));
  check(/point \d+/.test(document.getElementById("tip").textContent) && !document.getElementById("tip").hidden, "no tooltip");
  dots()[0].dispatchEvent(new PointerEvent("pointerleave"));

  /* the table: the best first, sortable, the baseline named */
  const table = document.querySelector("#table table"), show = document.querySelector("#table button[type=button]:not(th button)");
  const rows = () => [...table.querySelectorAll("tbody tr")], ids = () => rows().map((r) => parseInt(r.cells[0].textContent, 10));
  check(ids()[0] === data.points[0].id, "the best is not first");
  show.click();
  check(rows().length === data.points.length, "show all shows not all");
  check(rows().filter((r) => /baseline/.test(r.cells[0].textContent)).length === 1, "no baseline in the table");
  table.querySelector("th button").click();
  await settle();
  const order = ids();
  check(order.every((n, i) => !i || order[i - 1] > n), "points are not in reverse order");
  const find = document.getElementById("find");
  find.value = `${data.columns[0].name} ${data.points[0].texts[0]}`;
  find.dispatchEvent(new Event("input"));
  check(rows().length === data.points.filter((p) => p.texts[0] === data.points[0].texts[0]).length, "find does not find the value of an axis");

  /* better is green: the first goal is time, and less of it is better */
  for (const e of document.querySelectorAll("#steps td span.good, #steps td span.bad"))
    check((e.textContent[0] === "−") === e.classList.contains("good"), `${e.textContent} is ${e.className}`);
  check(document.querySelectorAll("#steps td span.good").length > 0, "nothing is green");
  for (const bar of document.querySelectorAll("#effects .tornado .bar > i"))
    check((parseFloat(bar.style.left) < 50) === /good/.test(bar.style.getPropertyValue("--part")), "a bar has the wrong color");
} catch (e) {
  bad.push(`${e}\n${e.stack}`);
}
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL\n${bad.join("\n")}` : `PASS ${checks}`;
document.body.append(result);
})();
