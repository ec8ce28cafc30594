#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <utility>
#include <vector>

namespace bombard::python {

/// An array that takes the values over, without a copy.
template <class T>
pybind11::array_t<T> array_of(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  const pybind11::capsule owner(kept, [](void* it) { delete static_cast<std::vector<T>*>(it); });
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(kept->size()), kept->data(), owner);
}

/// What it holds; as long as it lives.
template <class T>
std::span<const T> span_of(const pybind11::array_t<T, pybind11::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

}  // namespace bombard::python
