/* --- groups: identical layers are one row ---------------------------------------------------- */

let single = Boolean(data.ungroup); /* each name by itself */

/* The label of names that are equal but for numbers: "l*.ffn" of l0.ffn and l1.ffn. */
function labelOf(list) {
  const parts = list.map((n) => n.split(/(\d+)/));
  return parts[0].map((p, i) => i % 2 === 0 || parts.every((q) => q[i] === p) ? p : "*").join("");
}
const times = (n) => n > 1 ? ` ×${n}` : "";

/* Of two runs: the group of each name and kind.  Names are in one group if they are in both runs;
 * those that one run alone has go with the others of their group, as in text/diff_rows.h. */
function pairGroups() {
  const all = new Map();
  for (const [i, r] of data.runs.entries()) for (const o of r.ops) {
    const k = `${o.name}\n${o.kind}`;
    if (!all.has(k)) all.set(k, { name: o.name, kind: o.kind, group: [null, null], there: [false, false] });
    Object.assign(all.get(k).group, { [i]: single ? o.name : o.group });
    all.get(k).there[i] = true;
  }
  const partner = [new Map(), new Map()]; /* of a kind and a group: the groups on the other side */
  for (const x of all.values()) if (x.there[0] && x.there[1]) for (const i of [0, 1]) {
    const k = `${x.kind}\n${x.group[i]}`;
    if (!partner[i].has(k)) partner[i].set(k, new Set());
    partner[i].get(k).add(x.group[1 - i]);
  }
  const groups = new Map();
  for (const x of all.values()) {
    for (const i of [0, 1]) {
      const known = x.there[1 - i] ? null : partner[i].get(`${x.kind}\n${x.group[i]}`);
      if (known) x.group[1 - i] = known.has(x.group[i]) ? x.group[i] : known.size === 1 ? [...known][0] : null;
    }
    const k = `${x.kind}\n${x.group[0]}\n${x.group[1]}`;
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(x);
  }
  const of = new Map();
  for (const [k, list] of groups) {
    const label = labelOf(list.map((x) => x.name));
    for (const x of list) of.set(`${x.name}\n${x.kind}`, { key: k, label });
  }
  return of;
}

let pairs = two ? pairGroups() : null;
/* What a row is added up under, and what that is called. */
function groupOf(o) {
  if (two) return pairs.get(`${o.name}\n${o.kind}`);
  return { key: `${single ? o.name : o.group}\n${o.kind}\n${o.every}`, label: single ? o.name : o.group };
}

/* Operations of a run by group, over all phases or, with `phases`, phase by phase. */
function grouped(r, phases) {
  const all = new Map(), phase = new Map(r.phases.map((p) => [p.name, single ? p.name : p.group]));
  for (const o of r.ops) {
    const g = groupOf(o), k = phases ? `${g.key}\n${phase.get(o.phase)}` : g.key;
    let w = all.get(k);
    if (!w) all.set(k, w = { key: g.key, label: g.label, kind: o.kind, phase: phase.get(o.phase), names: new Set(), count: 0, seconds: 0, flops: 0, bytes: 0, macs: 0,
      causes: {}, slots: { capacity: 0, useful: 0, waiting: {} }, advice: [], longest: -1 });
    w.names.add(o.name);
    w.count += o.count; w.seconds += o.seconds; w.flops += o.flops; w.bytes += o.hbm_bytes; w.macs += (o.mxu || 0) * o.seconds;
    for (const c of CAUSES) w.causes[c] = (w.causes[c] || 0) + o.time_by_cause[c];
    for (const [n] of SLOTS) if (n !== "waiting") w.slots[n] = (w.slots[n] || 0) + (o.mxu_slots[n] || 0);
    for (const c of CAUSES) w.slots.waiting[c] = (w.slots.waiting[c] || 0) + (o.mxu_slots.waiting[c] || 0);
    w.slots.capacity += o.mxu_slots.capacity;
    if (o.seconds > w.longest) { w.longest = o.seconds; w.advice = o.mxu_waste.advice || []; }
  }
  const list = [...all.values()];
  for (const w of list) {
    w.name = w.names.size === 1 ? [...w.names][0] : w.label + times(w.names.size);
    w.bound_by = CAUSES.reduce((a, c) => w.causes[c] > w.causes[a] ? c : a, CAUSES[0]);
    w.mxu = w.seconds ? w.macs / w.seconds : 0;
  }
  return list;
}

/* Phases by group; those of steps that run between the others stay apart. */
function groupedPhases(r) {
  const all = new Map();
  for (const p of r.phases) {
    const label = single ? p.name : p.group, k = `${label}\n${p.every}`;
    let w = all.get(k);
    if (!w) all.set(k, w = { label, n: 0, seconds: 0, time_by_cause: {} });
    w.n++;
    w.seconds += p.seconds;
    for (const c of CAUSES) w.time_by_cause[c] = (w.time_by_cause[c] || 0) + p.time_by_cause[c];
  }
  return [...all.values()].map((w) => ({ ...w, name: w.label + times(w.n) }));
}
const hasGroups = data.runs.some((r) => [...r.ops, ...r.phases].some((o) => o.group !== o.name));

/* --- footing: two runs with other global batches are compared by the time of a sample --------- */

const unequal = two && A.global_batch && B.global_batch && A.global_batch !== B.global_batch;
const per = data.runs.map((r) => unequal ? 1 / (r.seconds_per_step * r.samples_per_second) : 1);
const PER = unequal ? "s/sample" : "s";
