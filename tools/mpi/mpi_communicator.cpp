// The ranks of MPI. Data between ranks goes through host memory; MPI need not know about GPUs.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <memory>

#include "tools/cli/ranks.hpp"

namespace bombard::tools {

namespace {

// MPI calls count in int: more bytes go in several calls.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// The cores that any rank on this machine may run on.
int cores_of_host(MPI_Comm on_host) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, on_host);
  return CPU_COUNT(&cores);
}

/// From MPI_Init to MPI_Finalize.
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm on_host{};
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &on_host);
    MPI_Comm_rank(on_host, &rank_on_host_);
    MPI_Comm_size(on_host, &ranks_on_host_);
    threads_ = std::max(1, cores_of_host(on_host) / ranks_on_host_);
    MPI_Comm_free(&on_host);
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_.assign(name, static_cast<std::size_t>(length));
  }
  ~MpiCommunicator() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int rank_on_host() const override { return rank_on_host_; }
  int ranks_on_host() const override { return ranks_on_host_; }
  std::string host() const override { return host_; }
  int threads() const override { return threads_; }

 protected:
  void broadcast_bytes(std::span<std::byte> bytes, int from) override {
    for (std::size_t done = 0; done < bytes.size(); done += most_bytes) {
      const int count = static_cast<int>(std::min(most_bytes, bytes.size() - done));
      MPI_Bcast(&bytes[done], count, MPI_BYTE, from, MPI_COMM_WORLD);
    }
  }

  void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) override {
    const int count = static_cast<int>(own.size());
    MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0, ranks_ = 1, rank_on_host_ = 0, ranks_on_host_ = 1, threads_ = 1;
  std::string host_;
};

}  // namespace
}  // namespace bombard::tools

int main(int argc, char** argv) {
  return bombard::tools::program(
      argc, argv, [](int& count, char**& words) -> std::unique_ptr<bombard::Communicator> {
        return std::make_unique<bombard::tools::MpiCommunicator>(count, words);
      });
}
