#include "core/deploy/torch_module.h"

#include "core/deploy/template_text.h"

namespace nestwright {

namespace {

constexpr const char* kTorch = R"PY(

@RUN@

def _run_shapes(*tensors):
    family, inputs = _checked_inputs([_as_packed(*pair) for pair in enumerate(tensors)])
    torch = sys.modules["torch"]
    first = getattr(inputs[0], "values", inputs[0]) if isinstance(inputs[0], _packed_types) else inputs[0]
    return _result([first.new_empty(shape, dtype=getattr(torch, dtype)) for _, shape, dtype in OUTPUTS])


def _define(torch, library, name, parameters, results, run, shapes):
    """An operator: what it does with tensors in the host's memory, and what comes of their shapes."""
    words = [word + "_" if keyword.iskeyword(word) else word for word in parameters]
    arguments = ", ".join("Tensor " + word for word in words)
    result = "Tensor" if results == 1 else "(" + ", ".join(["Tensor"] * results) + ")"
    # From 2.2 on: it may be in graphs, with its inputs in the order in which they were traced.
    known = [getattr(torch.Tag, tag, None) for tag in ("pt2_compliant_tag", "needs_fixed_stride_order")] \
        if hasattr(torch, "Tag") else []
    more = {"tags": tuple(tag for tag in known if tag is not None)} if any(known) else {}
    library.define(f"{name}({arguments}) -> {result}", **more)
    library.impl(name, run, "CPU")
    if hasattr(torch.library, "register_fake"):  # from 2.4 on
        torch.library.register_fake("@NAME@::" + name, shapes, lib=library)
    else:
        for key in ("Meta", "AutogradMeta"):  # the second falls through to nothing in 1.13
            library.impl(name, shapes, key)


_torch_library = None  # what it defines goes with it
_torch_lock = threading.Lock()


def torch_operator():
    """torch.ops.@NAME@.run: the outputs for these tensors. It computes no gradients."""
    global _torch_library
    import torch
    import torch.library
    with _torch_lock:
        if _torch_library is None:
            library = torch.library.Library("@NAME@", "DEF")
            _define(torch, library, "run", [name for name, _, _ in INPUTS], len(OUTPUTS), _run, _run_shapes)
@PACKERS@            _torch_library = library
    return torch.ops.@NAME@.run


if "torch" in sys.modules:
    torch_operator()
)PY";

constexpr const char* kNetworkRun = R"PY(_idle = []  # instances that no thread runs


def _as_packed(index, tensor):
    return tensor


def _run(*tensors):
    try:
        network = _idle.pop()
    except IndexError:
        network = Network()
    try:
        return network.run(*tensors)
    finally:
        _idle.append(network)

)PY";

constexpr const char* kOperatorRun = R"PY(def _as_packed(index, tensor):
    """Tensors that pack_INPUT made have one dimension, what they were made of has more."""
    name, shape, dtype = INPUTS[index]
    if name not in _PACKERS or len(shape) == 1 or tuple(tensor.shape) != (_PACKERS[name][1],):
        return tensor
    _checked(_Torch, "packed input", (name, tuple(tensor.shape), dtype), tensor)
    return Packed(index, tensor)


def _run(*tensors):
    return @NAME@(*[_as_packed(*pair) for pair in enumerate(tensors)])


def _packer(name):
    index, elements, _ = _PACKERS[name]

    def run(tensor):
        return pack(name, tensor).values

    def shapes(tensor):
        return _checked(_Torch, "input", INPUTS[index], tensor).new_empty((elements,))

    return run, shapes

)PY";

} // namespace

std::string torchText(const Library& library) {
  std::map<std::string, std::string> values = {{"NAME", library.name()}, {"PACKERS", ""}};
  values["RUN"] = filled(library.isNetwork() ? kNetworkRun : kOperatorRun, values);
  if (!library.isNetwork())
    values["PACKERS"] = "            for name in _PACKERS:\n"
                        "                _define(torch, library, \"pack_\" + name, [name], 1, "
                        "*_packer(name))\n";
  return filled(kTorch, values);
}

} // namespace nestwright
