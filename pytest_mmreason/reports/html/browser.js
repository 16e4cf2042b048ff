// Filters.
const traits = (sample, result) => [
  (sample.images || []).length > 1 && "several images",
  sample.counter_intuitive && "counter-intuitive",
  result.repeats.some((r) => (r.flags || []).includes("cut short")) && "cut short",
  result.repeats.some((r) => r.reason === "empty answer") && "empty answer",
  result.repeats.some((r) => r.confidence < 0.5) && "judge unsure",
  result.change && (result.change < 0 ? "worse than before" : "better than before"),
].filter(Boolean);
const CHOICES = {
  benchmark: (s) => [s.benchmark],
  category: (s) => s.category ? [s.category] : [],
  complexity: (s) => s.complexity ? [s.complexity] : [],
  capability: (s) => s.capabilities || [],
  tag: (s) => s.tags || [],
  status: (s, result) => result.repeats.map((repeat) => repeat.status),
  trait: traits,
};

function makeChoices() {
  const made = [];
  for (const [name, of] of Object.entries(CHOICES)) {
    const counts = new Map();
    for (const result of results(state.run))
      for (const value of new Set(of(result.asked, result)))
        counts.set(value, (counts.get(value) || 0) + 1);
    if (!counts.size || (counts.size === 1 && [...counts.values()][0] === results(state.run).length))
      continue;
    const options = [...counts].map(([value, n]) =>
      el("option", {value: `=${value}`}, `${shortened(value)} (${n})`));
    const select = el("select", {"data-choice": name}, el("option", {value: ""}, "any"), options);
    select.value = [...select.options].some((o) => o.value === state.choices[name])
      ? state.choices[name] : "";
    made.push(el("label", {}, `${name[0].toUpperCase()}${name.slice(1)} `, select));
  }
  byId("choices").replaceChildren(...made);
  for (const [sort, field] of [["change", "change"], ["spread", "spread"]])
    byId("sort").querySelector(`[value=${sort}]`).hidden =
      results(state.run).every((result) => result[field] === null);
}
function shortened(text) {
  const inert = shown(text).map((part) => part.textContent ?? part).join("");
  return inert.length > 40 ? `${inert.slice(0, 39)}…` : inert;
}

function haystack(result) {
  result.text ??= [
    result.asked.id, result.asked.question, result.asked.answer, ...(result.asked.steps || []),
    ...result.repeats.flatMap((r) => [r.response, r.rationale, r.reason]),
  ].filter(Boolean).join("\n").toLowerCase();
  return result.text;
}

const last = (value, direction) => value === null ? Infinity : direction * value;
const ORDERS = {
  order: (r) => r.order,
  worst: (r) => last(r.score, 1),
  best: (r) => last(r.score, -1),
  change: (r) => last(r.change, 1),
  spread: (r) => last(r.spread, -1),
};

const state = {run: 0, choices: {}, view: [], position: -1};

// A bound beyond the scale is none: the field says so.
function bound(id) {
  const field = byId(id), {rangeOverflow, rangeUnderflow} = field.validity;
  if (!rangeOverflow && !rangeUnderflow) return field.value;
  field.reportValidity();
  return "";
}
function apply() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const selects = [...byId("choices").querySelectorAll("select")];
  for (const select of selects) state.choices[select.dataset.choice] = select.value;
  const chosen = selects.filter((select) => select.value)
    .map((select) => [CHOICES[select.dataset.choice], select.value.slice(1)]);
  const low = bound("from"), high = bound("to");
  const within = (score) => (low === "" && high === "") || (score !== null
    && (low === "" || score >= Number(low) - 1e-9) && (high === "" || score <= Number(high) + 1e-9));
  const key = ORDERS[byId("sort").value];
  const current = state.view[state.position];
  const all = results(state.run);
  state.view = all.filter((result) => within(result.score)
    && chosen.every(([of, value]) => of(result.asked, result).includes(value))
    && words.every((word) => haystack(result).includes(word)))
    .sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)) || a.order - b.order);
  state.position = state.view.indexOf(current);
  byId("count").textContent = state.view.length === all.length
    ? `${all.length.toLocaleString("en")} samples`
    : `${state.view.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} samples`;
  list.scrollTop = 0;
  repaint();
  if (state.position >= 0) uncover();
  if (!state.view.length) detail.replaceChildren();
  else if (!detail.firstChild) first();
}

function reset() {
  for (const id of ["search", "from", "to"]) byId(id).value = "";
  byId("sort").value = "order";
  for (const select of byId("choices").querySelectorAll("select")) select.value = "";
  apply();
}

// The list: only the rows that are in sight are in the page.
const painted = new Map();
let height = 0;
function repaint() {
  painted.clear();
  rows.replaceChildren();
  if (!height && state.view.length) {
    rows.append(row(0));
    height = rows.firstChild.offsetHeight;
    rows.replaceChildren();
  }
  rows.style.height = `${state.view.length * height}px`;
  if (!state.view.length) rows.append(el("p", {class: "hint"}, "No sample is like that."));
  paint();
}
function paint() {
  if (!height) return;
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 8);
  const end = Math.min(state.view.length,
    Math.ceil((list.scrollTop + list.clientHeight) / height) + 8);
  for (const [position, node] of painted)
    if (position < first || position >= end) { node.remove(); painted.delete(position); }
  for (let position = first; position < end; position++) {
    if (painted.has(position)) continue;
    const node = row(position);
    node.style.top = `${position * height}px`;
    painted.set(position, node);
    rows.append(node);
  }
  mark();
}
function mark() {
  for (const [position, node] of painted)
    node.setAttribute("aria-selected", String(position === state.position));
  if (painted.has(state.position)) list.setAttribute("aria-activedescendant", `row-${state.position}`);
  else list.removeAttribute("aria-activedescendant");
}
function uncover() {
  const top = state.position * height;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight;
  paint();
}

const tenth = (score) => `t${Math.floor(score * 10 + 1e-9)}`;
function badge(result) {
  if (result.score !== null)
    return el("span", {class: `mark ${tenth(result.score)}`}, result.score.toFixed(2));
  return el("span", {class: "mark none"}, result.repeats[0].status.replace("_error", " error"));
}
const signed = (number) => `${number > 0 ? "+" : "−"}${Math.abs(number).toFixed(2)}`;

// Where no sample has a picture, the list keeps no place for any.
const bare = !asked.some((sample) => (sample.images || []).some((one) => one.thumb !== undefined));
list.classList.toggle("bare", bare);
function row(position) {
  const result = state.view[position], sample = result.asked;
  const image = (sample.images || []).find((one) => one.thumb !== undefined);
  return el("div", {
    role: "option", id: `row-${position}`, class: "row", "data-position": position,
    "aria-setsize": state.view.length, "aria-posinset": position + 1,
  },
  bare ? "" : image ? el("img", {src: thumbnails[image.thumb], alt: "", decoding: "async"})
    : el("span", {class: "blank"}),
  el("div", {class: "gist"},
    el("p", {dir: "auto"}, shown((sample.question || sample.id).slice(0, 240))),
    el("small", {}, shown([sample.id.slice(0, 80), sample.category, sample.complexity]
      .filter(Boolean).join(" · ")))),
  el("div", {class: "marks"}, badge(result),
    result.change ? el("small", {class: result.change < 0 ? "worse" : "better"},
      signed(result.change)) : ""));
}

// One sample.
function select(position, {quiet = false, open = true} = {}) {
  state.position = position;
  uncover();
  const result = state.view[position];
  detail.replaceChildren(...page(result));
  detail.scrollTop = 0;
  if (open) section.classList.add("reading");
  if (quiet) return;
  const link = new URLSearchParams({sample: whole(result.asked.id)});
  if (articles.length > 1) link.set("run", state.run);
  history.replaceState(null, "", `#${link}`);
}
function move(by) {
  const position = Math.min(state.view.length - 1, Math.max(0, state.position + by));
  if (state.view.length && position !== state.position) select(position);
}
function walk(by) {
  move(by);
  section.scrollIntoView();
}
function leave() {
  section.classList.remove("reading");
  // While it was hidden, the list had no height and could not be scrolled.
  repaint();
  if (state.position >= 0) uncover();
  list.focus();
}

// Runs and links.
function show(run, id) {
  state.run = run;
  articles.forEach((article, index) => { article.hidden = index !== run; });
  if (byId("run")) byId("run").value = String(run);
  makeChoices();
  apply();
  const found = id !== undefined && find(id);
  if (!found) first();
  return found;
}
function find(id) {
  const there = () => state.view.findIndex((result) => whole(result.asked.id) === whole(id));
  if (there() < 0 && results(state.run).some((r) => whole(r.asked.id) === whole(id))) reset();
  if (there() >= 0) select(there());
  return there() >= 0;
}
function first() {
  state.position = -1;
  detail.replaceChildren();
  if (state.view.length) select(0, {quiet: true, open: false});
}
function absent(id) {
  state.position = -1;
  mark();
  detail.replaceChildren(el("header", {}, button("← list", leave, {class: "back"})),
    el("p", {class: "hint"}, "This run has no sample ", shown(id), "."));
  section.classList.add("reading");
}
function follow() {
  const link = new URLSearchParams(location.hash.slice(1)), id = link.get("sample");
  const run = Number(link.get("run") || state.run);
  if (id !== null && articles[run]) {
    if (!show(run, id)) absent(id);
    section.scrollIntoView();
  }
  return id !== null;
}

list.addEventListener("scroll", () => requestAnimationFrame(paint));
list.addEventListener("click", (event) => {
  const found = event.target.closest("[data-position]");
  if (found) select(Number(found.dataset.position));
});
for (const id of ["search", "from", "to"]) byId(id).addEventListener("input", apply);
byId("choices").addEventListener("change", apply);
byId("sort").addEventListener("change", apply);
byId("reset").addEventListener("click", reset);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("close").addEventListener("click", () => byId("keys").close());
byId("run")?.addEventListener("change", (event) =>
  show(Number(event.target.value), state.view[state.position]?.asked.id));
addEventListener("hashchange", follow);
// Paper cannot be clicked: what is folded away is printed, and folded again.
const folds = new Set();
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    folds.add(fold);
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const fold of folds) fold.open = false;
  folds.clear();
});
addEventListener("resize", () => { height = 0; repaint(); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const inList = event.target === list;
  if (event.key === "Escape") return typing ? event.target.blur() : leave();
  if (typing) return;
  const act = {
    "j": () => walk(1), "k": () => walk(-1),
    "/": () => byId("search").focus(), "?": () => byId("keys").showModal(),
    ...(inList && {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: () => detail.focus(),
      Home: () => move(-Infinity), End: () => move(Infinity),
    }),
  }[event.key];
  if (act) { event.preventDefault(); act(); }
});

if (articles.length) {
  show(0);
  follow();
}
