"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const SMALL_PER_PAGE = 12;
const state = { series: 0, page: 0, find: "", whole: false, shown: new Set(data.shown) };
// Values of the past that are shown at first, in lengths of the forecast, and at least.
const PAST = 6, LEAST_PAST = 48;

// The times of each series, past and ahead.
for (const one of data.series) {
  const [ahead] = Object.values(one.ahead);
  one.ds = data.axes[one.axis].slice(one.from, one.from + one.y.length + (ahead?.length ?? 0));
}

// An element of HTML or, with a name space, of SVG. Texts are never read as markup.
const SVG = "http://www.w3.org/2000/svg";
function make(name, attributes = {}, children = [], space = null) {
  const element = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...[children].flat());
  return element;
}
const draw = (name, attributes, children) => make(name, attributes, children, SVG);
const colour = (model) => `--colour: var(--c${data.models.indexOf(model) % 8})`;
const known = (value) => value !== null && value !== undefined;

// The power of ten that a number begins at.
const power = (size) => Math.floor(Math.log10(size));

// Decimals that tell values from low to high apart: four digits of what they differ by, and no more than an f32
// has. Before the point they are negative.
function decimals(low, high) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size === 0) return 0;
  return Math.min(3 - power(high > low ? high - low : size), 6 - power(size));
}

// A number with at most so many decimals, and at least `least` of them.
function number(value, decimals, least = 0) {
  if (!known(value)) return "";
  const size = Math.abs(value), places = Math.max(0, decimals);
  if (size >= 1e9 || (size !== 0 && places > 8)) {
    return value.toExponential(Math.min(6, Math.max(0, power(size) + decimals)));
  }
  const text = value.toLocaleString("en", { maximumFractionDigits: places, minimumFractionDigits: Math.min(least, places) });
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}

// The same with as many decimals as all beside it, for their points to be below each other.
const aligned = (value, decimals) => number(value, decimals, Math.max(0, decimals));

// Round numbers for about `count` ticks from low to high, and how they are written.
function ticks(low, high, count) {
  const rough = (high - low) / count, unit = 10 ** power(rough);
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough * 0.999);
  const places = Math.ceil(-Math.log10(step) - 1e-9);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) && found.length < 20; i++) found.push(i * step + 0);
  return found.map((value) => [value, number(value, places)]);
}

// Places of a series' values in a picture: x by position in time, y by value.
function frame(series, models, box) {
  const values = [...series.y];
  for (const model of models) {
    values.push(...(point(series, model) ?? []));
    for (const level of data.levels) values.push(...edges(series, model, level).flat());
  }
  const real = values.filter(known);
  let low = real.reduce((a, b) => Math.min(a, b), Infinity), high = real.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(low <= high)) [low, high] = [0, 1];
  const room = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
  const floor = low >= 0 && low < 0.4 * high ? 0 : low - room;
  const top = high + room, steps = Math.max(1, series.ds.length - 1);
  return {
    low: floor, high: top, steps, decimals: decimals(low, high),
    x: (i) => box.left + (i / steps) * (box.right - box.left),
    y: (value) => box.bottom - ((value - floor) / (top - floor)) * (box.bottom - box.top),
  };
}

// The forecast of a model that stands for it.
const point = (series, model) => series.ahead[model] ?? series.ahead[`${model}-median`];

// The lower and the upper edge of an interval, if the model has it.
const edges = (series, model, level) =>
  ["lo", "hi"].map((side) => series.ahead[`${model}-${side}-${level}`]).filter(known);

// Values of a series' past that are not recent.
const old = (series) => Math.max(0, series.y.length - Math.max(LEAST_PAST, PAST * (series.ds.length - series.y.length)));

// A series with as much of its past as is to be shown.
function visible(series) {
  const from = state.whole ? 0 : old(series);
  return { ...series, ds: series.ds.slice(from), y: series.y.slice(from) };
}

// The line through the values that are known, as the text of a path.
function path(values, first, place) {
  let text = "", pen = "M";
  values.forEach((value, i) => {
    if (known(value)) text += `${pen}${place.x(first + i).toFixed(1)} ${place.y(value).toFixed(1)}`;
    pen = known(value) ? "L" : "M";
  });
  return text;
}

// Past, bands and forecasts of a series. A forecast begins at the last value of the past.
function lines(series, models, place) {
  const now = series.y.length - 1, shapes = [];
  for (const model of models) {
    const start = known(series.y[now]) ? [series.y[now]] : [];
    for (const level of data.levels) {
      const [low, high] = edges(series, model, level);
      if (!low || !high) continue;
      const first = now + 1 - start.length;
      const there = path([...start, ...low], first, place);
      const back = [...start, ...high].map((value, i) => `L${place.x(first + i).toFixed(1)} ${place.y(value).toFixed(1)}`);
      shapes.push(draw("path", { class: "band", style: series.style ?? colour(model), d: `${there}${back.reverse().join("")}Z` }));
    }
  }
  shapes.push(draw("path", { class: "past", d: path(series.y, 0, place) }));
  for (const model of models) {
    const forecast = point(series, model);
    if (!forecast) continue;
    const start = known(series.y[now]) ? [series.y[now]] : [];
    const line = path([...start, ...forecast], now + 1 - start.length, place);
    shapes.push(draw("path", { class: "ahead", style: series.style ?? colour(model), d: line }));
  }
  return shapes;
}

// How wide a text of a chart is.
const pen = document.createElement("canvas").getContext("2d");
pen.font = "12px system-ui, sans-serif";
const wide = (text) => pen.measureText(text).width;

// Times in few letters: seconds where there are any, the year where it changes.
function short(zoned) {
  const times = zoned.map((time) => time.replace(/[+-]\d\d:\d\d$/, ""));
  const clock = times.every((time) => time.length > 16), seconds = times.some((time) => !/:00$/.test(time));
  if (!clock) return times;
  return times.map((time, k) => {
    const text = seconds ? time : time.slice(0, -3);
    return k > 0 && text.slice(0, 5) === times[k - 1].slice(0, 5) ? text.slice(5) : text;
  });
}

// As many times as fit beside each other in a picture: each with the middle of its text.
function moments(times, place, width) {
  for (let count = Math.min(8, times.length); count > 1; count--) {
    const at = Array.from({ length: count }, (_, k) => Math.round((k * (times.length - 1)) / (count - 1)));
    const labels = short(at.map((i) => times[i])).map((text, k) => {
      const half = wide(text) / 2;
      return { text, half, x: Math.max(half + 8, Math.min(width - half - 8, place.x(at[k]))) };
    });
    const free = labels.every((one, k) => k === 0 || one.x - one.half > labels[k - 1].x + labels[k - 1].half + 12);
    if (free) return labels;
  }
  return times.length ? [{ text: times[0], x: Math.max(wide(times[0]) / 2 + 8, place.x(0)) }] : [];
}

// A chart of a series with axes, and what is under the pointer.
function chart(holder, series, models, height) {
  const range = frame(series, models, {}), width = Math.max(280, holder.clientWidth || 1000);
  const labels = ticks(range.low, range.high, Math.round(height / 66));
  const longest = Math.max(...labels.map(([, text]) => wide(text)));
  const box = { left: Math.max(44, 22 + longest), right: width - 24, top: 16, bottom: height - 34 };
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": series.about });
  const place = frame(series, models, box);
  for (const [value, text] of labels) {
    const y = place.y(value);
    svg.append(draw("line", { class: "rule", x1: box.left, x2: box.right, y1: y, y2: y }));
    svg.append(draw("text", { x: box.left - 8, y: y + 4, "text-anchor": "end" }, text));
  }
  for (const { text, x } of moments(series.ds, place, width)) {
    svg.append(draw("text", { x, y: height - 12, "text-anchor": "middle" }, text));
  }
  if (series.y.length) {
    const now = place.x(series.y.length - 1);
    svg.append(draw("line", { class: "cross", x1: now, x2: now, y1: box.top, y2: box.bottom }));
  }
  svg.append(...lines(series, models, place));
  const marks = draw("g");
  svg.append(marks);
  const tip = make("div", { class: "tip", hidden: "" });
  holder.replaceChildren(svg, tip);
  holder.onpointerleave = () => { tip.hidden = true; marks.replaceChildren(); };
  holder.onpointerdown = holder.onpointermove = (event) => {
    const area = svg.getBoundingClientRect(), x = ((event.clientX - area.left) / area.width) * width;
    const i = Math.max(0, Math.min(series.ds.length - 1, Math.round(((x - box.left) / (box.right - box.left)) * place.steps)));
    hover(series, models, i, place, box, marks, tip);
    // Beside the moment where there is more room, to its right where that is enough.
    const x0 = (place.x(i) / width) * area.width, before = x0 - 12, after = area.width - x0 - 12;
    tip.style.left = "0";
    tip.style.maxWidth = `${Math.min(area.width, Math.max(120, before, after))}px`;
    const size = tip.offsetWidth, left = after >= size || after >= before ? x0 + 12 : before - size;
    tip.style.left = `${Math.max(0, Math.min(area.width - size, left))}px`;
  };
}

// Marks one moment and says what is known of it.
function hover(series, models, i, place, box, marks, tip) {
  const x = place.x(i), ahead = i - series.y.length, rows = [], text = (value) => aligned(value, place.decimals);
  marks.replaceChildren(draw("line", { class: "cross", x1: x, x2: x, y1: box.top, y2: box.bottom }));
  const mark = (name, value, style, shown, notes) => {
    if (!known(value)) return;
    marks.append(draw("circle", { class: "dot", cx: x, cy: place.y(value), r: 4, style }));
    const below = notes.flat().map((note) => make("small", {}, note));
    rows.push(make("div", { style }, [make("i"), make("span", {}, name), make("span", {}, shown), ...below]));
  };
  if (ahead < 0) mark("y", series.y[i], "", number(series.y[i], place.decimals), []);
  else for (const model of models) {
    const bands = data.levels.map((level) => [level, edges(series, model, level)]).filter(([, both]) => both.length === 2);
    const inside = bands.filter(([, both]) => both.every((edge) => known(edge[ahead])));
    const notes = inside.map(([level, [low, high]]) => [`${level} %`, `${text(low[ahead])} to ${text(high[ahead])}`]);
    const value = point(series, model)?.[ahead];
    mark(model, value, series.style ?? colour(model), text(value), notes);
  }
  tip.replaceChildren(make("b", {}, series.ds[i]), ...rows);
  tip.hidden = false;
}

function large() {
  const series = data.series[state.series], models = data.models.filter((model) => state.shown.has(model));
  chart(at("chart"), { ...visible(series), about: `${series.id}: past and forecast` }, models, 380);
}

function small(series, models, height = 80) {
  const svg = draw("svg", { viewBox: `0 0 240 ${height}`, "aria-hidden": "true" });
  svg.append(...lines(series, models, frame(series, models, { left: 3, right: 237, top: 4, bottom: height - 4 })));
  return svg;
}

// What a part of a forecast is, in a few words.
const MEANINGS = {
  level: "the last value it saw",
  trend: "a slow curve",
  seasonality: "waves that repeat",
  identity: "learned step by step, of no given form",
  block: "what this block adds",
};
const meaning = (name) => MEANINGS[name.split(" ")[0]] ?? "";

// The parts of each model's forecast, or why they are not shown.
function parts(series) {
  at("parts-section").hidden = data.parts.length === 0;
  at("parts").replaceChildren();
  for (const { model, why_whole } of data.parts) {
    const columns = series.parts[model] ?? {}, names = Object.keys(columns);
    const note = why_whole ? `not taken apart: ${why_whole}.` : "these add up to its forecast.";
    const grid = make("div", { class: "grid wide" });
    at("parts").append(make("h3", {}, model), make("p", { class: "note" }, note), grid);
    const holders = names.map((name) => {
      const holder = make("div");
      grid.append(make("div", { class: "chart part" }, [make("span", {}, [name, make("small", {}, meaning(name))]), holder]));
      return holder;
    });
    // Widths are known once all of them are there.
    names.forEach((name, k) => {
      const part = { ds: series.ds.slice(series.y.length), y: [], ahead: { [name]: columns[name] }, style: colour(model) };
      chart(holders[k], { ...part, about: `${series.id}: ${name} of ${model}` }, [name], 190);
    });
  }
}

function legend() {
  at("legend").replaceChildren(...data.models.map((model) => {
    const box = make("input", { type: "checkbox" });
    box.checked = state.shown.has(model);
    box.onchange = () => { state.shown[box.checked ? "add" : "delete"](model); show(); };
    return make("label", { style: colour(model) }, [box, make("i"), model]);
  }));
}

function table(series) {
  const columns = Object.keys(series.ahead), start = series.y.length;
  const places = frame(series, data.models, {}).decimals;
  const head = make("tr", {}, ["ds", ...columns].map((name) => make("th", {}, name)));
  const rows = series.ds.slice(start).map((time, i) =>
    make("tr", {}, [time, ...columns.map((name) => aligned(series.ahead[name][i], places))].map((cell) => make("td", {}, cell))));
  at("table").replaceChildren(head, ...rows);
}

function scores() {
  at("scores-section").hidden = data.scores.length === 0;
  at("scores-note").textContent = data.scores_note;
  const head = make("tr", {}, ["model", ...data.score_names].map((name) => make("th", {}, name)));
  at("scores").replaceChildren(head, ...data.scores.map(({ name, cells, chosen }) =>
    make("tr", { class: chosen ? "chosen" : "" }, [name, ...cells].map((cell) => make("td", {}, cell)))));
}

function pages() {
  at("series-section").hidden = data.series.length < 2;
  const found = data.series.map((_, i) => i).filter((i) => data.series[i].id.toLowerCase().includes(state.find));
  const last = Math.max(0, Math.ceil(found.length / SMALL_PER_PAGE) - 1);
  state.page = Math.min(state.page, last);
  at("page").textContent = found.length ? `page ${state.page + 1} of ${last + 1}` : "none found";
  at("back").disabled = state.page === 0;
  at("next").disabled = state.page === last;
  const models = data.models.filter((model) => state.shown.has(model));
  const these = found.slice(state.page * SMALL_PER_PAGE, (state.page + 1) * SMALL_PER_PAGE);
  at("series").replaceChildren(...these.map((i) => {
    const button = make("button", { type: "button", class: "small", "aria-current": i === state.series }, [make("span", {}, data.series[i].id), small(visible(data.series[i]), models)]);
    button.onclick = () => { state.series = i; show(); at("name").scrollIntoView({ behavior: "smooth", block: "start" }); };
    return button;
  }));
}

function show() {
  const series = data.series[state.series];
  if (!series) return;
  at("name").textContent = series.id;
  at("recent").setAttribute("aria-pressed", !state.whole);
  at("all").setAttribute("aria-pressed", state.whole);
  legend(); large(); parts(series); table(series); pages();
}

at("facts").replaceChildren(...data.facts.map(([name, value]) => make("div", {}, [make("dt", {}, name), make("dd", {}, value)])));
const scheme = matchMedia("(prefers-color-scheme: dark)");
const follow = () => { document.documentElement.dataset.theme = scheme.matches ? "dark" : "light"; };
follow();
if (["#dark", "#light"].includes(location.hash)) document.documentElement.dataset.theme = location.hash.slice(1);
scheme.onchange = follow;
at("theme").onclick = () => {
  const root = document.documentElement.dataset;
  root.theme = root.theme === "dark" ? "light" : "dark";
};
at("past").hidden = !data.series.some((series) => old(series) > 0);
at("recent").onclick = () => { state.whole = false; show(); };
at("all").onclick = () => { state.whole = true; show(); };
at("back").onclick = () => { state.page -= 1; pages(); };
at("next").onclick = () => { state.page += 1; pages(); };
at("find").oninput = (event) => { state.find = event.target.value.trim().toLowerCase(); state.page = 0; pages(); };
at("cut").textContent = data.cut.join(" ");
let drawn = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== drawn) show();
  drawn = innerWidth;
});
scores();
show();
