#include "core/deploy/library_text.h"
#include "core/deploy/python_common.h"
#include "core/deploy/template_text.h"
#include "core/support/error.h"
#include "core/support/version.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kCudaModule =
    R"PY("""@NAME@ for arrays on a GPU: those of CuPy, PyTorch, Numba, and of all else that has
__cuda_array_interface__. Written by @VERSION@.

@LICENCE@

    import @NAME@
    network = @NAME@.Network()
    network(x, out=y)               # on the default stream
    network(x, out=y, stream=s)     # s: a cudaStream_t as a number
"""
import ctypes
import os

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib@NAME@.so"))
_library.@NAME@_error.restype = ctypes.c_char_p
_library.@NAME@_processor.restype = ctypes.c_char_p

#: Name, shape and element type, as __cuda_array_interface__ says it, of each input and output.
INPUTS = [@INPUTS@]
OUTPUTS = [@OUTPUTS@]


@COMMON@

def processor():
    """The architecture that the code is for; an Error where no GPU is of it."""
    _check(_library.@NAME@_check())
    return _library.@NAME@_processor().decode()


def _dense(shape, size):
    strides = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return tuple(strides)


def _pointer(kind, expected, array):
    name, shape, typestr = expected
    told = getattr(array, "__cuda_array_interface__", None)
    if told is None:
        raise TypeError(f"the {kind} {name} is a {type(array).__name__}, not an array on a GPU")
    if told["typestr"] != typestr:
        raise TypeError(f"the {kind} {name} takes elements {typestr}, not {told['typestr']}")
    if tuple(told["shape"]) != shape:
        raise ValueError(f"the {kind} {name} takes the shape {shape}, not {tuple(told['shape'])}")
    if told.get("strides") not in (None, _dense(shape, int(typestr[2:]))):
        raise ValueError(f"the {kind} {name} is not contiguous")
    pointer, read_only = told["data"]
    if kind == "output" and read_only:
        raise ValueError(f"the output {name} cannot be written to")
    return ctypes.c_void_p(pointer)


def _pointers(kind, expected, arrays):
    if len(arrays) != len(expected):
        raise TypeError(f"@NAME@ takes {len(expected)} {kind}s, not {len(arrays)}")
    return [_pointer(kind, *pair) for pair in zip(expected, arrays)]


class _Options(ctypes.Structure):
    _fields_ = [@FIELDS@("device", ctypes.c_int)]


class Network:
    """An instance on a GPU: that of the thread's CUDA context, or the one of this number."""

    def __init__(self, device=0@PARAMETERS@):
        self._instance = None
        options = _Options()
        options.device = device
@SET@        instance = ctypes.c_void_p()
        _check(_library.@NAME@_open(ctypes.byref(instance), ctypes.byref(options)))
        self._instance = instance

    def run(self, *inputs, out, stream=0):
        """Puts a run onto the stream, which fills `out`: an array, or one for each output."""
        if self._instance is None:
            raise ValueError("this instance of @NAME@ is closed")
        outputs = list(out) if isinstance(out, (list, tuple)) else [out]
        given = _pointers("input", INPUTS, inputs) + _pointers("output", OUTPUTS, outputs)
        _check(_library.@NAME@_run(self._instance, ctypes.c_void_p(stream), *given))
        return out

    __call__ = run

    def close(self):
        if self._instance is not None:
            _library.@NAME@_close(self._instance)
            self._instance = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()
)PY";

std::string typestr(DataType type) {
  const int bytes = type.elementBytes();
  if (type.isBool()) return fmt::format("|b{}", bytes);
  switch (type.code) {
  case DataType::Code::Float:
    return fmt::format("<f{}", bytes);
  case DataType::Code::BFloat:
    return "<u2"; // its bits
  case DataType::Code::Int:
    return fmt::format("<i{}", bytes);
  default:
    return fmt::format("<u{}", bytes);
  }
}

std::string tensorRows(const std::vector<LibraryTensor>& tensors) {
  std::vector<std::string> rows;
  for (const LibraryTensor& tensor : tensors)
    rows.push_back(fmt::format("(\"{}\", ({}{}), \"{}\")", tensor.name,
                               fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "",
                               typestr(tensor.type)));
  return fmt::format("{}", fmt::join(rows, ", "));
}

} // namespace

std::string cudaPythonText(const Library& library) {
  const bool file = library.hasWeights() && !library.deployment.options.embed;
  return filled(kCudaModule, {{"NAME", library.name()},
                              {"COMMON", pythonCommon(library.name())},
                              {"VERSION", versionText()},
                              {"LICENCE", outputLicence()},
                              {"INPUTS", tensorRows(library.inputs)},
                              {"OUTPUTS", tensorRows(library.outputs)},
                              {"FIELDS", file ? "(\"weights\", ctypes.c_char_p), " : ""},
                              {"PARAMETERS", file ? ", weights=None" : ""},
                              {"SET", file ? "        if weights is not None:\n"
                                             "            options.weights = os.fsencode(weights)\n"
                                           : ""}});
}

} // namespace nestwright
