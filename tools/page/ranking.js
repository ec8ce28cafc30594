// Draws a class's results, which are stored in the page as JSON, the latest run first (tools/judge/reports/ranking.hpp).
"use strict";

(function () {
  const runs = JSON.parse(document.getElementById("runs").textContent);
  const byId = (id) => document.getElementById(id);
  const svgSpace = "http://www.w3.org/2000/svg";
  const markers = ["M-4,-4h8v8h-8z", "M0,-5L5,4H-5z", "M0,-5L5,0L0,5L-5,0z", "M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0",
    "M0,5L5,-4H-5z", "M-5,-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z"];

  function element(tag, attributes, ...children) {
    const made = svg.has(tag) ? document.createElementNS(svgSpace, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }
  const svg = new Set(["svg", "path", "polyline", "line", "text"]);
  const fixed = (value, decimals) => typeof value === "number" ? value.toFixed(decimals) : "-";
  const nameOf = (row, index) => row.name || (row.rank ? `rank ${row.rank}` : `program ${index + 1}`);
  const reasonOf = (row) => row.mistakes || row.reason || "";

  function tableOf(rows) {
    const heads = [["rank"], ["name", "text"], ["verdict", "text"], ["why", "text"], ["seconds"], ["spread"], ["speedup"]];
    const line = (tag, texts) => element("tr", {}, ...texts.map((text, i) =>
      element(tag, {class: heads[i][1] || "number"}, text)));
    const body = rows.map((row) => line("td", [String(row.rank || ""), row.name, row.verdict, reasonOf(row),
      fixed(row.seconds, 6), typeof row.spread === "number" ? `${(100 * row.spread).toFixed(0)}%` : "-",
      fixed(row.speedup, 2)]));
    return element("table", {}, element("thead", {}, line("th", heads.map((head) => head[0]))),
      element("tbody", {}, ...body));
  }

  // A step of 1, 2 or 5 times a power of ten that divides an axis into about five parts.
  function stepOf(most) {
    const power = 10 ** Math.floor(Math.log10(most / 5));
    return power * [1, 2, 5, 10].find((times) => power * times >= most / 5);
  }

  // Speedup over threads, with a line, a colour and a marker for each right program.
  function plotOf(rows) {
    const shown = rows.map((row, index) => ({name: nameOf(row, index), points: row.passes ? row.scaling : []}))
      .filter((line) => line.points.length > 0);
    const mostThreads = Math.max(1, ...shown.flatMap((line) => line.points.map((point) => point[0])));
    const mostSpeedup = Math.max(1, ...shown.flatMap((line) => line.points.map((point) => point[1])));
    if (mostThreads === 1) return [];
    const [width, height, left, bottom, rim] = [640, 400, 56, 48, 16];
    const x = (threads) => left + (width - left - rim) * threads / mostThreads;
    const y = (speedup) => height - bottom - (height - bottom - rim) * speedup / mostSpeedup;
    const drawing = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "speedup over threads",
      "font-size": "13", fill: "currentColor"});
    const label = (text, at, anchor) => element("text", {x: at[0], y: at[1], "text-anchor": anchor}, text);
    const rule = (from, to, style) => element("line",
      {x1: from[0], y1: from[1], x2: to[0], y2: to[1], stroke: "var(--rule)", ...style});
    for (let value = 0, step = Math.max(1, stepOf(mostThreads)); value <= mostThreads; value += step) {
      drawing.append(rule([x(value), y(0)], [x(value), y(0) + 5]), label(String(value), [x(value), y(0) + 20], "middle"));
    }
    for (let i = 0, step = stepOf(mostSpeedup); i * step <= mostSpeedup; ++i) {
      drawing.append(rule([x(0), y(i * step)], [width - rim, y(i * step)]),
        label(String(+(i * step).toPrecision(6)), [x(0) - 8, y(i * step) + 4], "end"));
    }
    const ideal = Math.min(mostThreads, mostSpeedup);
    drawing.append(rule([x(0), y(0)], [x(ideal), y(ideal)], {stroke: "currentColor", "stroke-dasharray": "4"}),
      label("threads", [width - rim, height - 8], "end"), label("speedup", [4, 12], "start"));
    const legend = element("ul", {class: "legend"});
    shown.forEach((line, index) => {
      const colour = `hsl(${(index * 137.5) % 360} 65% 50%)`;
      const marker = (at) => element("path", {d: markers[index % markers.length], fill: colour, transform: `translate(${at})`});
      drawing.append(element("polyline", {points: line.points.map((point) => `${x(point[0])},${y(point[1])}`).join(" "),
        fill: "none", stroke: colour, "stroke-width": "1.5"}),
      ...line.points.map((point) => marker(`${x(point[0])},${y(point[1])}`)));
      legend.append(element("li", {}, element("svg", {viewBox: "-6 -6 12 12", width: "12", height: "12"}, marker("0,0")),
        " ", line.name));
    });
    return [element("h2", {}, "Speedup over threads"), element("div", {class: "plot"}, drawing, legend)];
  }

  const machineOf = (run) => [run.date, run.machine && `${run.machine}, ${run.cores} cores, load ${run.load}`,
    run.commit && `commit ${run.commit}`].filter(Boolean).join("; ");
  const summaryOf = (run) =>
    `${run.rows.length} program${run.rows.length === 1 ? "" : "s"}, ${run.rows.filter((row) => row.passes).length} right`;
  byId("summary").textContent = summaryOf(runs[0]);
  byId("machine").textContent = machineOf(runs[0]);
  byId("latest").append(tableOf(runs[0].rows), ...plotOf(runs[0].rows));
  for (const run of runs.slice(1)) {
    byId("earlier").hidden = false;
    byId("earlier").append(element("details", {}, element("summary", {}, `${run.date}: ${summaryOf(run)}`),
      element("p", {class: "hint"}, machineOf(run)), tableOf(run.rows), ...plotOf(run.rows)));
  }
}());
