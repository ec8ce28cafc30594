// Draws the layers that are stored in the page, with dygraphs. tools/page/run_page.hpp describes the data.
"use strict";

(function () {
  const run = JSON.parse(document.getElementById("layers").textContent);
  const byId = (id) => document.getElementById(id);
  const whole = [-0.5, run.cells - 0.5];
  const aroundMaximum = 60;  // cells to either side
  const mostPoints = 250;    // cells in view, up to which each one gets a point
  const overviewSlots = 1000;
  let chart = null;
  let shown = null;

  const number = (value) => value.toLocaleString("en-US", {maximumSignificantDigits: 9});
  const cellNumber = (cell) => cell.toLocaleString("en-US");

  function floats(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  /// Appends to each row the highest value near it, for the overview below the chart: of all rows that fall on one pixel, the
  /// overview draws the first.
  function addOverview(rows) {
    const slot = (row) => Math.floor((row[0] / run.cells) * overviewSlots);
    const highest = new Array(overviewSlots).fill(null);
    for (const row of rows) {
      const value = row[1][2];
      if (value !== null) highest[slot(row)] = Math.max(highest[slot(row)] ?? value, value);
    }
    for (const row of rows) row.push(new Array(3).fill(highest[slot(row)]));
  }

  /// A layer's bins as rows for dygraphs: the middle cell, [lowest, highest, highest], the overview.
  function unpacked(layer) {
    const lowest = floats(layer.lowest);
    const highest = floats(layer.highest);
    const rows = [];
    const bins = [];
    for (const [begin, end, width] of layer.runs) {
      for (let first = begin; first < end; first += width) {
        const last = Math.min(first + width, end) - 1;
        const low = lowest[rows.length];
        const high = highest[rows.length];
        const finite = Number.isFinite(low) && Number.isFinite(high);
        rows.push([(first + last) / 2, finite ? [low, high, high] : [null, null, null]]);
        bins.push([first, last, low, high]);
      }
    }
    addOverview(rows);
    return {storm: layer.storm, position: layer.position, maximum: layer.maximum, rows, bins};
  }

  function describe(row) {
    const [first, last, low, high] = shown.bins[row];
    byId("pointed").textContent = first === last
      ? `cell ${cellNumber(first)}: ${number(high)}`
      : `cells ${cellNumber(first)} to ${cellNumber(last)}: ${number(low)} to ${number(high)}`;
  }

  function drawCell(graph, name, context, x, y, color, radius) {
    const [left, right] = graph.xAxisRange();
    if (right - left > mostPoints) return;
    context.beginPath();
    context.fillStyle = color;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function options() {
    return {
      labels: ["cell", "layer", "overview"],
      visibility: [true, false],
      series: {overview: {showInRangeSelector: true}},
      customBars: true,
      colors: [color("--line"), color("--line")],
      strokeWidth: 1.25,
      fillAlpha: 0.25,
      drawPoints: true,
      drawPointCallback: drawCell,
      pointSize: 2,
      gridLineColor: color("--rule"),
      axisLineColor: color("--rule"),
      showRangeSelector: true,
      rangeSelectorHeight: 48,
      rangeSelectorPlotStrokeColor: color("--line"),
      rangeSelectorPlotFillColor: color("--line"),
      rangeSelectorPlotFillGradientColor: color("--background"),
      rangeSelectorBackgroundStrokeColor: color("--rule"),
      rangeSelectorForegroundStrokeColor: color("--faint"),
      rangeSelectorVeilColour: color("--veil"),
      xlabel: "cell",
      legend: "never",
      dateWindow: whole,
      axes: {
        x: {
          axisLabelFormatter: (x) => Number.isInteger(x) ? cellNumber(x) : "",
          axisLabelWidth: 110,
          pixelsPerLabel: Math.min(120, 30 + 7 * cellNumber(run.cells).length),
        },
        y: {axisLabelFormatter: (y) => y.toLocaleString("en-US", {maximumSignificantDigits: 6}), axisLabelWidth: 80},
      },
      highlightCallback: (event, x, points, row) => describe(row),
      unhighlightCallback: () => { byId("pointed").textContent = ""; },
    };
  }

  function zoomTo(left, right) {
    const width = Math.min(Math.max(right - left, 4), run.cells);
    const begin = Math.min(Math.max((left + right - width) / 2, whole[0]), whole[1] - width);
    chart.updateOptions({dateWindow: [begin, begin + width]});
  }

  function zoomAroundMaximum() {
    if (shown.position === null) return;
    zoomTo(shown.position - aroundMaximum, shown.position + aroundMaximum);
  }

  function markMaximum() {
    if (shown.position === null) return;
    chart.setAnnotations([{
      series: "layer", x: shown.position, shortText: "maximum", text: `cell ${cellNumber(shown.position)}: ${shown.maximum}`,
      width: 74, height: 18, tickHeight: 10, tickColor: color("--line"), cssClass: "maximum",
    }]);
  }

  function show(index) {
    shown = unpacked(run.layers[index]);
    byId("storm").value = index;
    byId("previous").disabled = index === 0;
    byId("next").disabled = index === run.layers.length - 1;
    byId("around").disabled = shown.position === null;
    for (const row of document.querySelectorAll("tr[data-storm]")) {
      row.classList.toggle("shown", Number(row.dataset.storm) === shown.storm);
    }
    if (chart === null) {
      chart = new Dygraph(byId("chart"), shown.rows, options());
    } else {
      chart.setAnnotations([], true);
      chart.updateOptions({file: shown.rows, dateWindow: chart.xAxisRange()});
    }
    markMaximum();
  }

  /// The wheel zooms about the cell below it.
  function turnWheel(event) {
    event.preventDefault();
    const [left, right] = chart.xAxisRange();
    const at = chart.toDataXCoord(event.clientX - byId("chart").getBoundingClientRect().left);
    const factor = event.deltaY < 0 ? 0.8 : 1.25;
    zoomTo(at - (at - left) * factor, at + (right - at) * factor);
  }

  function connect() {
    run.layers.forEach((layer, index) => byId("storm").add(new Option(String(layer.storm), String(index))));
    byId("storm").addEventListener("change", (event) => show(Number(event.target.value)));
    byId("previous").addEventListener("click", () => show(Number(byId("storm").value) - 1));
    byId("next").addEventListener("click", () => show(Number(byId("storm").value) + 1));
    byId("whole").addEventListener("click", () => zoomTo(...whole));
    byId("around").addEventListener("click", zoomAroundMaximum);
    byId("chart").addEventListener("wheel", turnWheel, {passive: false});
    for (const button of document.querySelectorAll("button[data-storm]")) {
      button.addEventListener("click", () => {
        show(run.layers.findIndex((layer) => layer.storm === Number(button.dataset.storm)));
        zoomAroundMaximum();
        byId("layers-section").scrollIntoView();
      });
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      chart.updateOptions({...options(), dateWindow: chart.xAxisRange()});
    });
  }

  connect();
  show(run.layers.length - 1);
})();
