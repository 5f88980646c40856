#!/usr/bin/python3
"""Compares the zoo's networks with PyTorch's: the same weights and inputs, built independently.

    cmake --build build/release --target nestwright plugins zoo_tensors
    tests/end_to_end/torch_zoo.py [--build build/release] [NAME ...]

The image networks are torchvision's own, which take our weights in the order in which they use
them; BERT and DCGAN are put together from torch.nn here. Images are small, so that the naive
programs take seconds. Exit code 0: all within 1e-3 relative; 77: PyTorch is not installed (Debian:
python3-torch, python3-torchvision, python3-onnx).
"""
import argparse
import json
import subprocess
import sys
import tempfile

try:
    import onnx
    import torch
    import torchvision
    from onnx import numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}; install python3-torch, python3-torchvision and python3-onnx")
    sys.exit(77)

TOLERANCE = 1e-3
nn = torch.nn


def read(file):
    return torch.from_numpy(numpy_helper.to_array(onnx.load_tensor(file)).copy())


def slots(module):
    """Where the tensors of a layer go, in our order."""
    if isinstance(module, nn.Linear):
        yield module.weight.data.T
    else:
        yield module.weight.data
    if module.bias is not None:
        yield module.bias.data
    if hasattr(module, "running_mean"):
        yield module.running_mean
        yield module.running_var


def fill(model, weights, inputs):
    """Gives the model's layers our weights, in the order in which a run uses the layers."""
    used, hooks = [], []
    layers = (nn.Conv2d, nn.Conv3d, nn.ConvTranspose2d, nn.Linear, nn.BatchNorm2d, nn.BatchNorm3d)
    for module in model.modules():
        if isinstance(module, layers):
            hooks.append(module.register_forward_pre_hook(lambda m, _: used.append(m)))
    model(*inputs)
    for hook in hooks:
        hook.remove()
    places = [place for module in used for place in slots(module)]
    if len(places) != len(weights):
        raise ValueError(f"PyTorch has {len(places)} tensors, ours has {len(weights)}")
    for place, (name, value) in zip(places, weights):
        if place.numel() != value.numel():
            raise ValueError(f"{name} is {list(value.shape)}, PyTorch's {list(place.shape)}")
        place.copy_(value.reshape(place.shape))
    return model


def vision(name, **options):
    def build(weights, inputs):
        return fill(getattr(torchvision.models, name)(weights=None, **options).eval(), weights,
                    inputs)
    return build


def video(weights, inputs):
    return fill(torchvision.models.video.r3d_18(weights=None).eval(), weights, inputs)


class Generator(nn.Module):
    """DCGAN's generator: a dense layer, then transposed convolutions that double the size."""

    def __init__(self, side):
        super().__init__()
        self.side = side
        self.dense = nn.Linear(100, 1024 * side * side, bias=False)
        ends = [1024, 512, 256, 128, 3]
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 4, 2, 1, bias=False)
                                 for a, b in zip(ends, ends[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for c in ends[1:-1])

    def forward(self, z):
        # The dense layer's result lies channels last.
        x = torch.relu(self.dense(z)).reshape(-1, self.side, self.side, 1024).permute(0, 3, 1, 2)
        for up, norm in zip(self.ups, self.norms):
            x = torch.relu(norm(up(x)))
        return torch.tanh(self.ups[-1](x))


def dcgan(weights, inputs):
    side = int((weights[0][1].shape[1] // 1024) ** 0.5)
    return fill(Generator(side).eval(), weights, inputs)


class Bert(nn.Module):
    """Hugging Face's BertModel for token ids alone, from PyTorch's own encoder."""

    def __init__(self, layers, hidden, heads):
        super().__init__()
        self.words, self.places, self.types = (nn.Embedding(n, hidden) for n in (30522, 512, 2))
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        layer = nn.TransformerEncoderLayer(hidden, heads, 4 * hidden, activation="gelu",
                                           layer_norm_eps=1e-12, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.pooler = nn.Linear(hidden, hidden)

    def forward(self, ids):
        places = torch.arange(ids.shape[1]).unsqueeze(0)
        x = self.norm(self.words(ids) + self.places(places) + self.types(torch.zeros_like(ids)))
        x = self.layers(x)
        return x, torch.tanh(self.pooler(x[:, 0]))


def bert(layers, hidden, heads):
    def build(weights, _):
        ours = dict(weights)
        model = Bert(layers, hidden, heads)

        def linear(to, name):
            to.weight.data = ours.pop(f"{name}.weight").T
            to.bias.data = ours.pop(f"{name}.bias")

        def norm(to, name):
            to.weight.data, to.bias.data = ours.pop(f"{name}.scale"), ours.pop(f"{name}.shift")

        model.words.weight.data = ours.pop("word_embeddings")
        model.places.weight.data = ours.pop("position_embeddings")
        model.types.weight.data = ours.pop("type_embeddings")
        norm(model.norm, "embeddings.norm")
        for i, layer in enumerate(model.layers.layers):
            attention = layer.self_attn
            parts = [f"layer{i}.attention.{part}" for part in ("query", "key", "value")]
            attention.in_proj_weight.data = torch.cat([ours.pop(f"{p}.weight").T for p in parts])
            attention.in_proj_bias.data = torch.cat([ours.pop(f"{p}.bias") for p in parts])
            linear(attention.out_proj, f"layer{i}.attention.output")
            norm(layer.norm1, f"layer{i}.attention.norm")
            linear(layer.linear1, f"layer{i}.intermediate")
            linear(layer.linear2, f"layer{i}.output")
            norm(layer.norm2, f"layer{i}.norm")
        linear(model.pooler, "pooler")
        if ours:
            raise ValueError(f"PyTorch has no place for {', '.join(ours)}")
        return model.eval()
    return build


NETWORKS = {
    "resnet18:image=64": vision("resnet18"),
    "resnet50:batch=2,image=64": vision("resnet50"),
    "resnet34:image=64": vision("resnet34"),
    "resnet101:image=64": vision("resnet101"),
    "wide_resnet50:image=64": vision("wide_resnet50_2"),
    "resnext50:image=64": vision("resnext50_32x4d"),
    "mobilenet_v2:image=64": vision("mobilenet_v2"),
    "mobilenet_v3:image=64": vision("mobilenet_v3_large"),
    "inception_v3:image=107": vision("inception_v3", init_weights=False),
    "densenet121:image=64": vision("densenet121"),
    "vgg16:image=224": vision("vgg16"),
    "squeezenet1_1:image=64": vision("squeezenet1_1"),
    "r3d_18:depth=8,height=32,width=32": video,
    "bert_tiny:batch=2,sequence=32": bert(6, 512, 8),
    "bert_base:sequence=32": bert(12, 768, 12),
    "bert_medium:sequence=16": bert(12, 1024, 16),
    "bert_large:sequence=16": bert(24, 1024, 16),
    "dcgan:batch=2,image=64": dcgan,
    "dcgan:image=96": dcgan,
}


def command(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"{' '.join(arguments[:3])}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def check(name, build, folder):
    """The relative error of our naive network against PyTorch's."""
    files = command([f"{build}/tests/zoo_tensors", name, folder])
    weights = [(w["name"], read(w["file"])) for w in files["weights"]]
    inputs = [read(file) for file in files["inputs"]]
    with torch.no_grad():
        results = NETWORKS[name](weights, inputs)(*inputs)
    expected = []
    for tensor in results if isinstance(results, tuple) else (results,):
        expected.append(f"{folder}/output_{len(expected)}.pb")
        with open(expected[-1], "wb") as out:
            out.write(numpy_helper.from_array(tensor.numpy()).SerializeToString())
    return command([f"{build}/bin/nestwright", "run", name, "--naive", "--json", "--input",
                    *files["inputs"], "--expect", *expected, "--tolerance",
                    str(TOLERANCE)])["expected_error"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of: " + ", ".join(NETWORKS))
    parser.add_argument("--build", default="build/release", help="the build folder")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    good = True
    for name in NETWORKS:
        if arguments.names and not any(part in name for part in arguments.names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                error = check(name, arguments.build, folder)
                passed, text = error <= TOLERANCE, f"error {error:.2g}"
            except ValueError as reason:
                passed, text = False, str(reason)
        good = good and passed
        print("passed" if passed else "FAILED", f"{name:<36}", text, flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
