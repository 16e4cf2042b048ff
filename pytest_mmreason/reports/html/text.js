// What the scripts share. Everything that a model, a judge or a benchmark wrote is made into text
// nodes; no markup is ever parsed here.
const byId = (id) => document.getElementById(id);
const parsed = (id) => JSON.parse(byId(id).textContent);
const thumbnails = parsed("thumbnails"), asked = parsed("asked");
const articles = [...document.querySelectorAll(".run")];
const labels = byId("run") ? [...byId("run").options].map((option) => option.text) : [""];
const list = byId("list"), rows = byId("rows"), detail = byId("detail");
const section = byId("samples");
const whole = (text) => text.toWellFormed ? text.toWellFormed() : text; // what a URL can hold

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined) node.setAttribute(key, value);
  node.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return node;
}

// Characters that are not seen, or that turn others about, are shown as escapes.
const HIDDEN = /(?:(?![\n\t\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}])+/gu;
const escaped = (text) =>
  Array.from(text, (c) => `\\u{${c.codePointAt(0).toString(16)}}`).join("");

function shown(text) {
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(HIDDEN)) {
    parts.push(text.slice(last, match.index), el("span", {class: "odd"}, escaped(match[0])));
    last = match.index + match[0].length;
  }
  return [...parts, text.slice(last)];
}

// Results by run, read when they are first needed.
const cache = [];
function results(run) {
  if (!cache[run]) {
    cache[run] = articles[run] ? parsed(`run-${run}`) : [];
    cache[run].forEach((result, order) => {
      Object.assign(result, {order, asked: asked[result.sample]});
      result.change = result.before === undefined || result.score === null
        ? null : result.score - result.before;
      const spreads = result.repeats.map((repeat) => repeat.sd).filter((sd) => sd !== undefined);
      result.spread = spreads.length ? Math.max(...spreads) : null;
    });
  }
  return cache[run];
}
const ofSample = (run, sample) => results(run).find((result) => result.sample === sample);

