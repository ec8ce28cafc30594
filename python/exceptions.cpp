#include "bombard/errors.hpp"
#include "python/parts.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// The Python class for this exception of the library.
template <class Exception>
void add_exception(py::module_& module, const char* name, PyObject* base) {
  static const py::handle type = py::exception<Exception>(module, name, base).release();
  type.attr("__module__") = "bombard";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Exception& error) {
      // The name of a file in it may not be UTF-8.
      const auto message =
          py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(error.what()));
      PyErr_SetObject(type.ptr(), message.ptr());
    }
  });
}

}  // namespace

void add_exceptions(py::module_& module) {
  add_exception<InputError>(module, "InputError", PyExc_ValueError);
  add_exception<CannotRun>(module, "CannotRun", PyExc_RuntimeError);
}

}  // namespace bombard::python
