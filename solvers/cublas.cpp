#include "solvers/cublas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "bombard/errors.hpp"

namespace bombard::cuda {

namespace {

// The interface of cuBLAS 12 and later, as in its cublas_api.h.
using Handle = void*;
using Status = int;  // 0: success
enum Operation : int { as_stored = 0, transposed = 1 };

void check(Status status, const std::string& what) {
  if (status != 0) throw CannotRun(fmt::format("cuBLAS: {}: status {}", what, status));
}

/// The library and a handle, for as long as the program runs: unloading it at the end could come
/// after the driver's own end.
class Library {
 public:
  template <class... Arguments>
  auto function(const std::string& name) const {
    if (!loaded()) {
      throw CannotRun(
          "cuBLAS (libcublas.so.13) is not installed here; take another kernel, or install it "
          "with the CUDA Toolkit");
    }
    void* found = dlsym(library_, name.c_str());
    if (found == nullptr) throw CannotRun(fmt::format("cuBLAS has no {}", name));
    return reinterpret_cast<Status (*)(Arguments...)>(found);
  }

  Library() {
    // The name alone finds an installed library; the directory finds the library beside the
    // compiler.
    library_ = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      library_ = dlopen(BOMBARD_CUDA_LIBRARIES "/libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    }
    if (loaded()) check(function<Handle*>("cublasCreate_v2")(&handle_), "creating a handle");
  }
  bool loaded() const { return library_ != nullptr; }

  /// Calls cublasS... or cublasD..., in the precision of T. The types of the arguments must be
  /// those of the library's function.
  template <class T, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const char precision = std::is_same_v<T, float> ? 'S' : 'D';
    const std::string full_name = fmt::format("cublas{}{}_64", precision, name);
    check(function<Handle, Arguments...>(full_name)(handle_, arguments...), name);
  }

 private:
  void* library_ = nullptr;
  Handle handle_ = nullptr;
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

/// Leading dimensions are at least 1, also of empty matrices.
std::int64_t leading(std::int64_t size) {
  return std::max<std::int64_t>(1, size);
}

template <class T>
constexpr T zero = 0;
template <class T>
constexpr T one = 1;

}  // namespace

bool has_cublas() {
  return library().loaded();
}

// cuBLAS reads matrices column by column, so that one stored row by row is its transpose:
// C^T = B^T A^T needs no transposition.
template <class T>
void cublas_gemm(const DenseView<T>& a, const DenseView<T>& b, T* c) {
  if (a.rows == 0 || b.columns == 0) return;
  library().call<T>("gemm_v2", as_stored, as_stored, b.columns, a.rows, a.columns, &one<T>,
                    b.values.data(), leading(b.columns), a.values.data(), leading(a.columns),
                    &zero<T>, c, leading(b.columns));
}
template void cublas_gemm(const DenseView<float>&, const DenseView<float>&, float*);
template void cublas_gemm(const DenseView<double>&, const DenseView<double>&, double*);

template <class T>
void cublas_gemv(const DenseView<T>& a, const T* x, T* y) {
  constexpr std::int64_t step = 1;
  library().call<T>("gemv_v2", transposed, a.rows, a.rows, &one<T>, a.values.data(),
                    leading(a.rows), x, step, &zero<T>, y, step);
}
template void cublas_gemv(const DenseView<float>&, const float*, float*);
template void cublas_gemv(const DenseView<double>&, const double*, double*);

template <class T>
void cublas_batched_dots(const DenseView<T>& a, const DenseView<T>& b, T* dots) {
  if (a.rows == 0) return;
  constexpr std::int64_t single = 1;
  // Strides between matrices of a batch are long long in the interface.
  const long long stride = a.columns;
  library().call<T>("gemmStridedBatched", transposed, as_stored, single, single, a.columns, &one<T>,
                    a.values.data(), leading(a.columns), stride, b.values.data(),
                    leading(a.columns), stride, &zero<T>, dots, single, 1LL, a.rows);
}
template void cublas_batched_dots(const DenseView<float>&, const DenseView<float>&, float*);
template void cublas_batched_dots(const DenseView<double>&, const DenseView<double>&, double*);

}  // namespace bombard::cuda
