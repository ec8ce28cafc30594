#include "python/exceptions.hpp"

#include <regex>
#include <string>

#include "bombard/errors.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// A message with the keyword arguments that its options of the command line are:
/// `take --method direct` is `take method="direct"`.
std::string in_python(std::string message) {
  static const std::regex with_word(
      "(^|[ (])--(device|method|precision|engine|attenuation) ([a-z][\\w:.]*)");
  static const std::regex with_value("(^|[ (])--([a-z]+) ([\"\\d-]|inf|nan)");
  message = std::regex_replace(message, std::regex("--cells-at "), "cells=");
  message = std::regex_replace(message, with_word, "$1$2=\"$3\"");
  message = std::regex_replace(message, with_value, "$1$2=$3");
  message = std::regex_replace(message, std::regex("(^|[ (])--([a-z])"), "$1$2");
  return std::regex_replace(message, std::regex("`bombard devices`"), "bombard.devices()");
}

/// The class of bombard that this exception of the library is.
template <class Exception>
void add_exception(py::module_& module, const char* name, PyObject* base) {
  static const py::handle type = py::exception<Exception>(module, name, base).release();
  type.attr("__module__") = "bombard";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Exception& error) {
      PyErr_SetString(type.ptr(), in_python(error.what()).c_str());
    }
  });
}

}  // namespace

void add_exceptions(py::module_& module) {
  add_exception<InputError>(module, "InputError", PyExc_ValueError);
  add_exception<CannotRun>(module, "CannotRun", PyExc_RuntimeError);
}

}  // namespace bombard::python
