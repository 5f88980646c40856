#include "core/deploy/library_text.h"
#include "core/deploy/python_common.h"
#include "core/deploy/template_text.h"
#include "core/deploy/torch_module.h"
#include "core/support/error.h"
#include "core/support/version.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kModule = R"PY("""@NAME@ for NumPy and PyTorch. Written by @VERSION@.

@LICENCE@

@USAGE@
Arrays are NumPy's or, where the program has imported PyTorch, its tensors. The operator
torch.ops.@NAME@.run is defined where torch was imported before this module, and by torch_operator()."""
import ctypes
import keyword
import os
import sys
import threading

try:
    import numpy as np
except ImportError:
    np = None  # PyTorch does without

_folder = os.path.dirname(os.path.abspath(__file__))
_library = ctypes.CDLL(os.path.join(_folder, "lib@NAME@.so"))
_library.@NAME@_error.restype = ctypes.c_char_p
_library.@NAME@_processor.restype = ctypes.c_char_p

ALIGNMENT = 64
#: Name, shape and element type of each input and output.
INPUTS = [@INPUTS@]
OUTPUTS = [@OUTPUTS@]


@COMMON@

def processor():
    """The processor that the code is for which runs here; an Error where none does."""
    _check(_library.@NAME@_check())
    return _library.@NAME@_processor().decode()


_NUMPY_TYPES = {"bfloat16": "uint16"}  # its bits: NumPy has no such type


def empty(shape, dtype):
    """An array as numpy.empty() makes it, aligned as kernels want it."""
    if np is None:
        raise ImportError("NumPy is not installed")
    dtype = np.dtype(_NUMPY_TYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    count = int(np.prod(shape, dtype=np.int64))
    memory = np.empty(count * dtype.itemsize + ALIGNMENT, np.uint8)
    skip = -memory.ctypes.data % ALIGNMENT
    return memory[skip:skip + count * dtype.itemsize].view(dtype).reshape(shape)


class _NumPyArrays:
    """What is asked of NumPy's arrays."""
    one = "a NumPy array"

    def empty(self, shape, dtype):
        return empty(shape, dtype)

    def owns(self, array):
        return np is not None and isinstance(array, np.ndarray)

    def has_type(self, array, dtype):
        return array.dtype == np.dtype(_NUMPY_TYPES.get(dtype, dtype))

    def problem(self, kind, array):
        if not array.flags.c_contiguous:
            return "is not contiguous; numpy.ascontiguousarray() makes it so"
        if kind == "output" and not array.flags.writeable:
            return "cannot be written to"
        return None

    def address(self, array):
        return array.ctypes.data

    def copy(self, array, result):
        array[...] = result


class _TorchTensors:
    """The same of PyTorch's tensors."""
    one = "a PyTorch tensor"

    def owns(self, array):
        torch = sys.modules.get("torch")
        return torch is not None and isinstance(array, torch.Tensor)

    def empty(self, shape, dtype):
        torch = sys.modules["torch"]
        if not hasattr(torch, dtype):
            raise TypeError(f"this PyTorch has no type {dtype}")
        return torch.empty(shape, dtype=getattr(torch, dtype))

    def has_type(self, array, dtype):
        return str(array.dtype) == "torch." + dtype

    def problem(self, kind, array):
        torch = sys.modules["torch"]
        if array.device.type not in ("cpu", "meta"):
            return f"is on the device {array.device}, not in the host's memory"
        if array.layout != torch.strided or not array.is_contiguous() or array.is_neg():
            return "is not contiguous; clone(memory_format=torch.contiguous_format) makes it so"
        if array.requires_grad and torch.is_grad_enabled():
            return "requires a gradient, which @NAME@ does not compute; torch.no_grad() is for that"
        return None

    def address(self, array):
        return array.data_ptr()

    def copy(self, array, result):
        array.copy_(result)


_NumPy, _Torch = _NumPyArrays(), _TorchTensors()


def _family(arrays):
    """Whose arrays these are: of the first that is somebody's."""
    for array in arrays:
        array = getattr(array, "values", array) if isinstance(array, _packed_types) else array
        for family in (_NumPy, _Torch):
            if family.owns(array):
                return family
    return _NumPy


_packed_types = ()


def _checked(family, kind, expected, array):
    name, shape, dtype = expected
    if kind == "input" and isinstance(array, _packed_types):
        if not family.owns(array.values):
            raise TypeError(f"the {kind} {name} is packed, but not as {family.one}")
        return array
    if not family.owns(array):
        raise TypeError(f"the {kind} {name} is a {type(array).__name__}, not {family.one}")
    if not family.has_type(array, dtype):
        raise TypeError(f"the {kind} {name} takes {dtype}, not {array.dtype}")
    if tuple(array.shape) != shape:
        raise ValueError(f"the {kind} {name} takes the shape {shape}, not {tuple(array.shape)}")
    problem = family.problem(kind, array)
    if problem is not None:
        raise ValueError(f"the {kind} {name} {problem}")
    return array


def _checked_inputs(arrays):
    if len(arrays) != len(INPUTS):
        raise TypeError(f"@NAME@ takes {len(INPUTS)} inputs, not {len(arrays)}")
    family = _family(arrays)
    return family, [_checked(family, "input", *pair) for pair in zip(INPUTS, arrays)]


def _arguments(arrays, out):
    family, inputs = _checked_inputs(arrays)
    if out is None:
        outputs = [family.empty(shape, dtype) for _, shape, dtype in OUTPUTS]
    else:
        outputs = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(outputs) != len(OUTPUTS):
            raise TypeError(f"@NAME@ has {len(OUTPUTS)} outputs, not {len(outputs)}")
        outputs = [_checked(family, "output", *pair) for pair in zip(OUTPUTS, outputs)]
    return family, inputs, outputs


def _pointers(family, arrays):
    return [ctypes.c_void_p(family.address(array)) for array in arrays]


def _result(outputs):
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


@BODY@@TORCH@)PY";

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
        family, inputs, outputs = _arguments(inputs, out)
        _check(_library.@NAME@_run(self._instance, *_pointers(family, inputs),
                                   *_pointers(family, outputs)))
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

constexpr const char* kOperatorFunction = R"PY(def _aligned(family, array, dtype):
    if family.address(array) % ALIGNMENT == 0:
        return array
    aligned = family.empty(tuple(array.shape), dtype)
    family.copy(aligned, array)
    return aligned


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
    family = _family([array])
    array = _checked(family, "input", INPUTS[index], array)
    values = family.empty((elements,), INPUTS[index][2])
    packer(*_pointers(family, [array, values]))
    return Packed(index, values)


def _stored(family, index, array):
    name, _, dtype = INPUTS[index]
    if isinstance(array, Packed):
        if array.index != index:
            raise ValueError(f"what is packed is not the input {name}")
        return _aligned(family, array.values, dtype)
    return pack(name, array).values if name in _PACKERS else _aligned(family, array, dtype)


def @NAME@(*inputs, out=None@PARAMETERS@):
    """The output for these arrays, new unless `out` has it. Inputs that the code reads in another
    order are packed unless pack() has done so, and arrays that are not aligned are copied."""
    family, inputs, outputs = _arguments(inputs, out)
    workspace = family.empty((@BYTES@,), "uint8")
    inputs = [_stored(family, index, array) for index, array in enumerate(inputs)]
    aligned = [_aligned(family, array, dtype) for array, (_, _, dtype) in zip(outputs, OUTPUTS)]
    _check(_library.@NAME@(*_pointers(family, inputs + aligned + [workspace])@REST@))
    for array, result in zip(outputs, aligned):
        if array is not result:
            family.copy(array, result)
    return _result(outputs)
)PY";

std::string shape(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape.front())
                           : fmt::format("({})", fmt::join(shape, ", "));
}

std::string tensors(const std::vector<LibraryTensor>& tensors) {
  std::vector<std::string> rows;
  for (const LibraryTensor& tensor : tensors)
    rows.push_back(fmt::format("(\"{}\", {}, \"{}\")", tensor.name, shape(tensor.shape),
                               toString(tensor.type)));
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
    values["BYTES"] = fmt::format("{} + (threads if threads > 1 else 1) * {}",
                                  library.workspaceBytes(), library.threadWorkspaceBytes());
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
                                               {"COMMON", pythonCommon(library.name())},
                                               {"VERSION", versionText()},
                                               {"LICENCE", outputLicence()},
                                               {"INPUTS", tensors(library.inputs)},
                                               {"OUTPUTS", tensors(library.outputs)}};
  if (library.isNetwork())
    addNetworkClass(library, values);
  else
    addOperatorFunction(library, values);
  values["TORCH"] = torchText(library);
  return filled(kModule, values);
}

} // namespace nestwright
