#include <string>
#include <utility>

#include "bombard/errors.hpp"
#include "python/parts.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// A message with the keyword arguments that its options of the command line are:
/// `take --method direct` is `take method="direct"`.
std::string in_python(std::string message) {
  constexpr std::pair<const char*, const char*> changes[] = {
      {"--cells-at ", "cells="},
      {R"((^|[ (])--(device|method|precision|engine|attenuation) ([a-z][\w:.]*))", R"(\1\2="\3")"},
      {R"((^|[ (])--([a-z]+) (["\d-]|inf|nan))", R"(\1\2=\3)"},
      {R"((^|[ (])--([a-z]))", R"(\1\2)"},
      {"`bombard devices`", "bombard.devices()"}};
  const py::object substituted = py::module_::import("re").attr("sub");
  for (const auto& [pattern, text] : changes) {
    message = substituted(pattern, text, message).cast<std::string>();
  }
  return message;
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
