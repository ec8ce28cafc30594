#include "kernels/base/host_array.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

void* get_host_memory(std::int64_t bytes) {
  constexpr std::size_t cache_line = 64, huge_page = std::size_t{2} << 20;
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t alignment = wanted < huge_page ? cache_line : huge_page;
  const std::size_t rounded = (wanted + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw CannotRun(fmt::format(
        "{} of memory were refused; take a smaller problem or a larger machine", gigabytes(bytes)));
  }
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void give_back_host_memory(void* memory) noexcept {
  std::free(memory);
}

}  // namespace bombard
