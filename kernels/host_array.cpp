#include "kernels/host_array.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>

#include "kernels/errors.hpp"

namespace bombard {

HostArray::HostArray(std::int64_t size) : size_(size) {
  if (size == 0) return;
  constexpr std::size_t cache_line = 64, huge_page = std::size_t{2} << 20;
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(float);
  const std::size_t alignment = bytes < huge_page ? cache_line : huge_page;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  data_.reset(static_cast<float*>(std::aligned_alloc(alignment, rounded)));
  if (!data_) {
    throw CannotRun(fmt::format("{:.3g} GB of memory were refused; use fewer cells",
                                static_cast<double>(bytes) / 1e9));
  }
  if (alignment == huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
}

void HostArray::Free::operator()(float* memory) const {
  std::free(memory);
}

}  // namespace bombard
