/* What every page ends with: light and dark, ways to its sections, keys, paper. */
function theme(name) {
  document.documentElement.dataset.theme = name;
  redraw();
}
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
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
