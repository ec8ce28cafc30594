// The Python module's compiled part, which bombard/*.py calls. Those files convert arguments and
// hold what users read; here are the calls themselves, without the interpreter's lock while they
// compute.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "bombard/ensemble.hpp"
#include "bombard/read_storm.hpp"
#include "bombard/simulation.hpp"
#include "bombard/words.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/device/device.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"
#include "python/parts.hpp"
#include "sim/generation.hpp"
#include "sim/processor.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// Rows (position, energy), whose energies have 32 bits.
using Rows = DenseView<std::int64_t>;
using Numbers = std::span<const std::int64_t>;

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
  take("wanted", settings.wanted, word(parse_wanted));
  value("expected_storms", settings.expected_storms);
  value("expected_impacts", settings.expected_impacts);
  settings.interrupt = raise_what_signals_ask_for;
  return settings;
}

std::vector<Impact> impacts_of(const Rows& rows) {
  std::vector<Impact> impacts(static_cast<std::size_t>(rows.rows));
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    impacts[i] = {rows.values[2 * i], static_cast<std::int32_t>(rows.values[2 * i + 1])};
  }
  return impacts;
}

py::memoryview rows_of(const std::vector<Impact>& impacts) {
  std::vector<std::int64_t> rows;
  rows.reserve(2 * impacts.size());
  for (const Impact& impact : impacts) {
    rows.push_back(impact.position);
    rows.push_back(impact.energy);
  }
  return memory_of(std::move(rows));
}

/// A simulation that Python's threads use in turn.
class SharedSimulation {
 public:
  SharedSimulation(std::int64_t cells, const SimulationSettings& settings)
      : simulation_(cells, settings) {}

  /// call(simulation), while other Python threads run.
  template <class Call>
  auto with(const Call& call) {
    if (user_ == std::this_thread::get_id()) {
      throw CannotRun(
          "the simulation is in the middle of a storm: a signal handler cannot ask it before the "
          "storm is done");
    }
    return unlocked([&] {
      std::unique_lock turn(mutex_, std::defer_lock);
      while (!turn.try_lock_for(std::chrono::milliseconds(50))) raise_what_signals_ask_for();
      const Use use(user_);
      return call(simulation_);
    });
  }

 private:
  /// The thread that uses the simulation, for as long as it does.
  struct Use {
    explicit Use(std::atomic<std::thread::id>& user) : user_(user) {
      user_ = std::this_thread::get_id();
    }
    ~Use() { user_ = std::thread::id(); }
    std::atomic<std::thread::id>& user_;
  };

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> user_;
  Simulation simulation_;
};

// What Python gets for a result of the library.
template <class Value>
Value result_of(Value value) {
  return value;
}
template <class Value>
py::memoryview result_of(std::vector<Value> values) {
  return memory_of(std::move(values));
}
py::memoryview result_of(Layer layer) {
  return std::visit([](auto& cells) { return memory_of(std::move(cells)); }, layer);
}
py::tuple result_of(const Maximum& maximum) {
  return py::make_tuple(maximum.position, maximum.value);
}
py::list result_of(const std::vector<Evidence>& evidence) {
  py::list all;
  for (const Evidence& it : evidence) {
    all.append(py::make_tuple(it.direct, it.candidates, it.bound, it.cells_seen, it.why));
  }
  return all;
}

py::memoryview ensemble_of(std::int64_t cells, const Rows& rows, Numbers storm_starts,
                           Numbers run_starts, const py::dict& given) {
  const SimulationSettings settings = settings_of(given);
  return memory_of(unlocked([&] {
    const std::vector<Impact> impacts = impacts_of(rows);
    return ensemble(cells, Runs{impacts, storm_starts, run_starts}, settings);
  }));
}

py::memoryview impacts_of_file(const std::string& path) {
  return rows_of(unlocked([&] {
    const StoppableWork waiting([](double) { raise_what_signals_ask_for(); });
    return read_storm(path).impacts;
  }));
}

py::memoryview generated(std::int64_t cells, std::int64_t impacts, std::pair<int, int> energies,
                         std::uint64_t seed, std::int64_t index) {
  return rows_of(unlocked([&] {
    return generate_storm(cells, impacts, energies.first, energies.second, seed, index).impacts;
  }));
}

py::tuple plan_of(std::int64_t cells, const py::dict& given) {
  const SimulationSettings settings = settings_of(given);
  const Plan made = unlocked([&] { return plan(cells, settings); });
  return py::make_tuple(made.engine, name_of(made.method), name_of(made.precision), made.device,
                        made.on_gpu, made.reason, made.threads, made.seconds, made.host_bytes);
}

/// The CPU, and the GPUs that this process sees: a word for `device`, the name, memory in
/// bytes, cores or multiprocessors, and whether this build can use it.
py::list devices() {
  py::list all;
  all.append(
      py::make_tuple("cpu", processor_name(), available_host_memory(), usable_cores(), true));
  for (const cuda::Device& gpu : cuda::devices()) {
    all.append(py::make_tuple("cuda:" + std::to_string(gpu.index), gpu.name, gpu.memory,
                              gpu.multiprocessors, gpu.has_code));
  }
  return all;
}

/// function(simulation, given...), in turn.
template <class... Given, class Function>
auto in_turn(const Function& function) {
  return [function](SharedSimulation& shared, const Given&... given) {
    const auto call = [&](Simulation& it) { return std::invoke(function, it, given...); };
    if constexpr (std::is_void_v<std::invoke_result_t<Function, Simulation&, Given...>>) {
      shared.with(call);
    } else {
      return result_of(shared.with(call));
    }
  };
}

void add_simulation(py::module_& module) {
  const auto apply = [](Simulation& it, const Rows& storm) { return it.apply(impacts_of(storm)); };
  const auto apply_storms = [](Simulation& it, const std::vector<Rows>& storms) {
    std::vector<Maximum> maxima;
    for (const Rows& storm : storms) maxima.push_back(it.apply(impacts_of(storm)));
    return maxima;
  };
  const auto highest_peaks = [](Simulation& it, std::int64_t count) {
    return it.highest_peaks(count).peaks;
  };
  const auto begin_with = [](Simulation& it, auto layer) { it.begin_with(layer); };
  py::class_<SharedSimulation>(module, "Simulation")
      .def(py::init([](std::int64_t cells, const py::dict& given) {
        const SimulationSettings settings = settings_of(given);
        return unlocked([&] { return std::make_unique<SharedSimulation>(cells, settings); });
      }))
      .def("apply", in_turn<Rows>(apply))
      .def("apply_storms", in_turn<std::vector<Rows>>(apply_storms))
      .def("begin_with", in_turn<std::span<const float>>(begin_with))
      .def("begin_with", in_turn<std::span<const double>>(begin_with))
      .def("reset", in_turn(&Simulation::reset))
      .def("maximum", in_turn(&Simulation::maximum))
      .def("layer", in_turn(&Simulation::layer))
      .def("values_at", in_turn<Numbers>(&Simulation::values_at))
      .def("highest_peaks", in_turn<std::int64_t>(highest_peaks))
      .def("evidence", in_turn(&Simulation::evidence))
      .def("cells", in_turn([](Simulation& it) { return it.plan().cells; }))
      .def("engine", in_turn(&Simulation::engine))
      .def("device", in_turn([](Simulation& it) { return it.plan().device; }))
      .def("in_double",
           in_turn([](Simulation& it) { return it.plan().precision == Precision::binary64; }));
  module.def("ensemble", &ensemble_of);
  module.def("read_storm", &impacts_of_file);
  module.def("generate", &generated);
  module.def("plan", &plan_of);
  module.def("devices", &devices);
  module.def("require_memory", &require_host_memory);
}

}  // namespace

}  // namespace bombard::python

PYBIND11_MODULE(_core, module) {
  using namespace bombard;
  static_assert(offsetof(Maximum, value) == 8 && sizeof(Maximum) == 16,
                "bombard/simulation.py says so");
  static_assert(offsetof(CellValue, value) == 8 && sizeof(CellValue) == 16, "likewise");
  pybind11::class_<python::Memory>(module, "Memory", pybind11::buffer_protocol())
      .def_buffer(&python::Memory::buffer);
  python::add_exceptions(module);
  python::add_simulation(module);
  python::add_solvers(module);
  module.attr("version") = BOMBARD_VERSION;
  module.attr("most_threads") = most_threads;
}
