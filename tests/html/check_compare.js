/* Put behind the script of a comparison's page: does the page work?  check.js does so for reports. */
"use strict";
(async () => {
const data = JSON.parse(document.getElementById("data").textContent), bad = window.pageErrors;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));

try {
  check(document.documentElement.dataset.ready === "true", "the script did not come to its end");
  for (const id of ["verdict", "figures", "machines"]) {
    const s = document.getElementById(id);
    check(s && s.textContent.length > 40, `section ${id} is empty`);
    check(s && !/undefined|NaN|\[object/.test(s.textContent), `section ${id} shows what is no value`);
    check(document.querySelector(`#nav a[href="#${id}"]`), `no way to section ${id}`);
  }
  check(document.documentElement.scrollWidth <= innerWidth + 1, `the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  const text = document.getElementById("verdict").textContent;
  for (const m of data.comparison.cheapest) check(text.includes(m), `${m} is not named the cheapest`);
  const rows = () => [...document.querySelectorAll("#machines tbody tr")], ran = data.comparison.machines.filter((m) => !m.error);
  check(rows().length === ran.length, `${rows().length} rows of ${ran.length} machines`);
  check(document.querySelectorAll("#machines li").length === data.comparison.machines.length - ran.length, "a machine that cannot run it has no reason");
  const speeds = () => rows().map((r) => ran.find((m) => m.machine === r.cells[0].textContent).samples_per_second ?? 0);
  check(speeds().every((v, i, all) => !i || all[i - 1] >= v), "the fastest is not first");
  document.querySelector("#machines th:nth-child(7) button").click();
  await settle();
  check(speeds().every((v, i, all) => !i || all[i - 1] <= v), "a click does not turn the order");
  const lists = [...document.querySelectorAll("#figures .bars")];
  check(lists.length === 3, `${lists.length} pictures`);
  check(lists[0].querySelectorAll(".bar").length === ran.length, "a machine has no bar");
  check(lists[1].querySelectorAll(".bar").length === ran.filter((m) => m.usd_per_step.on_demand !== null).length, "bars of cost are not those with a price");
  check([...document.querySelectorAll("#figures .bars > div")].every((d) => parseFloat(d.style.width) > 0 && parseFloat(d.style.width) <= 100), "a bar has no length");
  const fastest = ran.reduce((a, m) => (m.seconds_per_step / (m.global_batch ?? 1) < a.seconds_per_step / (a.global_batch ?? 1) ? m : a));
  check(lists[0].querySelector("span").textContent.startsWith(fastest.machine), "the fastest does not stand on top");
} catch (e) {
  bad.push(`${e}\n${e.stack}`);
}
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL\n${bad.join("\n")}` : `PASS ${checks}`;
document.body.append(result);
})();
