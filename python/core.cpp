// The Python module's compiled part: what bombard/*.py calls. Conversions of arguments, and what
// users read, are there; here are the calls themselves, without the interpreter's lock while they
// compute.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <string>
#include <utility>

#include "bombard/ensemble.hpp"
#include "bombard/read_storm.hpp"
#include "bombard/simulation.hpp"
#include "bombard/words.hpp"
#include "python/arrays.hpp"
#include "python/signals.hpp"
#include "python/solve.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

using Impacts = py::array_t<Impact, py::array::c_style>;
using Maxima = py::array_t<Maximum, py::array::c_style>;
using Starts = py::array_t<std::int64_t, py::array::c_style>;

std::string pybind11_version() {
  return std::to_string(PYBIND11_VERSION_MAJOR) + "." + std::to_string(PYBIND11_VERSION_MINOR);
}

SimulationSettings settings_of(const py::dict& given) {
  SimulationSettings settings;
  const auto take = [&](const char* name, auto& setting, const auto& meaning) {
    if (given.contains(name)) setting = meaning(given[name]);
  };
  const auto word = [](const auto& parse) {
    return [parse](const py::object& it) { return parse(it.cast<std::string>()); };
  };
  const auto value = [&]<class Value>(const char* name, Value& setting) {
    take(name, setting, [](const py::object& it) { return it.cast<Value>(); });
  };
  take("device", settings.device, word(parse_device));
  take("method", settings.method, word(parse_method));
  take("precision", settings.precision, word(parse_precision));
  take("edition", settings.rule.edition,
       [](const py::object& it) { return parse_edition(std::to_string(it.cast<int>())); });
  take("attenuation", settings.rule.attenuation, word(parse_attenuation));
  value("threshold", settings.rule.threshold);
  value("engine", settings.engine);
  value("threads", settings.threads);
  value("exact_layer", settings.exact_layer);
  value("expected_storms", settings.expected_storms);
  value("expected_impacts", settings.expected_impacts);
  settings.interrupt = raise_what_signals_ask_for;
  return settings;
}

/// Storms on their way into a simulation.
struct Storms {
  std::vector<Storm> storms;
  void add(const Impacts& impacts) {
    const std::span<const Impact> values = span_of(impacts);
    storms.push_back({"", {values.begin(), values.end()}});
  }
  void add_file(const std::string& path) {
    const py::gil_scoped_release unlocked;
    storms.push_back(read_storm(path));
  }
  std::vector<std::size_t> impacts() const {
    std::vector<std::size_t> of_each;
    for (const Storm& storm : storms) of_each.push_back(storm.impacts.size());
    return of_each;
  }
};

/// A simulation that Python's threads take in turns.
class SharedSimulation {
 public:
  SharedSimulation(std::int64_t cells, const SimulationSettings& settings)
      : simulation_(cells, settings) {}

  /// call(simulation), while other threads of Python run.
  template <class Call>
  auto with(const Call& call) {
    const py::gil_scoped_release unlocked;
    const std::scoped_lock turn(mutex_);
    return call(simulation_);
  }

 private:
  std::mutex mutex_;
  Simulation simulation_;
};

std::unique_ptr<SharedSimulation> make_simulation(std::int64_t cells, const py::dict& given) {
  const SimulationSettings settings = settings_of(given);
  const py::gil_scoped_release unlocked;
  return std::make_unique<SharedSimulation>(cells, settings);
}

std::pair<std::int64_t, double> apply(SharedSimulation& shared, const Impacts& impacts) {
  const std::span<const Impact> values = span_of(impacts);
  const Maximum maximum = shared.with([&](Simulation& it) { return it.apply(values); });
  return {maximum.position, maximum.value};
}

Maxima apply_storms(SharedSimulation& shared, const Storms& storms) {
  return array_of(shared.with([&](Simulation& it) { return it.apply(storms.storms); }));
}

std::pair<std::int64_t, double> maximum(SharedSimulation& shared) {
  const Maximum last = shared.with([](Simulation& it) { return it.maximum(); });
  return {last.position, last.value};
}

py::array layer(SharedSimulation& shared) {
  if (shared.with([](Simulation& it) { return it.in_double(); })) {
    return array_of(shared.with([](Simulation& it) { return it.layer_in_double(); }));
  }
  return array_of(shared.with([](Simulation& it) { return it.layer(); }));
}

py::array values_at(SharedSimulation& shared, const Starts& cells) {
  const std::span<const std::int64_t> list = span_of(cells);
  std::vector<double> values;
  for (const auto& cell : shared.with([&](Simulation& it) { return it.values_at(list); })) {
    values.push_back(cell.value);
  }
  return array_of(std::move(values));
}

Maxima highest_peaks(SharedSimulation& shared, std::int64_t count) {
  std::vector<Maximum> peaks;
  for (const auto& peak : shared.with([&](Simulation& it) { return it.highest_peaks(count); })) {
    peaks.push_back({peak.position, peak.value});
  }
  return array_of(std::move(peaks));
}

template <class T>
void begin_with(SharedSimulation& shared, const py::array_t<T, py::array::c_style>& layer) {
  const std::span<const T> values = span_of(layer);
  shared.with([&](Simulation& it) { it.begin_with(values); });
}

py::list evidence(SharedSimulation& shared) {
  py::list all;
  for (const Evidence& of_storm : shared.with([](Simulation& it) { return it.evidence(); })) {
    all.append(py::make_tuple(of_storm.direct, of_storm.candidates, of_storm.bound,
                              of_storm.why_direct, of_storm.cells_seen, of_storm.why_dense));
  }
  return all;
}

Maxima ensemble_of(std::int64_t cells, const Impacts& impacts, const Starts& storm_starts,
                   const Starts& run_starts, const py::dict& given) {
  const Runs runs{span_of(impacts), span_of(storm_starts), span_of(run_starts)};
  const SimulationSettings settings = settings_of(given);
  std::vector<Maximum> maxima;
  {
    const py::gil_scoped_release unlocked;
    maxima = ensemble(cells, runs, settings);
  }
  return array_of(std::move(maxima));
}

Impacts impacts_of_file(const std::string& path) {
  Storm storm;
  {
    const py::gil_scoped_release unlocked;
    storm = read_storm(path);
  }
  return array_of(std::move(storm.impacts));
}

void add_simulation(py::module_& module) {
  py::class_<Storms>(module, "Storms")
      .def(py::init())
      .def("add", &Storms::add, py::arg("impacts").noconvert())
      .def("add_file", &Storms::add_file)
      .def_property_readonly("impacts", &Storms::impacts)
      .def("__len__", [](const Storms& storms) { return storms.storms.size(); });
  py::class_<SharedSimulation>(module, "Simulation")
      .def(py::init(&make_simulation))
      .def("apply", &apply, py::arg("impacts").noconvert())
      .def("apply_storms", &apply_storms)
      .def("begin_with", &begin_with<float>, py::arg("layer").noconvert())
      .def("begin_with", &begin_with<double>, py::arg("layer").noconvert())
      .def("reset",
           [](SharedSimulation& shared) { shared.with([](Simulation& it) { it.reset(); }); })
      .def("maximum", &maximum)
      .def("layer", &layer)
      .def("values_at", &values_at, py::arg("cells").noconvert())
      .def("highest_peaks", &highest_peaks)
      .def("evidence", &evidence)
      .def("cells",
           [](SharedSimulation& shared) {
             return shared.with([](Simulation& it) { return it.cells(); });
           })
      .def("engine",
           [](SharedSimulation& shared) {
             return shared.with([](Simulation& it) { return it.engine(); });
           })
      .def("device",
           [](SharedSimulation& shared) {
             return shared.with([](Simulation& it) { return it.device(); });
           })
      .def("in_double", [](SharedSimulation& shared) {
        return shared.with([](Simulation& it) { return it.in_double(); });
      });
  module.def("ensemble", &ensemble_of, py::arg("cells"), py::arg("impacts").noconvert(),
             py::arg("storm_starts").noconvert(), py::arg("run_starts").noconvert(),
             py::arg("settings"));
  module.def("read_storm", &impacts_of_file);
}

/// Throws, which fails the import, where this NumPy is not the one that pybind11 was written for:
/// NumPy 2 laid its types out anew, and a pybind11 before 2.12 reads beside them.
void require_numpy_that_pybind11_knows() {
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  constexpr int knows_numpy_2 = 0x020C0000;
  if (PYBIND11_VERSION_HEX >= knows_numpy_2 || std::stoi(version) < 2) return;
  throw py::import_error("bombard was built with pybind11 " + pybind11_version() +
                         ", which does not know NumPy " + version +
                         "; install numpy<2 for this Python, or build with pybind11 2.12 or newer");
}

}  // namespace

}  // namespace bombard::python

PYBIND11_MODULE(_core, module) {
  using namespace bombard;
  python::require_numpy_that_pybind11_knows();
  PYBIND11_NUMPY_DTYPE(Impact, position, energy);
  PYBIND11_NUMPY_DTYPE(Maximum, position, value);
  python::add_simulation(module);
  python::add_solvers(module);
  module.attr("impact_type") = py::dtype::of<Impact>();
  module.attr("maximum_type") = py::dtype::of<Maximum>();
  module.attr("version") = BOMBARD_VERSION;
  module.attr("pybind11_version") = python::pybind11_version();
}
