// Runs that a signal stops, and runs that go on from a layer.

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class StoppedRun : public ProgramTest {
 protected:
  static std::string storm(const std::string& number) {
    return std::string(BOMBARD_SOURCE_DIR) + "/inputs/samples/layer_60_storm_" + number + ".txt";
  }

  /// "42 6261.730469 33 12216.692383 ".
  static std::string maxima_in(const std::string& out) {
    const std::string label = "Result: ";
    const std::size_t at = out.find(label);
    if (at == std::string::npos) return "none in " + out;
    std::string maxima = out.substr(at + label.size());
    if (maxima.ends_with('\n')) maxima.back() = ' ';
    return maxima;
  }

  std::string maxima(const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run", "60", "--format", "result"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return maxima_in(outcome.out);
  }
};

TEST_F(StoppedRun, GoesOnFromItsLayerAsIfItHadNotStopped) {
  const std::string layer = path("layer.npy");
  for (const std::string engine : {"reference", "cpu_direct", "cpu_fast", "cpu_double"}) {
    SCOPED_TRACE(engine);
    const std::string by = "--engine=" + engine;
    // The layer after a storm is a direct engine's, or that of double precision.
    const std::string layer_by = engine == "cpu_fast" ? "--engine=cpu_direct" : by;
    const std::string whole = maxima({storm("1"), storm("2"), storm("3"), by});
    std::string pieces = maxima({storm("1"), layer_by, "--layer", layer});
    pieces += maxima({storm("2"), storm("3"), by, "--initial", layer});
    EXPECT_EQ(pieces, whole);
    pieces = maxima({storm("1"), storm("2"), layer_by, "--layer", layer});
    pieces += maxima({storm("3"), by, "--initial", layer});
    EXPECT_EQ(pieces, whole);
  }
}

TEST_F(StoppedRun, EndsAfterTheStormsInProgressAndSaysHowToGoOn) {
  const Outcome outcome = shell(
      "\"$bombard\" generate --cells 200000 --impacts 200 --storms 60 --directory s --energy 1:99 "
      ">names && "
      "\"$bombard\" run 200000 s/* --engine cpu_direct --format result >whole && "
      "{ \"$bombard\" run 200000 s/* --engine reference --layer l.npy --layers all.npy "
      "--output first.json 2>messages & } && sleep 0.7 && kill -TERM $!; wait $!");
  ASSERT_EQ(outcome.exit_code, 4) << outcome.err << content_of(path("messages"));
  const nlohmann::json first = nlohmann::json::parse(content_of(path("first.json")));
  const std::size_t done = first["storms"].size();
  EXPECT_TRUE(matches(content_of(path("messages")),
                      "bombard: ends after the storms in progress; once more ends at once\n"
                      "bombard: stopped after storm " +
                          std::to_string(done) +
                          " of 60; to go on: bombard run 200000 --initial l.npy s/*.txt*\n"));
  const std::string header = content_of(path("all.npy")).substr(0, 100);
  EXPECT_TRUE(contains(header, "'shape': (" + std::to_string(done) + ", 200000)"));

  const Outcome rest = shell("\"$bombard\" run 200000 $(tail -n +" + std::to_string(done + 1) +
                             " names) --initial l.npy --format result");
  std::string all;
  for (const auto& storm : first["storms"]) {
    all += std::to_string(storm["position"].get<std::int64_t>()) + ' ' +
           storm["maximum_text"].get<std::string>() + ' ';
  }
  EXPECT_EQ(all + maxima_in(rest.out), maxima_in(content_of(path("whole"))));
}

TEST_F(StoppedRun, EndsAtOnceAtTheSecondSignal) {
  // Of one storm: the first signal would wait for it.
  const Outcome outcome = shell(
      "\"$bombard\" generate --cells 3000000 --impacts 3000 --directory . >names && "
      "{ \"$bombard\" run 3000000 $(cat names) --engine reference --output old 2>messages & } && "
      "sleep 0.5; kill -TERM $!; sleep 0.2; kill -TERM $!; wait $!");
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(path("old")));
}

TEST_F(StoppedRun, RefusesALayerThatIsNone) {
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = shell("\"$bombard\" run " + options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  ASSERT_EQ(bombard({"run", "60", storm("1"), "--layer", path("single.npy")}).exit_code, 0);
  ASSERT_EQ(
      bombard({"run", "60", storm("1"), "--precision", "double", "--layer", path("double.npy")})
          .exit_code,
      0);
  EXPECT_EQ(refused("61 " + storm("1") + " --initial single.npy"),
            "bombard: single.npy: is an array of 60; a layer of 61 cells has one dimension, 61\n");
  EXPECT_EQ(refused("60 " + storm("1") + " --initial " + storm("2")),
            "bombard: " + storm("2") +
                ": is not a NumPy array; a layer is one, as `bombard run --layer` writes it\n");
  EXPECT_EQ(refused("60 " + storm("1") + " --initial double.npy"),
            "bombard: double.npy: holds float64, and single precision begins with float32; take "
            "--precision double, or write it as float32 if the digits behind may go\n");
  EXPECT_TRUE(contains(refused("60 " + storm("1") + " --initial single.npy --layer single.npy"),
                       "--layer single.npy"));
  EXPECT_TRUE(contains(refused("60 " + storm("1") + " --initial none.npy"), "none.npy: "));
}

TEST_F(StoppedRun, ALayerOfNumbersThatAreNoneIsRefused) {
  ASSERT_EQ(bombard({"run", "60", storm("1"), "--layer", path("layer.npy")}).exit_code, 0);
  std::string bytes = content_of(path("layer.npy"));
  bytes.replace(bytes.size() - 4, 4, std::string("\x00\x00\xC0\x7F", 4));
  write_file(path("layer.npy"), bytes);
  const Outcome outcome = bombard({"run", "60", storm("1"), "--initial", path("layer.npy")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "cell 59 is nan; every cell of a layer is a finite number"));
}

}  // namespace
}  // namespace bombard::tests
