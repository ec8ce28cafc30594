#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bombard/matrices.hpp"

/// Arrays are exchanged with NumPy through Python's buffer protocol, which NumPy 1 and 2 share.
namespace bombard::python {

/// Owns the values that memory_of() exposes.
class Memory {
 public:
  template <class T>
  explicit Memory(std::vector<T> values) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    bytes_ = kept->size() * sizeof(T);
    begin_ = {kept, kept->data()};
  }
  pybind11::buffer_info buffer() const {
    return {static_cast<std::uint8_t*>(begin_.get()), static_cast<pybind11::ssize_t>(bytes_)};
  }

 private:
  std::shared_ptr<void> begin_;
  std::size_t bytes_;
};

/// Values for numpy.frombuffer(), which keeps them without a copy.
template <class T>
pybind11::memoryview memory_of(std::vector<T> values) {
  return pybind11::memoryview(pybind11::cast(Memory(std::move(values))));
}

}  // namespace bombard::python

namespace pybind11::detail {

/// A contiguous array of numbers, held for as long as the call takes.
template <class T>
struct type_caster<std::span<T>> {
  PYBIND11_TYPE_CASTER(std::span<T>, const_name("buffer"));

  bool load(handle source, bool /*convert*/) {
    constexpr int writable = std::is_const_v<T> ? 0 : PyBUF_WRITABLE;
    constexpr std::string_view formats = std::is_floating_point_v<T> ? "fd" : "ilq";
    if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | writable) !=
        0) {
      PyErr_Clear();
      return false;
    }
    if (view.itemsize != sizeof(T)) return false;
    if (formats.find(view.format) == std::string_view::npos) return false;
    value = {static_cast<T*>(view.buf), static_cast<std::size_t>(view.len) / sizeof(T)};
    return true;
  }

  type_caster() = default;
  type_caster(const type_caster&) = delete;
  type_caster& operator=(const type_caster&) = delete;
  ~type_caster() { PyBuffer_Release(&view); }  // of nothing, where there was none
  Py_buffer view{};
};

/// An array of two dimensions as a matrix.
template <class T>
struct type_caster<bombard::DenseView<T>> {
  PYBIND11_TYPE_CASTER(bombard::DenseView<T>, const_name("buffer"));

  bool load(handle source, bool convert) {
    if (!values.load(source, convert)) return false;
    value = {values.view.shape[0], values.view.shape[1], cast_op<std::span<const T>&>(values)};
    return true;
  }

  type_caster<std::span<const T>> values;
};

}  // namespace pybind11::detail
