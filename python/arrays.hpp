#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Arrays are exchanged with NumPy through Python's buffer protocol, which NumPy 1 and 2 share.
namespace bombard::python {

/// A contiguous array, read or written in place for as long as this object lives.
template <class T>
class Array {
 public:
  Array() = default;
  /// An array of T: numbers are recognised by their format, an Impact by its size. For anything
  /// else there is no value.
  explicit Array(pybind11::handle source) {
    constexpr bool numbers = std::is_arithmetic_v<T>;
    constexpr int writable = std::is_const_v<T> ? 0 : PyBUF_WRITABLE;
    const std::shared_ptr<Py_buffer> view(new Py_buffer{}, [](Py_buffer* held) {
      PyBuffer_Release(held);
      delete held;
    });
    if (PyObject_GetBuffer(source.ptr(), view.get(),
                           PyBUF_C_CONTIGUOUS | (numbers ? PyBUF_FORMAT : 0) | writable) != 0) {
      PyErr_Clear();
      return;
    }
    constexpr std::string_view formats = std::is_floating_point_v<T> ? "fd" : "ilq";
    if (view->itemsize != sizeof(T)) return;
    if (numbers && formats.find(view->format) == std::string_view::npos) return;
    view_ = view;
  }

  bool has_value() const { return view_ != nullptr; }
  std::span<T> values() const {
    return {static_cast<T*>(view_->buf), static_cast<std::size_t>(view_->len) / sizeof(T)};
  }
  std::int64_t extent(int dimension) const { return view_->shape[dimension]; }

 private:
  std::shared_ptr<Py_buffer> view_;
};

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

template <class T>
struct type_caster<bombard::python::Array<T>> {
  PYBIND11_TYPE_CASTER(bombard::python::Array<T>, const_name("buffer"));

  bool load(handle source, bool /*convert*/) {
    value = bombard::python::Array<T>(source);
    return value.has_value();
  }
};

}  // namespace pybind11::detail
