#include "core/deploy/python_common.h"

#include "core/deploy/template_text.h"

namespace nestwright {

std::string pythonCommon(const std::string& name) {
  return filled(R"(class Error(RuntimeError):
    """What the library could not do; code is its error code."""

    def __init__(self, code):
        super().__init__(_library.@NAME@_error().decode(errors="replace"))
        self.code = code


def _check(code):
    if code != 0:
        raise Error(code)


def tuned():
    """How well the code fits this machine, in numbers of the operators that are searched: tuned on
    a processor of its model ("here"), on another one ("compatible"), by nobody ("never")."""
    fit = (ctypes.c_int * 3)()
    _check(_library.@NAME@_tuned(ctypes.byref(fit)))
    return dict(zip(("here", "compatible", "never"), fit))
)",
                {{"NAME", name}});
}

} // namespace nestwright
