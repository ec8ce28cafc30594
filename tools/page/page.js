// Draws the layers that are stored in the page, with dygraphs. tools/page/run_page.hpp describes the data.
"use strict";

(function () {
  const run = JSON.parse(document.getElementById("layers").textContent);
  const byId = (id) => document.getElementById(id);
  const whole = [-0.5, run.cells - 0.5];
  const aroundMaximum = 60.5;  // cells to either side
  const mostMarked = 250;      // cells in view, up to which each one gets a mark
  const overviewSlots = 1000;
  let chart = null;
  let shown = null;

  const number = (value) => value === null ? "not a number" : value.toLocaleString("en-US", {maximumSignificantDigits: 9});
  const cellNumber = (cell) => cell.toLocaleString("en-US");
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /// [first cell, last cell, lowest, highest] of each point.
  const pointsOf = ({points}) => points.map(([first, low, high = low], k) =>
    [first, (k + 1 < points.length ? points[k + 1][0] : run.cells) - 1, low, high]);

  /// Rows for dygraphs: the middle cell, the band with its line, and the highest value near it: of all rows that fall on one
  /// pixel, the overview below the chart draws the first.
  function rowsOf(points) {
    const slot = (cell) => Math.floor(cell / run.cells * overviewSlots);
    const highest = new Array(overviewSlots).fill(null);
    for (const [first, , , high] of points) {
      if (high !== null) highest[slot(first)] = Math.max(highest[slot(first)] ?? high, high);
    }
    return points.map(([first, last, low, high]) =>
      [(first + last) / 2, low === null ? [null, null, null] : [low, high, high], new Array(3).fill(highest[slot(first)])]);
  }

  function describe([first, last, low, high]) {
    byId("pointed").textContent = first === last
      ? `cell ${cellNumber(first)}: ${number(high)}`
      : `cells ${cellNumber(first)} to ${cellNumber(last)}: ${number(low)} to ${number(high)}`;
  }

  function drawCell(graph, name, context, x, y, fill, radius) {
    const [left, right] = graph.xAxisRange();
    if (right - left > mostMarked) return;
    context.beginPath();
    context.fillStyle = fill;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }

  const options = () => ({
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
    axes: {
      x: {
        axisLabelFormatter: (x) => Number.isInteger(x) ? cellNumber(x) : "",
        axisLabelWidth: 110,
        pixelsPerLabel: Math.min(120, 30 + 7 * cellNumber(run.cells).length),
      },
      y: {axisLabelFormatter: (y) => y.toLocaleString("en-US", {maximumSignificantDigits: 6}), axisLabelWidth: 80},
    },
    highlightCallback: (event, x, points, index) => describe(shown.points[index]),
    unhighlightCallback: () => { byId("pointed").textContent = ""; },
  });

  function zoomAroundMaximum() {
    if (shown.position === null) return;
    chart.updateOptions({dateWindow: [Math.max(shown.position - aroundMaximum, whole[0]), Math.min(shown.position + aroundMaximum, whole[1])]});
  }

  function show(index) {
    shown = {...run.layers[index], points: pointsOf(run.layers[index])};
    byId("storm").value = index;
    byId("previous").disabled = index === 0;
    byId("next").disabled = index === run.layers.length - 1;
    byId("around").disabled = shown.position === null;
    for (const line of document.querySelectorAll("tr[data-storm]")) {
      line.classList.toggle("shown", Number(line.dataset.storm) === shown.storm);
    }
    const file = rowsOf(shown.points);
    if (chart === null) {
      chart = new Dygraph(byId("chart"), file, {...options(), dateWindow: whole});
    } else {
      chart.updateOptions({file, dateWindow: chart.xAxisRange()});
    }
    chart.setAnnotations(shown.position === null ? [] : [{
      series: "layer", x: shown.position, shortText: "maximum", text: `cell ${cellNumber(shown.position)}: ${shown.maximum}`,
      width: 74, height: 18, tickHeight: 10, tickColor: color("--line"), cssClass: "maximum",
    }]);
  }

  run.layers.forEach((layer, index) => byId("storm").add(new Option(String(layer.storm), String(index))));
  byId("storm").addEventListener("change", (event) => show(Number(event.target.value)));
  byId("previous").addEventListener("click", () => show(Number(byId("storm").value) - 1));
  byId("next").addEventListener("click", () => show(Number(byId("storm").value) + 1));
  byId("whole").addEventListener("click", () => chart.updateOptions({dateWindow: whole}));
  byId("around").addEventListener("click", zoomAroundMaximum);
  for (const button of document.querySelectorAll("button[data-storm]")) {
    button.addEventListener("click", () => {
      show(run.layers.findIndex((layer) => layer.storm === Number(button.dataset.storm)));
      zoomAroundMaximum();
      byId("layers-section").scrollIntoView();
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.updateOptions(options()));
  show(run.layers.length - 1);
})();
