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
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace

void add_exceptions(py::module_& module) {
  add_exception<InputError>(module, "InputError", PyExc_ValueError);
  add_exception<CannotRun>(module, "CannotRun", PyExc_RuntimeError);
}

}  // namespace bombard::python
