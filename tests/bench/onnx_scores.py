"""Runs exported networks with onnxruntime and compares with the learner's own scores.

NESTWRIGHT_KEEP_ONNX=FOLDER build/release/tests/tests_learn exported_networks writes, a folder a
network, model.onnx, input_N.pb and output_0.pb, as ONNX's own test data are laid out. Then, with
onnx and onnxruntime from PyPI: python3 tests/bench/onnx_scores.py FOLDER
"""

import pathlib
import sys

import numpy
import onnx
import onnx.numpy_helper
import onnxruntime


def tensor(path):
    return onnx.numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def main():
    worst = 0.0
    for folder in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.is_dir()):
        onnx.checker.check_model(onnx.load(folder / "model.onnx"), full_check=True)
        session = onnxruntime.InferenceSession(folder / "model.onnx")
        inputs = {
            each.name: tensor(folder / f"input_{i}.pb")
            for i, each in enumerate(session.get_inputs())
        }
        expected = tensor(folder / "output_0.pb")
        given = session.run(None, inputs)[0]
        difference = float(numpy.abs(given - expected).max())
        worst = max(worst, difference)
        print(f"{folder.name}: {given.shape}, largest difference {difference:.2g}")
    print(f"onnxruntime {onnxruntime.__version__}: largest difference {worst:.2g}")
    sys.exit(worst > 1e-4)


main()
