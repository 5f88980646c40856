#!/usr/bin/python3
"""Exports small PyTorch models for tests/network/onnx_import.cpp. Needs python3-torch; run it only to
make the fixtures anew. Files as in make.py."""
import os

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(1)


def export(name, model, x, **options):
    model.eval()
    with torch.no_grad():
        y = model(x)
    torch.onnx.export(model, x, os.path.join(HERE, name + ".onnx"), opset_version=13,
                      input_names=["x"], output_names=["out"], **options)
    x.numpy().tofile(os.path.join(HERE, name + ".x.bin"))
    y.numpy().tofile(os.path.join(HERE, name + ".out.bin"))


def unlike_initial(model):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 1.5)
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.3)
    return model


class Block(nn.Module):
    def __init__(self, c, o, stride):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(c, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(),
            nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o))
        self.shortcut = nn.Sequential() if stride == 1 else nn.Sequential(
            nn.Conv2d(c, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        return torch.relu(self.main(x) + self.shortcut(x))


def resnet():
    return unlike_initial(nn.Sequential(
        nn.Conv2d(3, 4, 5, 2, 2, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(4, 4, 1), Block(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5)))


def mobilenet():
    return unlike_initial(nn.Sequential(
        nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU6(),
        nn.Conv2d(4, 4, 3, 1, 1, groups=4, bias=False), nn.BatchNorm2d(4), nn.ReLU6(),
        nn.Conv2d(4, 8, 1), nn.Hardswish(), nn.Conv2d(8, 6, 3, 1, 2, dilation=2, groups=2),
        nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), nn.SiLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(), nn.Linear(6, 3)))


class Encoder(nn.Module):
    """nn.TransformerEncoder behind an embedding, with the mean over tokens."""

    def __init__(self, batch_first):
        super().__init__()
        self.words, self.positions = nn.Embedding(11, 8), nn.Embedding(6, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 12, activation="gelu", batch_first=batch_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(8)

    def forward(self, ids):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.norm(self.encoder(x)).mean(1)


class Attention(nn.Module):
    """One layer as Hugging Face's BertModel writes it: views of sizes read at run time."""

    def __init__(self, hidden=8, heads=2, inner=12):
        super().__init__()
        self.heads, self.words = heads, nn.Embedding(11, hidden)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden, hidden) for _ in range(4))
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.n1, self.n2 = nn.LayerNorm(hidden, eps=1e-12), nn.LayerNorm(hidden, eps=1e-12)
        self.pooler = nn.Linear(hidden, hidden)

    def split(self, x):
        return x.view(x.size()[:-1] + (self.heads, x.size(-1) // self.heads)).permute(0, 2, 1, 3)

    def forward(self, ids):
        mask = (1.0 - torch.ones(ids.size())[:, None, None, :]) * -10000.0
        x = self.words(ids)
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / 2 + mask, -1)
        c = torch.matmul(scores, v).permute(0, 2, 1, 3).contiguous()
        x = self.n1(self.o(c.view(c.size()[:-2] + (-1,))) + x)
        x = self.n2(self.down(nn.functional.gelu(self.up(x))) + x)
        return torch.tanh(self.pooler(x[:, 0]))


image = torch.randn(2, 3, 13, 13)
export("torch_resnet", resnet(), image)
export("torch_resnet_norms", resnet(), image, do_constant_folding=False,
       training=torch.onnx.TrainingMode.PRESERVE)
export("torch_mobilenet", mobilenet(), image)
tokens = torch.randint(0, 11, (2, 5))
export("torch_encoder", unlike_initial(Encoder(True)), tokens)
export("torch_encoder_sequence_first", unlike_initial(Encoder(False)), tokens)
export("torch_attention", unlike_initial(Attention()), tokens,
       dynamic_axes={"x": {0: "batch", 1: "sequence"}})
