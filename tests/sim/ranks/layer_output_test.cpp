#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/ranks/layers_file_of_ranks.hpp"
#include "sim/ranks/slab.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

const std::string header = "a header, longer than the mark";

class LayersFileOfRanksTest : public TemporaryDirectory {
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

void write_both(LayersFileOfRanks& file, const Communicator& communicator,
                std::span<const float> both) {
  const auto cells = static_cast<std::int64_t>(both.size()) / 2;
  const CellRange own = slab_of_rank(communicator.rank(), communicator.ranks(), cells);
  for (const std::int64_t layer : {0, 1}) {
    file.write(layer, cells, slice(slice(both, {layer * cells, (layer + 1) * cells}), own));
  }
  file.close();
}

// A block holds 16384 cells: slabs in one, in two, and with whole ones between.
TEST_F(LayersFileOfRanksTest, HasTheCellsOfAllSlabs) {
  for (const std::int64_t cells : {1, 5, 16381, 40000, 150001}) {
    const std::vector<float> both = two_layers(cells);
    OutputFile output(path());
    output.write(header);
    on_each_rank(7, [&](Communicator& communicator) {
      LayersFileOfRanks file(communicator,
                             communicator.rank() == 0 ? output.share().value() : SharedPlace{});
      ASSERT_TRUE(file.seen_by_all());
      write_both(file, communicator, both);
    });
    output.commit();
    const std::string written = content("layers");
    ASSERT_EQ(written.size(), header.size() + both.size() * sizeof(float));
    EXPECT_EQ(written.substr(0, header.size()), header);
    EXPECT_EQ(std::memcmp(written.data() + header.size(), both.data(), both.size() * sizeof(float)),
              0);
  }
}

TEST_F(LayersFileOfRanksTest, IsNotWrittenWhereARankDoesNotSeeIt) {
  OutputFile output(path());
  output.write(header);
  const SharedPlace place = output.share().value();
  // Rank 0 alone sees what lies on its disk; the others find another file there.
  on_each_rank(3, [&](Communicator& communicator) {
    SharedPlace other = place;
    other.mark[3] = static_cast<char>(~other.mark[3]);
    EXPECT_FALSE(LayersFileOfRanks(communicator, other).seen_by_all());
  });
}

// A limit on the size of files stands in for a full disk: the bytes behind it cannot be written.
TEST_F(LayersFileOfRanksTest, AFullDiskIsToldByRank0) {
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
      const auto thrown = thrown_on_each_rank(3, [&](Communicator& communicator) {
        LayersFileOfRanks file(communicator,
                               communicator.is_first() ? output.share().value() : SharedPlace{});
        write_both(file, communicator, both);
      });
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
