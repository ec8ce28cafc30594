// Stands in for every .cu file in a build without CUDA: there are no devices, so nothing else is
// reached.

#include "kernels/base/errors.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/device_convolved_layer.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/device_timer.hpp"
#include "kernels/device/upload.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/hard_energies.hpp"
#include "kernels/layer/initialise.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/storm_batch.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/linear/cublas.hpp"
#include "kernels/linear/dot.hpp"
#include "kernels/linear/jacobi.hpp"
#include "kernels/linear/product.hpp"
#include "kernels/reduction/minima.hpp"
#include "kernels/reduction/reduction.hpp"
#include "kernels/reduction/reduction_study.hpp"
#include "kernels/sorting/bitonic_sort.hpp"

namespace bombard {

namespace {

[[noreturn]] void unavailable() {
  throw CannotRun("this build holds no CUDA code; build with nvcc 13 on the PATH to use a GPU");
}

}  // namespace

ProfilingRange::ProfilingRange(const char*) {}
ProfilingRange::~ProfilingRange() {}

namespace cuda {

std::vector<Device> devices() {
  return {};
}
void use_device(int) {
  unavailable();
}
std::int64_t free_device_memory() {
  unavailable();
}
void require_device_memory(std::int64_t, const std::string&) {
  unavailable();
}
void synchronize() {
  unavailable();
}
std::string toolkit_version() {
  return {};
}
std::string cub_version() {
  return {};
}
std::string architectures() {
  return {};
}

void* allocate(std::int64_t) {
  unavailable();
}
void release(void*) noexcept {}
void* allocate_pinned(std::int64_t) {
  unavailable();
}
void release_pinned(void*) noexcept {}
void copy_to_device(const void*, void*, std::int64_t) {
  unavailable();
}
void copy_to_host(const void*, void*, std::int64_t) {
  unavailable();
}
void copy_on_device(const void*, void*, std::int64_t) {
  unavailable();
}

DeviceTimer::DeviceTimer() {
  unavailable();
}
DeviceTimer::~DeviceTimer() = default;
void DeviceTimer::start() {
  unavailable();
}
double DeviceTimer::stop() {
  unavailable();
}

void initialise(float, std::span<float>) {
  unavailable();
}
void copy(std::span<const float>, std::span<float>) {
  unavailable();
}
void relax(std::span<const float>, std::span<float>) {
  unavailable();
}
void mark_peaks(std::span<const float>, std::span<float>) {
  unavailable();
}
IndexedValue arg_max(std::span<const float>, Reduction) {
  unavailable();
}
void arg_max(std::span<const float>, Reduction, std::span<IndexedValue>) {
  unavailable();
}

template <class Law>
void update(std::span<const ScaledImpact>, float, std::int64_t, std::span<float>) {
  unavailable();
}
template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

template <class Law>
void apply_batch(const StormBatch&, const Window&, std::span<const float>, std::span<float>,
                 std::span<IndexedValue>) {
  unavailable();
}
template void apply_batch<SquareRootLaw>(const StormBatch&, const Window&, std::span<const float>,
                                         std::span<float>, std::span<IndexedValue>);

void DepositSums::sum(std::span<const CellDeposit>, std::span<std::int64_t>) {
  unavailable();
}
DeviceTables::DeviceTables(double, double, double) {
  unavailable();
}
ConvolvedLayer::ConvolvedLayer(std::int64_t, double, double, double) : tables_(0, 0, 0) {}
std::int64_t ConvolvedLayer::bytes(std::int64_t, bool) {
  unavailable();
}
void ConvolvedLayer::clear() {
  unavailable();
}
void ConvolvedLayer::track_uncertainty(double) {
  unavailable();
}
std::size_t ConvolvedLayer::gather(std::span<const Deposit>, std::span<const StormDeposits>) {
  unavailable();
}
void ConvolvedLayer::apply(const UncertaintyGrowth&, std::int64_t, std::int64_t, Screened*) {
  unavailable();
}
void ConvolvedLayer::apply(std::span<const Deposit>, std::int64_t, std::int64_t,
                           const UncertaintyGrowth&, const DepositUncertainty&, std::int64_t,
                           std::int64_t, Screened*) {
  unavailable();
}
bool ConvolvedLayer::prefers_cell_deposits(std::int64_t) const {
  unavailable();
}
void ConvolvedLayer::apply(std::span<const CellDeposit>, std::span<const Deposit>, std::int64_t,
                           std::int64_t, std::int64_t, std::int64_t, Screened*) {
  unavailable();
}
void ConvolvedLayer::screen(double, std::int64_t, std::int64_t, std::span<Candidate>,
                            const Screened*, Screened*) const {
  unavailable();
}
void ConvolvedLayer::values(std::span<double>) const {
  unavailable();
}
void ConvolvedLayer::uncertainties(std::span<float>) const {
  unavailable();
}

template <class Law>
void apply_to_tiles(const TileStorms&, std::span<const CellTile>, std::span<const float>,
                    std::span<float>, std::span<IndexedValue>) {
  unavailable();
}
template void apply_to_tiles<SquareRootLaw>(const TileStorms&, std::span<const CellTile>,
                                            std::span<const float>, std::span<float>,
                                            std::span<IndexedValue>);
template <class Law>
std::int64_t tiles_at_once() {
  unavailable();
}
template std::int64_t tiles_at_once<SquareRootLaw>();
void scale_deposits(std::span<const Deposit>, std::int64_t, std::int64_t, std::span<ScaledImpact>) {
  unavailable();
}

template <class Law>
void hard_energies(std::int64_t, std::span<unsigned>) {
  unavailable();
}
template void hard_energies<SquareRootLaw>(std::int64_t, std::span<unsigned>);

CopyStream::CopyStream(int) {
  unavailable();
}
CopyStream::~CopyStream() = default;
void CopyStream::wait(int) {
  unavailable();
}
void CopyStream::copy(int, const void*, void*, std::int64_t) {
  unavailable();
}
void CopyStream::before_launches() {
  unavailable();
}
void CopyStream::used(int) {
  unavailable();
}
void CopyStream::after_use_of(int) {
  unavailable();
}

// The solvers' kernels, a set for every type they come in.
bool has_cublas() {
  return false;
}

std::unique_ptr<SumByScheme> make_sum(ReductionScheme, int, std::int64_t) {
  unavailable();
}
CubMinima::CubMinima(std::int64_t, std::int64_t) : count_(0), segments_(0) {
  unavailable();
}
CubMinima::~CubMinima() {}
void launch_nothing() {
  unavailable();
}
void CubMinima::launch(std::span<const std::int32_t>, std::span<std::int32_t>) {
  unavailable();
}

#define BOMBARD_FLOATING_POINT(T)                                                                  \
  template <>                                                                                      \
  JacobiProgress jacobi<T>(std::span<const T>, std::span<const T>, std::span<const T>,             \
                           std::span<T>, double, std::int64_t) {                                   \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  JacobiProgress jacobi<T>(const CsrView<T>&, std::span<const T>, std::span<const T>,              \
                           std::span<T>, double, std::int64_t) {                                   \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  JacobiProgress jacobi_by_gemv<T>(std::span<const T>, std::span<const T>, std::span<const T>,     \
                                   std::span<T>, double, std::int64_t) {                           \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  void naive_product<T>(ProductShape, std::span<const T>, std::span<const T>, std::span<T>, int) { \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  void tiled_product<T>(ProductShape, std::span<const T>, std::span<const T>, std::span<T>, int) { \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  void cublas_product<T>(ProductShape, std::span<const T>, std::span<const T>, std::span<T>) {     \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  void row_dots<T>(std::int64_t, std::span<const T>, std::span<const T>, std::span<double>, int) { \
    unavailable();                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  void cublas_row_dots<T>(std::int64_t, std::span<const T>, std::span<const T>, std::span<T>) {    \
    unavailable();                                                                                 \
  }
BOMBARD_FLOATING_POINT(float)
BOMBARD_FLOATING_POINT(double)
#undef BOMBARD_FLOATING_POINT

#define BOMBARD_SORTABLE(T)                       \
  template <>                                     \
  void bitonic_sort<T>(std::span<T>, SortOrder) { \
    unavailable();                                \
  }                                               \
  template <>                                     \
  void radix_sort<T>(std::span<T>, SortOrder) {   \
    unavailable();                                \
  }
BOMBARD_SORTABLE(std::int32_t)
BOMBARD_SORTABLE(float)
BOMBARD_SORTABLE(double)
#undef BOMBARD_SORTABLE

#define BOMBARD_NUMBER(T)                                                        \
  template <>                                                                    \
  SumOf<T> sum<T>(std::span<const T>) {                                          \
    unavailable();                                                               \
  }                                                                              \
  template <>                                                                    \
  T minimum<T>(std::span<const T>) {                                             \
    unavailable();                                                               \
  }                                                                              \
  template <>                                                                    \
  T maximum<T>(std::span<const T>) {                                             \
    unavailable();                                                               \
  }                                                                              \
  template <>                                                                    \
  void minima<T>(std::span<const T>, std::int64_t, std::int64_t, std::span<T>) { \
    unavailable();                                                               \
  }
BOMBARD_NUMBER(std::int32_t)
BOMBARD_NUMBER(float)
BOMBARD_NUMBER(double)
#undef BOMBARD_NUMBER

}  // namespace cuda
}  // namespace bombard
