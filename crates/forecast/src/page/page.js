"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const SMALL_PER_PAGE = 12;
const state = { series: 0, page: 0, find: "", shown: new Set(data.shown) };

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

// A number with at most so many decimals.
function number(value, decimals) {
  if (!known(value)) return "";
  const size = Math.abs(value), places = Math.max(0, decimals);
  if (size >= 1e9 || (size !== 0 && places > 8)) {
    return value.toExponential(Math.min(6, Math.max(0, power(size) + decimals)));
  }
  return value.toLocaleString("en", { maximumFractionDigits: places });
}

// Round numbers for about `count` ticks from low to high, and how they are written.
function ticks(low, high, count) {
  const rough = (high - low) / count, unit = 10 ** power(rough);
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough * 0.999);
  const places = Math.ceil(-Math.log10(step) - 1e-9);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) && found.length < 20; i++) found.push(i * step);
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
      shapes.push(draw("path", { class: "band", style: colour(model), d: `${there}${back.reverse().join("")}Z` }));
    }
  }
  shapes.push(draw("path", { class: "past", d: path(series.y, 0, place) }));
  for (const model of models) {
    const forecast = point(series, model);
    if (!forecast) continue;
    const start = known(series.y[now]) ? [series.y[now]] : [];
    const line = path([...start, ...forecast], now + 1 - start.length, place);
    shapes.push(draw("path", { class: "ahead", style: colour(model), d: line }));
  }
  return shapes;
}

function large() {
  const series = data.series[state.series], models = data.models.filter((model) => state.shown.has(model));
  const range = frame(series, models, {}), labels = ticks(range.low, range.high, 6);
  const [width, height] = [1000, 400], longest = Math.max(...labels.map(([, text]) => text.length));
  const box = { left: Math.max(62, 14 + 7 * longest), right: width - 40, top: 16, bottom: height - 34 };
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${series.id}: past and forecast` });
  const place = frame(series, models, box);
  for (const [value, text] of labels) {
    const y = place.y(value);
    svg.append(draw("line", { class: "rule", x1: box.left, x2: box.right, y1: y, y2: y }));
    svg.append(draw("text", { x: box.left - 8, y: y + 4, "text-anchor": "end" }, text));
  }
  const count = Math.min(8, place.steps + 1);
  for (let k = 0; k < count; k++) {
    const i = count > 1 ? Math.round((k * place.steps) / (count - 1)) : 0;
    svg.append(draw("text", { x: place.x(i), y: height - 12, "text-anchor": "middle" }, series.ds[i]));
  }
  const now = place.x(series.y.length - 1);
  svg.append(draw("line", { class: "cross", x1: now, x2: now, y1: box.top, y2: box.bottom }));
  svg.append(...lines(series, models, place));
  const marks = draw("g");
  svg.append(marks);
  const chart = at("chart"), tip = make("div", { class: "tip", hidden: "" });
  chart.replaceChildren(svg, tip);
  chart.onpointerleave = () => { tip.hidden = true; marks.replaceChildren(); };
  chart.onpointermove = (event) => {
    const area = svg.getBoundingClientRect(), x = ((event.clientX - area.left) / area.width) * width;
    const i = Math.max(0, Math.min(place.steps, Math.round(((x - box.left) / (box.right - box.left)) * place.steps)));
    hover(series, models, i, place, box, marks, tip);
    const left = (place.x(i) / width) * area.width, wide = tip.offsetWidth;
    tip.style.left = `${left + wide + 24 > area.width ? left - wide - 12 : left + 12}px`;
  };
}

// Marks one moment and says what is known of it.
function hover(series, models, i, place, box, marks, tip) {
  const x = place.x(i), ahead = i - series.y.length, rows = [], text = (value) => number(value, place.decimals);
  marks.replaceChildren(draw("line", { class: "cross", x1: x, x2: x, y1: box.top, y2: box.bottom }));
  const mark = (name, value, style, note) => {
    if (!known(value)) return;
    marks.append(draw("circle", { class: "dot", cx: x, cy: place.y(value), r: 4, style }));
    rows.push(make("div", { style }, [make("i"), `${name} ${text(value)} `, make("small", {}, note)]));
  };
  if (ahead < 0) mark("y", series.y[i], "", "");
  else for (const model of models) {
    const bands = data.levels.map((level) => [level, edges(series, model, level)]).filter(([, both]) => both.length === 2);
    const note = bands.map(([level, [low, high]]) => `${level} %: ${text(low[ahead])} to ${text(high[ahead])}`);
    mark(model, point(series, model)?.[ahead], colour(model), note.join(", "));
  }
  tip.replaceChildren(make("b", {}, series.ds[i]), ...rows);
  tip.hidden = false;
}

function small(series, models, height = 80) {
  const svg = draw("svg", { viewBox: `0 0 240 ${height}`, "aria-hidden": "true" });
  svg.append(...lines(series, models, frame(series, models, { left: 3, right: 237, top: 4, bottom: height - 4 })));
  return svg;
}

function parts(series) {
  const names = Object.keys(series.parts ?? {});
  at("parts-section").hidden = names.length === 0;
  at("parts-note").textContent = names.length ? `${data.parts_of}: these add up to its forecast.` : "";
  at("parts").replaceChildren(...names.map((name) => {
    const values = series.parts[name], box = { left: 3, right: 237, top: 4, bottom: 96 };
    const svg = draw("svg", { viewBox: "0 0 240 100", role: "img", "aria-label": name });
    const place = frame({ y: values, ds: values, ahead: {} }, [], box);
    svg.append(draw("path", { class: "ahead", style: colour(data.parts_of), d: path(values, 0, place) }));
    const [first, last] = [values[0], values[values.length - 1]].map((value) => number(value, place.decimals));
    return make("div", { class: "chart small" }, [make("span", {}, `${name}: ${first} to ${last}`), svg]);
  }));
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
    make("tr", {}, [time, ...columns.map((name) => number(series.ahead[name][i], places))].map((cell) => make("td", {}, cell))));
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
  at("left-out").textContent = data.left_out;
  const found = data.series.map((_, i) => i).filter((i) => data.series[i].id.toLowerCase().includes(state.find));
  const last = Math.max(0, Math.ceil(found.length / SMALL_PER_PAGE) - 1);
  state.page = Math.min(state.page, last);
  at("page").textContent = found.length ? `page ${state.page + 1} of ${last + 1}` : "none found";
  at("back").disabled = state.page === 0;
  at("next").disabled = state.page === last;
  const models = data.models.filter((model) => state.shown.has(model));
  const these = found.slice(state.page * SMALL_PER_PAGE, (state.page + 1) * SMALL_PER_PAGE);
  at("series").replaceChildren(...these.map((i) => {
    const button = make("button", { type: "button", class: "small", "aria-current": i === state.series }, [make("span", {}, data.series[i].id), small(data.series[i], models)]);
    button.onclick = () => { state.series = i; show(); at("name").scrollIntoView({ behavior: "smooth", block: "start" }); };
    return button;
  }));
}

function show() {
  const series = data.series[state.series];
  if (!series) return;
  at("name").textContent = series.id;
  legend(); large(); parts(series); table(series); pages();
}

at("facts").replaceChildren(...data.facts.map(([name, value]) => make("div", {}, [make("dt", {}, name), make("dd", {}, value)])));
const dark = matchMedia("(prefers-color-scheme: dark)").matches || location.hash === "#dark";
document.documentElement.dataset.theme = dark && location.hash !== "#light" ? "dark" : "light";
at("theme").onclick = () => {
  const root = document.documentElement.dataset;
  root.theme = root.theme === "dark" ? "light" : "dark";
};
at("back").onclick = () => { state.page -= 1; pages(); };
at("next").onclick = () => { state.page += 1; pages(); };
at("find").oninput = (event) => { state.find = event.target.value.toLowerCase(); state.page = 0; pages(); };
scores();
show();
