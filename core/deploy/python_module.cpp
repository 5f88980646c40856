#include "core/deploy/library_text.h"
#include "core/deploy/template_text.h"
#include "core/support/error.h"
#include "core/support/version.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kModule = R"PY("""@NAME@ for NumPy. Written by @VERSION@.

@LICENCE@

@USAGE@"""
import ctypes
import os

import numpy as np

_folder = os.path.dirname(os.path.abspath(__file__))
_library = ctypes.CDLL(os.path.join(_folder, "lib@NAME@.so"))
_library.@NAME@_error.restype = ctypes.c_char_p
_library.@NAME@_processor.restype = ctypes.c_char_p

ALIGNMENT = 64
#: Name, shape and element type of each input and output.
INPUTS = [@INPUTS@]
OUTPUTS = [@OUTPUTS@]


class Error(RuntimeError):
    """What the library could not do; code is its error code."""

    def __init__(self, code):
        super().__init__(_library.@NAME@_error().decode(errors="replace"))
        self.code = code


def _check(code):
    if code != 0:
        raise Error(code)


def processor():
    """The processor that the code is for which runs here; an Error where none does."""
    _check(_library.@NAME@_check())
    return _library.@NAME@_processor().decode()


def empty(shape, dtype):
    """An array as numpy.empty() makes it, aligned as kernels want it."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    memory = np.empty(count * dtype.itemsize + ALIGNMENT, np.uint8)
    skip = -memory.ctypes.data % ALIGNMENT
    return memory[skip:skip + count * dtype.itemsize].view(dtype).reshape(shape)


_packed_types = ()


def _checked(kind, expected, array):
    name, shape, dtype = expected
    if kind == "input" and isinstance(array, _packed_types):
        return array
    if not isinstance(array, np.ndarray):
        raise TypeError(f"the {kind} {name} is a {type(array).__name__}, not a NumPy array")
    if array.dtype != np.dtype(dtype):
        raise TypeError(f"the {kind} {name} takes {dtype}, not {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"the {kind} {name} takes the shape {shape}, not {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"the {kind} {name} is not contiguous; numpy.ascontiguousarray() makes it so")
    return array


def _arguments(arrays, out):
    if len(arrays) != len(INPUTS):
        raise TypeError(f"@NAME@ takes {len(INPUTS)} inputs, not {len(arrays)}")
    inputs = [_checked("input", *pair) for pair in zip(INPUTS, arrays)]
    if out is None:
        outputs = [empty(shape, dtype) for _, shape, dtype in OUTPUTS]
    else:
        outputs = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(outputs) != len(OUTPUTS):
            raise TypeError(f"@NAME@ has {len(OUTPUTS)} outputs, not {len(outputs)}")
        outputs = [_checked("output", *pair) for pair in zip(OUTPUTS, outputs)]
        if not all(array.flags.writeable for array in outputs):
            raise ValueError("an output cannot be written to")
    return inputs, outputs


def _pointers(arrays):
    return [ctypes.c_void_p(array.ctypes.data) for array in arrays]


def _result(outputs):
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


@BODY@)PY";

constexpr const char* kNetworkClass = R"PY(class _Options(ctypes.Structure):
    _fields_ = [@FIELDS@]


class Network:
    """An instance of the network. One instance runs once at a time; make one for each thread."""

    def __init__(self@PARAMETERS@):
        self._instance = None
        options = _Options()
@SET@        instance = ctypes.c_void_p()
        _check(_library.@NAME@_open(ctypes.byref(instance), ctypes.byref(options)))
        self._instance = instance

    def run(self, *inputs, out=None):
        """The outputs for these arrays: one, or a tuple. They are new unless `out` has them."""
        if self._instance is None:
            raise ValueError("this instance of @NAME@ is closed")
        inputs, outputs = _arguments(inputs, out)
        _check(_library.@NAME@_run(self._instance, *_pointers(inputs), *_pointers(outputs)))
        return _result(outputs)

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

constexpr const char* kOperatorFunction = R"PY(def _aligned(array):
    if array.ctypes.data % ALIGNMENT == 0:
        return array
    copy = empty(array.shape, array.dtype)
    copy[...] = array
    return copy


class Packed:
    """An input in the order in which the code reads it: pack() makes it, once for many calls."""

    def __init__(self, index, values):
        self.index = index
        self.values = values


_packed_types = (Packed,)
_PACKERS = {@PACKERS@}


def pack(name, array):
    """The input of this name, packed."""
    index, elements, packer = _PACKERS[name]
    array = _checked("input", INPUTS[index], array)
    values = empty((elements,), array.dtype)
    packer(*_pointers([array, values]))
    return Packed(index, values)


def _stored(index, array):
    name = INPUTS[index][0]
    if isinstance(array, Packed):
        if array.index != index:
            raise ValueError(f"what is packed is not the input {name}")
        return array.values
    return pack(name, array).values if name in _PACKERS else _aligned(array)


def @NAME@(*inputs, out=None@PARAMETERS@):
    """The output for these arrays, new unless `out` has it. Inputs that the code reads in another
    order are packed unless pack() has done so, and arrays that are not aligned are copied."""
    inputs, outputs = _arguments(inputs, out)
    workspace = empty((@BYTES@,), np.uint8)
    inputs = [_stored(index, array) for index, array in enumerate(inputs)]
    aligned = [_aligned(array) for array in outputs]
    _check(_library.@NAME@(*_pointers(inputs), *_pointers(aligned), *_pointers([workspace])@REST@))
    for array, result in zip(outputs, aligned):
        if array is not result:
            array[...] = result
    return _result(outputs)
)PY";

std::string dtype(DataType type) {
  if (type.code == DataType::Code::BFloat) return "uint16"; // its bits: NumPy has no such type
  return toString(type);
}

std::string shape(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape.front())
                           : fmt::format("({})", fmt::join(shape, ", "));
}

std::string tensors(const std::vector<LibraryTensor>& tensors) {
  std::vector<std::string> rows;
  for (const LibraryTensor& tensor : tensors)
    rows.push_back(
        fmt::format("(\"{}\", {}, \"{}\")", tensor.name, shape(tensor.shape), dtype(tensor.type)));
  return fmt::format("{}", fmt::join(rows, ", "));
}

void addNetworkClass(const Library& library, std::map<std::string, std::string>& values) {
  std::vector<std::string> fields;
  std::string set, parameters;
  if (library.hasWeights() && !library.deployment.options.embed) {
    fields.emplace_back("(\"weights\", ctypes.c_char_p)");
    parameters += ", weights=None";
    set += "        if weights is not None:\n"
           "            options.weights = os.fsencode(weights)\n";
  }
  if (library.threading() == Threading::OpenMp) {
    fields.emplace_back("(\"threads\", ctypes.c_int)");
    parameters += ", threads=0";
    set += "        options.threads = threads\n";
  } else if (library.threading() == Threading::Serial) {
    fields.emplace_back("(\"reserved\", ctypes.c_int)");
  } else {
    fields.emplace_back("(\"pool\", ctypes.c_void_p)");
  }
  values["FIELDS"] = fmt::format("{}", fmt::join(fields, ", "));
  values["SET"] = set;
  values["PARAMETERS"] = parameters;
  values["USAGE"] =
      filled("    import @NAME@\n    network = @NAME@.Network()\n    y = network(x)\n", values);
  values["BODY"] = filled(kNetworkClass, values);
}

void addOperatorFunction(const Library& library, std::map<std::string, std::string>& values) {
  values["BYTES"] = fmt::format("{}", library.workspaceBytes() + library.threadWorkspaceBytes());
  values["PARAMETERS"] = values["REST"] = "";
  std::vector<std::string> packers;
  for (std::size_t i = 0; i < library.inputs.size(); ++i)
    if (const LibraryTensor& tensor = library.inputs[i]; tensor.isPacked())
      packers.push_back(fmt::format("\"{1}\": ({2}, {3}, _library.{0}_pack_{1})", library.name(),
                                    tensor.name, i, tensor.elements()));
  values["PACKERS"] = fmt::format("{}", fmt::join(packers, ", "));
  if (library.threading() == Threading::OpenMp) {
    values["PARAMETERS"] = fmt::format(", threads={}", library.cores());
    values["BYTES"] = fmt::format("{} + max(threads, 1) * {}", library.workspaceBytes(),
                                  library.threadWorkspaceBytes());
    values["REST"] = ", ctypes.c_int(threads)";
  } else if (library.threading() == Threading::Callback) {
    values["REST"] = ", None";
  }
  values["USAGE"] = filled("    from @NAME@ import @NAME@\n    result = @NAME@(a, b)\n", values);
  values["BODY"] = filled(kOperatorFunction, values);
}

} // namespace

std::string pythonText(const Library& library) {
  if (library.isGpu()) return cudaPythonText(library);
  std::map<std::string, std::string> values = {{"NAME", library.name()},
                                               {"VERSION", versionText()},
                                               {"LICENCE", outputLicence()},
                                               {"INPUTS", tensors(library.inputs)},
                                               {"OUTPUTS", tensors(library.outputs)}};
  if (library.isNetwork())
    addNetworkClass(library, values);
  else
    addOperatorFunction(library, values);
  return filled(kModule, values);
}

} // namespace nestwright
