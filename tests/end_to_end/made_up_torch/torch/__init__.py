"""As much of PyTorch as tests/bench/peer_torch.py asks for, on a GPU that is made up. Work on one
stream that another has not been told of is refused."""

from contextlib import contextmanager, nullcontext

from . import nn

__version__ = "0.0.made-up"
no_grad = nullcontext
relu = nn.same


class Tensor:
    def to(self, memory_format=None):
        return self

    def __add__(self, other):
        return self


channels_last = "channels last"


def rand(*_, device):
    return Tensor()


class Stream:
    def __init__(self, waited=False):
        self.waited = waited

    def wait_stream(self, other):
        self.waited = True


class Event:
    def __init__(self, enable_timing):
        self.clock = 0

    def record(self):
        cuda.clock += 1e-3
        self.clock = cuda.clock

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return end.clock - self.clock + 50


class Cuda:
    Stream, Event = Stream, Event
    clock, now = 0, Stream(waited=True)

    def is_available(self):
        return True

    def device_count(self):
        return 1

    def get_device_name(self, number=0):
        return "NVIDIA Made-Up 90"

    def set_device(self, number):
        assert number == 0

    def current_stream(self):
        return self.now

    @contextmanager
    def stream(self, side):
        assert side.waited, "the tensors may not be filled yet"
        yield

    class CUDAGraph:
        def replay(self):
            pass

    @contextmanager
    def graph(self, graph):
        yield


cuda = Cuda()


class Switches:
    class cuda:
        class matmul:
            allow_tf32 = True

    class cudnn:
        allow_tf32 = benchmark = True

        @staticmethod
        def version():
            return 91300


backends = Switches
