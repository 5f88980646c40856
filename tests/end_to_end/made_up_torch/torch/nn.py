"""Layers that give what they are given."""


def same(x):
    return x


class Module:
    def __init__(self, *_, **__):
        self.layers = []

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        return x

    def cuda(self):
        return self

    def eval(self):
        return self

    def to(self, memory_format=None):
        return self


class Sequential(Module):
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


Conv2d = ReLU = MaxPool2d = AdaptiveAvgPool2d = Flatten = Linear = Identity = Module
