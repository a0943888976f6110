/* Put behind the script of a profile's page: does the page work?  check.js does so for reports. */
"use strict";
(async () => {
const data = JSON.parse(document.getElementById("data").textContent), bad = window.pageErrors, report = data.report;
let checks = 0;
const check = (ok, text) => { checks++; if (!ok) bad.push(text); };
const settle = () => new Promise((done) => setTimeout(done, 20));
/* The colors of a strip of a canvas, and a sum of all its bytes; of a copy, which may be read at will. */
const look = (canvas, top, bottom) => {
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const g = copy.getContext("2d", { willReadFrequently: true }), scale = canvas.height / canvas.getBoundingClientRect().height, seen = new Set();
  g.drawImage(canvas, 0, 0);
  const { data: p } = g.getImageData(0, Math.round(top * scale), canvas.width, Math.round((bottom - top) * scale));
  for (let i = 0; i < p.length; i += 4) if (p[i + 3] === 255) seen.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]);
  return { colors: seen.size, sum: p.reduce((a, v, i) => (a * 31 + v + i) % 4294967291, 0) };
};

try {
  check(document.documentElement.dataset.ready === "true", "the script did not come to its end");
  const parts = ["verdict", "classes", "timeline", "scatter", "kernels", ...report.unmatched.length ? ["unmatched"] : [], "calibration"];
  for (const id of parts) {
    const s = document.getElementById(id);
    check(s && s.textContent.length > 60, `section ${id} is empty`);
    check(s && !/undefined|NaN|Infinity|\[object/.test(s.textContent), `section ${id} shows what is no value`);
    check(document.querySelector(`#nav a[href="#${id}"]`), `no way to section ${id}`);
  }
  check(document.querySelector("main > section").id === "verdict", "the verdict is not first");
  check(/the host was the pace/.test(document.getElementById("verdict").textContent) === report.host_wait_seconds > 0, "the host is not told");
  check(/Predicted .* measured .*%/.test(document.querySelector("#verdict .verdict").textContent), "no verdict");
  check(document.documentElement.scrollWidth <= innerWidth + 1, `the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);

  /* a bar for each side, whose parts are the classes of the step */
  const classes = Object.entries(report.classes).filter(([c, x]) => c !== "gap" && x.predicted_seconds > 0);
  check(document.querySelectorAll("#classes .bar").length === 2, "not one bar a side");
  check(document.querySelector("#classes .bar").children.length === classes.length, "not one part a class");

  /* both timelines: colors in each half of the picture, and the keys look closer */
  const canvas = document.querySelector("#timeline canvas");
  check(look(canvas, 0, 44).colors > 2 && look(canvas, 44, 88).colors > 2, "a timeline is empty");
  const was = look(canvas, 0, 88).sum;
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
  await settle();
  check(look(canvas, 0, 88).sum !== was, "+ does not look closer");

  /* a dot a pair, inside the picture; above the diagonal if the prediction is longer */
  const dots = [...document.querySelectorAll("#scatter circle")], pairs = report.kernels.filter((k) => k.predicted_seconds > 0 && k.measured_seconds > 0);
  check(dots.length === pairs.length && pairs.length > 3, `${dots.length} dots for ${pairs.length} pairs`);
  check(dots.every((d) => ["cx", "cy", "r"].every((a) => isFinite(d.getAttribute(a)) && +d.getAttribute(a) > 0)), "a dot has no place");
  dots[0].dispatchEvent(new PointerEvent("pointermove", { clientX: 200, clientY: 200 }));
  check(/predicted .*\nmeasured /.test(document.getElementById("tip").textContent), "no tooltip");
  dots[0].dispatchEvent(new PointerEvent("pointerleave"));

  /* the table: the most seconds of difference first, find, sort */
  const rows = () => [...document.querySelectorAll("#kernels tbody tr")], lost = report.kernels.map((k) => Math.abs(k.predicted_seconds - k.measured_seconds));
  check(rows()[0].cells[0].textContent.startsWith(report.kernels[lost.indexOf(Math.max(...lost))].name), "the kernel of most difference is not first");
  const find = document.getElementById("find");
  find.value = report.kernels[0].name;
  find.dispatchEvent(new Event("input"));
  await settle();
  check(rows().length >= 1 && rows().every((r) => r.textContent.includes(report.kernels[0].name)), "find shows other kernels");
  check(document.querySelectorAll("#unmatched tbody tr").length === report.unmatched.length, "not one row a kernel without a partner");
  check(document.querySelectorAll("#calibration tbody tr").length === report.calibration.constants.length, "not one row a constant");
} catch (e) {
  bad.push(`${e}\n${e.stack}`);
}
const result = document.createElement("pre");
result.id = "test-result";
result.textContent = bad.length ? `FAIL\n${bad.join("\n")}` : `PASS ${checks}`;
document.body.append(result);
})();
