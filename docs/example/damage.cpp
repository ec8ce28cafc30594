// Which point of a layer suffers most, storm after storm, and how much energy stays in the layer.
#include <bombard/read_storm.hpp>
#include <bombard/simulation.hpp>
#include <bombard/solve.hpp>
#include <cstdio>
#include <span>
#include <variant>
#include <vector>

int main(int argc, char** argv) {
  try {
    bombard::Simulation simulation(60);
    for (int i = 1; i < argc; ++i) {
      const bombard::Storm storm = bombard::read_storm(argv[i]);
      const bombard::Maximum maximum = simulation.apply(storm.impacts);
      std::printf("%s: cell %d, %.6f\n", argv[i], static_cast<int>(maximum.position),
                  maximum.value);
    }
    const auto layer = std::get<std::vector<float>>(simulation.layer());  // in single precision
    std::printf("by %s, %.1f in %zu cells\n", simulation.engine().c_str(),
                bombard::solve::sum(std::span(layer)), layer.size());
    return 0;
  } catch (const bombard::InputError& error) {  // what the caller gave is wrong
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const bombard::CannotRun& error) {  // this machine cannot do it
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
