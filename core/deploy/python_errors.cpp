#include "core/deploy/python_errors.h"

#include "core/deploy/template_text.h"

namespace nestwright {

std::string pythonErrors(const std::string& name) {
  return filled(R"(class Error(RuntimeError):
    """What the library could not do; code is its error code."""

    def __init__(self, code):
        super().__init__(_library.@NAME@_error().decode(errors="replace"))
        self.code = code


def _check(code):
    if code != 0:
        raise Error(code)
)",
                {{"NAME", name}});
}

} // namespace nestwright
