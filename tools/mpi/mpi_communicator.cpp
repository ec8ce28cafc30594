// The ranks of MPI. Data between ranks goes through host memory; MPI need not know about GPUs.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "kernels/base/timer.hpp"
#include "tools/cli/ranks.hpp"

namespace bombard::tools {

namespace {

// MPI calls count in int: more bytes go in several calls.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
// A rank that has waited for this time leaves its core to ranks that compute: the others read files
// or end a storm, which takes much longer than the wake-up. It does not while many bytes are
// transferred: some transports take the next few only when they are asked.
constexpr double seconds_of_attention = 1e-3;
constexpr std::chrono::microseconds nap{50};
constexpr int many_bytes = 1 << 16;

void finish(MPI_Request request, int bytes) {
  const WallTimer waiting;
  int done = 0;
  while (true) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (bytes >= many_bytes || waiting.seconds() < seconds_of_attention) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }
}

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
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    host_.assign(name.data(), static_cast<std::size_t>(length));
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
      MPI_Request request{};
      MPI_Ibcast(&bytes[done], count, MPI_BYTE, from, MPI_COMM_WORLD, &request);
      finish(request, count);
    }
  }

  void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) override {
    MPI_Request request{};
    const int count = static_cast<int>(own.size());
    MPI_Iallgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD,
                   &request);
    finish(request, count);
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
