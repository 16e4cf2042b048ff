// One sample, whole.
function block(title, text, kind) {
  if (text === undefined) return "";
  // What may have to be scrolled can be reached by keyboard.
  const tabindex = text.length > 800 || text.split("\n").length > 12 ? 0 : undefined;
  return el("section", {class: kind || ""}, el("h4", {}, title),
    el("div", {class: "text", dir: "auto", tabindex}, shown(text)));
}
function button(text, act, attributes) {
  const node = el("button", {type: "button", ...attributes}, text);
  node.addEventListener("click", act);
  return node;
}
function page(result) {
  const sample = result.asked;
  const words = [sample.category, sample.complexity, ...(sample.capabilities || []),
    ...(sample.tags || []), ...traits(sample, result)].filter(Boolean);
  return [
    el("header", {},
      button("← list", leave, {class: "back"}),
      el("h3", {}, shown(sample.id)), badge(result),
      result.before === undefined ? "" : el("span", {class: "hint"},
        `before ${result.before.toFixed(2)}${result.change ? `, ${signed(result.change)}` : ""}`),
      el("span", {class: "walk"}, button("previous", () => move(-1)), button("next", () => move(1)))),
    el("p", {class: "words"}, words.map((word) => el("span", {}, shown(word)))),
    others(result),
    el("div", {class: "sample"},
      el("div", {},
        sample.images ? el("div", {class: "pictures"}, sample.images.map(picture)) : "",
        sample.unknown ? el("p", {class: "hint"}, sample.unknown) : "",
        block("Question", sample.question),
        block("Reference answer", sample.answer),
        steps(result),
        block("Note", sample.note)),
      el("div", {},
        result.repeats.map((repeat) => answer(repeat, result.repeats.length > 1)),
        el("p", {class: "hint"}, shown(sample.rerun)))),
  ].filter((part) => part !== "");
}
function others(result) {
  const found = articles.map((_, run) => run === state.run ? undefined
    : ofSample(run, result.sample)).map((other, run) => other && button(
    [labels[run], " ", badge(other)], () => show(run, result.asked.id)));
  return found.some(Boolean) ? el("p", {class: "others"}, "other runs ", found) : "";
}
function picture(image) {
  const figure = el("figure", {});
  if (image.thumb !== undefined) {
    const img = el("img", {src: thumbnails[image.thumb], alt: `picture ${image.path}`});
    figure.append(img);
    if (image.href && location.protocol === "file:") {
      const file = new Image();
      file.addEventListener("load", () => { img.src = file.src; });
      file.src = image.href;
    }
  }
  const path = shown(image.path);
  figure.append(el("figcaption", {},
    image.href ? el("a", {href: image.href, target: "_blank", rel: "noopener noreferrer"}, path) : path,
    image.note ? el("span", {class: "hint"}, " ", shown(image.note)) : ""));
  return figure;
}
function steps(result) {
  const texts = result.asked.steps || [];
  const credits = result.repeats.map((repeat) => repeat.credits || {});
  // Of steps that the reference lacks, those that have a credit: a judge may number them anyhow.
  // Full marks for the answer alone are no fault of its steps.
  const mood = (repeat, credit) => repeat.score >= 1 && credit < 1 ? "even" : tenth(credit);
  const numbers = [...new Set([...texts.keys(), ...credits.flatMap((one) => Object.keys(one).map((key) => key - 1))])];
  if (!numbers.length) return "";
  const items = numbers.sort((a, b) => a - b).map((index) => el("li", {dir: "auto", value: index + 1},
    credits.map((one, number) => one[index + 1] === undefined ? ""
      : el("span", {class: `mark ${mood(result.repeats[number], one[index + 1])}`},
        one[index + 1].toFixed(2))),
    " ", el("span", {}, shown(texts[index] || ""))));
  return el("section", {}, el("h4", {}, "Reference steps",
    credits.some((one) => Object.keys(one).length) ? " · credit of each" : ""),
  el("ol", {class: "steps"}, items));
}
function answer(repeat, several) {
  const failed = repeat.advice !== undefined;
  const scores = (repeat.scores || []).map((score) => score === null ? "–" : score.toFixed(2));
  const spent = Object.entries(repeat.usage || {}).map(([role, used]) => `${role} `
    + Object.entries(used).map(([what, n]) =>
      `${n} ${(n === 1 ? what.replace(/s$/, "") : what).replace("_", " ")}`).join(", "));
  const facts = {
    status: repeat.status + (repeat.reason && !failed ? `: ${repeat.reason}` : ""),
    score: repeat.score?.toFixed(2),
    "judge runs": scores.length > 1
      ? scores.join(" · ") + (repeat.sd === undefined ? "" : ` (sd ${repeat.sd.toFixed(2)})`) : undefined,
    "answer only": repeat.score_answer_only?.toFixed(2),
    "judge's confidence": repeat.confidence?.toFixed(2),
    "judge answered as": [...new Set((repeat.judge_models || []).filter(Boolean))].join(", ") || undefined,
    "finish reason": repeat.finish_reason,
    remarks: repeat.flags?.join(" · "),
    took: repeat.latency_s >= 0.05 ? `${repeat.latency_s.toFixed(1)} s` : undefined,
    spent: spent.join(" · ") || undefined,
    "from cache": repeat.cached ? "yes" : undefined,
  };
  return el("article", {class: "answer"},
    several ? el("h4", {class: "repeat"}, `Repeat ${repeat.repeat}`) : "",
    failed ? el("section", {class: "error"}, el("h4", {}, repeat.status.replace("_", " ")),
      el("div", {class: "text", dir: "auto"}, shown(repeat.reason || "")), el("p", {}, repeat.advice)) : "",
    repeat.response === undefined ? (failed ? "" : el("p", {class: "hint"}, "The answer is empty."))
      : block("Answer", repeat.response, "said"),
    block(failed ? "Details" : "Why", repeat.rationale),
    el("dl", {class: "facts"}, Object.entries(facts).filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, shown(value))])));
}

