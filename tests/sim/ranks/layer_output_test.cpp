#include "sim/ranks/layer_output.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "kernels/layer/cell_range.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

const std::string header = "a header, longer than the mark";

class LayerOutputTest : public TemporaryDirectory {
 protected:
  std::string path() const { return TemporaryDirectory::path("layers"); }
  long files() const {
    return std::distance(
        std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path()), {});
  }
};

/// Cells that are all different, of two layers.
std::vector<float> two_layers(std::int64_t cells) {
  std::vector<float> values(static_cast<std::size_t>(2 * cells));
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

/// Both layers, of an engine that begins with them; `place` is rank 0's.
void write_both(Communicator& communicator, const SharedPlace& place, std::span<const float> both,
                const LayerPieceSink& sink = {}) {
  const auto cells = static_cast<std::int64_t>(both.size()) / 2;
  EngineOfRanks engine(communicator, *find_engine("cpu_direct"),
                       {.part = whole_layer(cells), .threads = 1});
  LayerOutput output(communicator, engine, sink, [&] { return std::optional(place); });
  for (const std::int64_t layer : {0, 1}) {
    engine.begin_with(slice(both, {layer * cells, (layer + 1) * cells}));
    output.write_layer();
  }
  output.close();
}

// A block holds 16384 cells: slabs in one, in two, and with whole ones between.
TEST_F(LayerOutputTest, HasTheCellsOfAllSlabs) {
  for (const std::int64_t cells : {1, 5, 16381, 40000, 150001}) {
    const std::vector<float> both = two_layers(cells);
    OutputFile output(path());
    output.write(header);
    const SharedPlace place = output.share().value();
    on_each_rank(7, [&](Communicator& communicator) { write_both(communicator, place, both); });
    output.commit();
    const std::string written = content("layers");
    ASSERT_EQ(written.size(), header.size() + both.size() * sizeof(float));
    EXPECT_EQ(written.substr(0, header.size()), header);
    EXPECT_EQ(std::memcmp(written.data() + header.size(), both.data(), both.size() * sizeof(float)),
              0);
  }
}

TEST_F(LayerOutputTest, GoesToRank0WhereARankDoesNotSeeTheFile) {
  OutputFile output(path());
  output.write(header);
  // Another file lies there.
  SharedPlace other = output.share().value();
  other.mark[3] = static_cast<char>(~other.mark[3]);
  const std::vector<float> both = two_layers(40000);
  std::vector<float> given;
  on_each_rank(3, [&](Communicator& communicator) {
    write_both(communicator, other, both, [&](const LayerView& piece) {
      const auto cells = std::get<std::span<const float>>(piece);
      given.insert(given.end(), cells.begin(), cells.end());
    });
  });
  EXPECT_EQ(given, both);
}

// A limit on the size of files stands in for a full disk: the bytes behind it cannot be written.
TEST_F(LayerOutputTest, AFullDiskIsToldByRank0) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<float> both = two_layers(100000);
  // In a slab's blocks; and in the cells that go through rank 0, of the last rank.
  for (const rlim_t most : {rlim_t{500000}, rlim_t{800000}}) {
    const rlimit small{most, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    {
      OutputFile output(path());
      output.write(header);
      const SharedPlace place = output.share().value();
      const auto thrown = thrown_on_each_rank(
          3, [&](Communicator& communicator) { write_both(communicator, place, both); });
      for (const std::string& text : thrown) {
        EXPECT_TRUE(text.starts_with("input: ")) << text;
        EXPECT_TRUE(text.ends_with("cannot be written: File too large")) << text;
      }
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(files(), 0);
  }
  std::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace bombard::tests
