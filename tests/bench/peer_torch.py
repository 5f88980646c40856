"""ResNet-18 at batch 1 by PyTorch on a GPU, as `packaging/gpu` compares it: fp32 without TF32,
channels last, replayed as a CUDA graph. Prints the median latency; --json FILE writes it, too, and
--device says on which GPU, by its number or a part of its name. Needs torch, and no torchvision: the
network is spelled out."""

import argparse
import json
import statistics

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.a = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=True)
        self.b = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=True)
        changes = stride != 1 or inputs != outputs
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=True) if changes else nn.Identity()

    def forward(self, x):
        return torch.relu(self.b(torch.relu(self.a(x))) + self.shortcut(x))


def resnet18():
    """Batch normalisation is folded into the convolutions, as an inference engine has it."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for outputs, stride in [(64, 1), (128, 2), (256, 2), (512, 2)]:
        layers += [Block(channels, outputs, stride), Block(outputs, outputs, 1)]
        channels = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def chosen(wanted):
    """The number of the device; the first where none is wanted."""
    if not wanted or wanted.isdigit():
        return int(wanted or 0)
    for number in range(torch.cuda.device_count()):
        if wanted.lower() in torch.cuda.get_device_name(number).lower():
            return number
    raise SystemExit("PyTorch sees no GPU called " + wanted)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--json")
    arguments.add_argument("--device", default="")
    given = arguments.parse_args()
    path = given.json
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch sees no GPU")
    torch.cuda.set_device(chosen(given.device))
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    network = resnet18().cuda().eval().to(memory_format=torch.channels_last)
    image = torch.rand(1, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())  # which still fills weights and image
        with torch.cuda.stream(side):
            for _ in range(10):
                network(image)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            network(image)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    seconds = []
    for repeat in range(12):  # the first ones wake the clock
        begin.record()
        for _ in range(50):
            graph.replay()
        end.record()
        end.synchronize()
        seconds.append(begin.elapsed_time(end) / 50 / 1000)
    result = {
        "seconds": statistics.median(seconds[2:]),
        "torch": torch.__version__,
        "cudnn": torch.backends.cudnn.version(),
        "device": torch.cuda.get_device_name(),
    }
    print("PyTorch {torch}, cuDNN {cudnn}, fp32 without TF32, graph: ResNet-18 in {ms:.3f} ms".format(
        ms=result["seconds"] * 1e3, **result))
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)


if __name__ == "__main__":
    main()
