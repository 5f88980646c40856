#!/usr/bin/python3
"""Makes the ONNX fixtures of tests/network/onnx_import.cpp with python3-onnx and numpy.

A model NAME.onnx comes with NAME.INPUT.bin and NAME.out.bin: raw little-endian float32 (or int64 for
token inputs). The models in broken/ must be refused. Models exported by PyTorch come from
make_torch.py, which needs python3-torch.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.RandomState(1)


def random(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def initializers(values):
    return [numpy_helper.from_array(np.asarray(v), k) for k, v in values.items()]


def model(name, nodes, inputs, outputs, constants=None, opset=13, folder="", check=True,
          type=TensorProto.FLOAT, version=8):
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(k, t, s) for k, (t, s) in inputs.items()],
        [helper.make_tensor_value_info(k, type, s) for k, s in outputs.items()],
        initializers(constants or {}))
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                               producer_name="nestwright tests")
    result.ir_version = version
    if check:
        onnx.checker.check_model(result)
    os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    with open(os.path.join(HERE, folder, name + ".onnx"), "wb") as file:
        file.write(result.SerializeToString())
    return result


def data(name, part, value):
    np.ascontiguousarray(value).tofile(os.path.join(HERE, f"{name}.{part}.bin"))


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=op.lower() + "_" +
                            outputs.split()[0], **attributes)


def ints(*values):
    return np.array(values, np.int64)


def movement():
    """Everything that only moves elements or computes shapes, in one graph."""
    x = random(2, 3, 4)
    nodes = [
        node("Shape", "x", "shape"),                                     # 2 3 4
        node("Gather", "shape zero", "batch", axis=0),                   # scalar 2
        node("Unsqueeze", "batch zero1", "batch1"),
        node("Concat", "batch1 minus", "target", axis=0),                # 2 -1
        node("Reshape", "x target", "flat"),                             # 2x12
        node("Slice", "flat starts ends axes steps", "sliced"),          # columns 10, 7, 4, 1
        node("Split", "x parts", "p q", axis=2),                         # 2x3x1, 2x3x3
        node("Squeeze", "p two", "squeezed"),                            # 2x3
        node("Transpose", "q", "turned", perm=[2, 0, 1]),                # 3x2x3
        node("Gather", "turned last", "row", axis=0),                    # 2x3
        node("Add", "squeezed row", "sum"),
        node("ConstantOfShape", "shape2", "filled", value=helper.make_tensor(
            "v", TensorProto.FLOAT, [1], [0.5])),
        node("Concat", "sum filled", "joined", axis=1),                  # 2x4
        node("Range", "zero four one", "range"),
        node("Equal", "range two0", "isTwo"),
        node("Expand", "isTwo shape24", "mask"),
        node("Where", "mask sliced joined", "chosen"),
        node("Cast", "range", "numbers", to=TensorProto.FLOAT),
        node("Mul", "chosen numbers", "product"),
        node("Dropout", "product", "dropped"),
        node("Identity", "dropped", "out"),
    ]
    constants = {
        "zero": np.int64(0), "zero1": ints(0), "minus": ints(-1), "starts": ints(10),
        "ends": ints(-100), "axes": ints(1), "steps": ints(-3), "parts": ints(1, 3), "two": ints(2),
        "last": np.int64(-1), "shape2": ints(2, 1), "four": np.int64(4), "one": np.int64(1),
        "two0": np.int64(2), "shape24": ints(2, 4),
    }
    model("movement", nodes, {"x": (TensorProto.FLOAT, [2, 3, 4])}, {"out": [2, 4]}, constants)
    joined = np.concatenate([x[:, :, 0] + x[:, :, 3], np.full((2, 1), 0.5, np.float32)], 1)
    # turned[-1] is q[:, :, -1] = x[:, :, 3]
    sliced = x.reshape(2, 12)[:, 10:None:-3]
    mask = np.arange(4) == 2
    data("movement", "x", x)
    data("movement", "out", np.where(mask, sliced, joined) * np.arange(4, dtype=np.float32))


def elementwise():
    x, y = random(2, 3, 5), random(3, 1)
    nodes = [
        node("Exp", "x", "e"), node("Sigmoid", "e", "s"), node("Sub", "s y", "d"),
        node("Abs", "d", "a"), node("Pow", "a half", "p"), node("Max", "p y x", "m"),
        node("Min", "m one", "n"), node("HardSigmoid", "n", "h", alpha=0.3, beta=0.4),
        node("LeakyRelu", "x", "l", alpha=0.1), node("HardSwish", "l", "w"),
        node("Sum", "h w y", "u"), node("Neg", "u", "g"), node("Clip", "g low", "c"),
        node("Reciprocal", "three", "r"), node("Mul", "c r", "v"),
        node("Softmax", "v", "t", axis=1), node("Tanh", "t", "out"),
    ]
    constants = {"y": y, "half": np.float32(0.5), "one": np.float32(0.9), "low": np.float32(-0.7),
                 "three": np.float32(3)}
    model("elementwise", nodes, {"x": (TensorProto.FLOAT, [2, 3, 5])}, {"out": [2, 3, 5]}, constants,
          opset=14)
    s = 1 / (1 + np.exp(-np.exp(x)))
    n = np.minimum(np.maximum(np.maximum(np.sqrt(np.abs(s - y)), y), x), np.float32(0.9))
    h = np.clip(0.3 * n + 0.4, 0, 1)
    l = np.where(x < 0, 0.1 * x, x)
    u = h + l * np.clip(l / 6 + 0.5, 0, 1) + y
    v = np.maximum(-u, -0.7) / 3
    t = np.exp(v - v.max(1, keepdims=True))
    data("elementwise", "x", x)
    data("elementwise", "out", np.tanh(t / t.sum(1, keepdims=True)).astype(np.float32))


def normalisation():
    """LayerNormalization as one operator, reductions with axes as attribute and as operand, Gemm."""
    x, scale, shift = random(4, 3, 6), random(6), random(6)
    weight, bias = random(5, 6), random(5)
    nodes = [
        node("LayerNormalization", "x scale shift", "n", axis=-1, epsilon=1e-3),
        node("ReduceMean", "n", "m", axes=[1], keepdims=0),
        node("ReduceSum", "n axes", "s", keepdims=0),
        node("ReduceMax", "n", "h", axes=[-2], keepdims=0),
        node("Add", "m s", "ms"), node("Add", "ms h", "sum"),
        node("Gemm", "sum weight bias", "out", alpha=0.5, beta=2.0, transB=1),
    ]
    model("normalisation", nodes, {"x": (TensorProto.FLOAT, [4, 3, 6])}, {"out": [4, 5]},
          {"scale": scale, "shift": shift, "weight": weight, "bias": bias, "axes": ints(1)}, opset=17,
          version=10, check=False)
    n = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-3) * scale + shift
    total = n.mean(1) + n.sum(1) + n.max(1)
    data("normalisation", "x", x)
    data("normalisation", "out", (0.5 * total @ weight.T + 2 * bias).astype(np.float32))


def half():
    model("half", [node("Relu", "x", "out")], {"x": (TensorProto.FLOAT16, [1, 4])}, {"out": [1, 4]},
          type=TensorProto.FLOAT16)


def half_dense():
    """float16 outside, and something to tune."""
    weights = np.arange(12, dtype=np.float16).reshape(4, 3) / np.float16(4)
    model("half_dense", [node("MatMul", "x weights", "out")], {"x": (TensorProto.FLOAT16, [1, 4])},
          {"out": [1, 3]}, {"weights": weights}, type=TensorProto.FLOAT16)


def broken():
    x = {"x": (TensorProto.FLOAT, [1, 4])}
    model("unknown_operator", [node("Relu", "x", "y"), node("Det", "y", "out")], x, {"out": []},
          folder="broken")
    weight = {"w": np.arange(16).reshape(4, 4).astype(np.float32) / 8 - 1}
    model("partly_supported",
          [node("MatMul", "x w", "a"), node("Relu", "a", "b"), node("Det", "b", "d"),
           node("Mul", "b d", "c"), node("MatMul", "c w", "out")],
          {"x": (TensorProto.FLOAT, [1, 4, 4])}, {"out": [1, 4, 4]}, weight, folder="broken")
    model("symbolic", [node("Relu", "x", "out")], {"x": (TensorProto.FLOAT, ["batch", "length", 4])},
          {"out": ["batch", "length", 4]}, folder="broken")
    model("unnamed", [node("Relu", "x", "out")], {"x": (TensorProto.FLOAT, [None, 4])},
          {"out": [None, 4]}, folder="broken")
    model("missing_tensor", [node("Add", "x nothing", "out")], x, {"out": [1, 4]}, folder="broken",
          check=False)
    model("bad_attribute", [node("Relu", "x", "out", speed=3)], x, {"out": [1, 4]}, folder="broken",
          check=False)
    model("dynamic_shape", [node("Cast", "x", "s", to=TensorProto.INT64), node("Reshape", "y s", "out")],
          {"x": (TensorProto.FLOAT, [2]), "y": (TensorProto.FLOAT, [4])}, {"out": [2, 2]},
          folder="broken")
    model("training_mode", [node("BatchNormalization", "x s b m v", "out m1 v1", training_mode=1)],
          {"x": (TensorProto.FLOAT, [1, 2, 4])}, {"out": [1, 2, 4]},
          {k: np.ones(2, np.float32) for k in "sbmv"}, opset=15, folder="broken")
    model("kernel_mismatch", [node("Conv", "x w", "out")], {"x": (TensorProto.FLOAT, [1, 4, 8, 8])},
          {"out": [1, 2, 6, 6]}, {"w": random(2, 3, 3, 3)}, folder="broken", check=False)
    model("huge_kernel", [node("MaxPool", "x", "out", kernel_shape=[9, 9])],
          {"x": (TensorProto.FLOAT, [1, 1, 4, 4])}, {"out": [1, 1, 1, 1]}, folder="broken", check=False)
    model("index_out_of_range", [node("Gather", "x i", "out", axis=1)], x, {"out": [1]},
          {"i": np.int64(7)}, folder="broken")
    model("wrong_declaration", [node("Relu", "x", "out")], x, {"out": [2, 4]}, folder="broken")
    model("newer_opset", [node("Relu", "x", "out")], x, {"out": [1, 4]}, opset=40, folder="broken",
          check=False)
    whole = model("to_be_cut", [node("Relu", "x", "out")], x, {"out": [1, 4]}, folder="broken")
    os.remove(os.path.join(HERE, "broken", "to_be_cut.onnx"))
    with open(os.path.join(HERE, "broken", "cut.onnx"), "wb") as file:
        file.write(whole.SerializeToString()[:-20])
    with open(os.path.join(HERE, "broken", "text.onnx"), "w") as file:
        file.write("this is no model\n")


movement()
elementwise()
normalisation()
half()
half_dense()
broken()
