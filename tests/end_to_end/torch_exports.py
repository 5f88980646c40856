#!/usr/bin/python3
"""Exports torchvision's networks and a BERT encoder, runs each naively and compares with PyTorch.

    tests/end_to_end/torch_exports.py [--binary build/release/bin/nestwright] [--keep FOLDER]
                                      [--full] [NAME ...]

Needs Debian's python3-torch, python3-torchvision and python3-onnx (not part of the test suite: they
are heavy). Weights and batch-norm statistics are random. Images are smaller than usual, so that the
naive programs take seconds; --full takes the usual sizes. Exit code 0: all within 1e-3 relative; 77:
PyTorch is not installed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import torch
    import torchvision
    from onnx import numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}; install python3-torch, python3-torchvision and python3-onnx")
    sys.exit(77)

TOLERANCE = 1e-3


def randomise(module):
    norms = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)
    for part in module.modules():
        if isinstance(part, norms):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
            part.weight.data.uniform_(0.5, 1.5)
            part.bias.data.normal_(0, 0.1)


class Encoder(torch.nn.Module):
    """BERT's encoder: embeddings, layers of attention and feed-forward, pooler."""

    def __init__(self, layers=4, hidden=256, heads=4, sequence=64, vocabulary=1000):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, hidden)
        self.places = torch.nn.Embedding(sequence, hidden)
        self.norm = torch.nn.LayerNorm(hidden)
        layer = torch.nn.TransformerEncoderLayer(
            hidden, heads, 4 * hidden, activation="gelu", batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.pooler = torch.nn.Linear(hidden, hidden)
        self.sequence = sequence

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places(torch.arange(self.sequence).unsqueeze(0)))
        return torch.tanh(self.pooler(self.layers(x)[:, 0]))


class Recurrent(torch.nn.Module):
    """Two layers in both directions over a sequence, and a classifier of what they end with."""

    def __init__(self, kind, inputs=32, hidden=48):
        super().__init__()
        self.layers = kind(inputs, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.classes = torch.nn.Linear(2 * hidden, 10)

    def forward(self, x):
        return self.classes(self.layers(x)[0][:, -1])


def vision(name, small=64, usual=224, **options):
    def make(full):
        size = usual if full else small
        return (getattr(torchvision.models, name)(weights=None, **options),
                torch.randn(1, 3, size, size))
    return make


NETWORKS = {
    "resnet18": vision("resnet18"),
    "resnet50": vision("resnet50"),
    "mobilenet_v2": vision("mobilenet_v2"),
    "mobilenet_v3_large": vision("mobilenet_v3_large"),
    "squeezenet1_1": vision("squeezenet1_1"),
    "vgg16": vision("vgg16", small=224),  # the exporter knows its pooling for this size only
    "densenet121": vision("densenet121"),
    "inception_v3": vision("inception_v3", small=107, usual=299, init_weights=True),
    "resnext50_32x4d": vision("resnext50_32x4d"),
    "wide_resnet50_2": vision("wide_resnet50_2"),
    "googlenet": vision("googlenet", init_weights=True),
    "shufflenet_v2_x1_0": vision("shufflenet_v2_x1_0"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "swin_t": vision("swin_t"),
    "r3d_18": lambda full: (torchvision.models.video.r3d_18(weights=None),
                            torch.randn(1, 3, *((16, 112, 112) if full else (8, 32, 32)))),
    "bert_encoder": lambda full: (Encoder(), torch.randint(0, 1000, (1, 64))),
    "lstm": lambda full: (Recurrent(torch.nn.LSTM), torch.randn(1, 20, 32)),
    "gru": lambda full: (Recurrent(torch.nn.GRU), torch.randn(1, 20, 32)),
}


def export(name, full, folder):
    torch.manual_seed(1)
    model, x = NETWORKS[name](full)
    randomise(model)
    model.eval()
    with torch.no_grad():
        y = model(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, x, f"{folder}/model.onnx", opset_version=13,
                          input_names=["input"], output_names=["output"])
    for tensor, file in ((x, "input.pb"), (y, "output.pb")):
        with open(f"{folder}/{file}", "wb") as out:
            out.write(numpy_helper.from_array(tensor.numpy()).SerializeToString())


def seconds(command):
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True)
    return time.monotonic() - start, result


def check(name, arguments, folder):
    export(name, arguments.full, folder)
    model = f"{folder}/model.onnx"
    import_seconds, tasks = seconds([arguments.binary, "tasks", model, "--json"])
    if tasks.returncode != 0:
        return False, [name, tasks.stderr.strip()[:300]]
    run_seconds, run = seconds(
        [arguments.binary, "run", model, "--naive", "--json", "--input",
         f"{folder}/input.pb", "--expect", f"{folder}/output.pb", "--tolerance", str(TOLERANCE)])
    megabytes = os.path.getsize(model) / 1e6
    if run.returncode != 0:
        return False, [name, run.stderr.strip()[:300]]
    error = json.loads(run.stdout)["expected_error"]
    return error <= TOLERANCE, [name, f"{megabytes:.1f} MB", f"import {import_seconds:.2f} s",
                                f"run {run_seconds:.1f} s", f"error {error:.2g}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NETWORKS))
    parser.add_argument("--binary", default="build/release/bin/nestwright")
    parser.add_argument("--keep", help="keep the exported models in this folder")
    parser.add_argument("--full", action="store_true", help="images of the usual sizes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    good = True
    for name in arguments.names or NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            if arguments.keep:
                folder = os.path.join(arguments.keep, name)
                os.makedirs(folder, exist_ok=True)
            passed, row = check(name, arguments, folder)
        good = good and passed
        print("passed" if passed else "FAILED", *(f"{cell:<20}" for cell in row), flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
