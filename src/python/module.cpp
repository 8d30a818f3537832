/// tasfg._core: what of the Python package is compiled. Takes checked Python values (analysis/tasfg does the
/// converting) and hands out arrays; computes nothing itself.
#include <exception>
#include <string>

#include "model.hpp"
#include <nanobind/nanobind.h>

#include "tasfg/base/error.hpp"
#include "tasfg/sim/trajectory.hpp"

namespace tasfg::python {
namespace {

/// A user's mistake is tasfg.UserError with the program's text, a fault of the system OSError.
void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    const nanobind::object type = nanobind::module_::import_("tasfg.errors").attr("UserError");
    PyErr_SetString(type.ptr(), error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  }
}

}  // namespace
}  // namespace tasfg::python

NB_MODULE(_core, module) {
  nanobind::register_exception_translator(&tasfg::python::translate);
  module.attr("version") = TASFG_VERSION;
  module.attr("results_version") = tasfg::kResultsVersion;
  tasfg::python::bind_model(module);
  tasfg::python::bind_simulation(module);
  tasfg::python::bind_curve(module);
}
