#!/usr/bin/env python3
"""End-to-end latency of a network tuned by Nestwright beside ONNX Runtime's, in one run, and beside
OpenVINO's where that is installed.

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install onnxruntime onnx openvino
    nestwright tune model.onnx --threads 1 --trials 2000 --db model.nwdb
    /tmp/peer/bin/python tests/bench/bench_network.py model.onnx --db model.nwdb --threads 1

All run the same file on the same random inputs with the same number of threads, in turns, so that
they see the same state of the machine, and all in the file's precision. ONNX Runtime's outputs are
what Nestwright's must agree with; OpenVINO's deviation from them is printed, too.
"""

import argparse
import importlib.util
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime
from onnx import numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="ONNX file with fixed float32 input shapes")
    parser.add_argument("--db", required=True, help="record file that holds its tuned programs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=10, help="timed runs of each in a turn")
    parser.add_argument("--nestwright", default=str(FOLDER / "build/release/bin/nestwright"))
    parser.add_argument("--tolerance", default="1e-3",
                        help="relative error allowed; of quantised networks a step or two")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def peer_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def openvino_run(model, threads):
    """A function of the feed that gives the outputs; None where OpenVINO is not installed."""
    if importlib.util.find_spec("openvino") is None:
        return None
    import openvino
    # Where a processor multiplies bfloat16, it would round to that unasked.
    compiled = openvino.Core().compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()

    def run(feed):
        request.infer(feed, share_inputs=True, share_outputs=True)
        return [request.get_output_tensor(i).data for i in range(len(compiled.outputs))]
    return run


def peer_seconds(run, feed, repeats):
    times = []
    for repeat in range(repeats + 2):  # two to warm up
        start = time.perf_counter()
        run(feed)
        times.append(time.perf_counter() - start)
    return times[2:]


def deviation(ours, theirs):
    """Of the largest result."""
    return max(float(numpy.abs(a - b).max() / numpy.abs(b).max()) for a, b in zip(ours, theirs))


def save(folder, stem, arrays):
    paths = []
    for i, array in enumerate(arrays):
        path = pathlib.Path(folder) / f"{stem}_{i}.pb"
        path.write_bytes(numpy_helper.from_array(array).SerializeToString())
        paths.append(str(path))
    return paths


def own_seconds(options, inputs, outputs):
    """Times of one run of the command line, which also compares the outputs."""
    command = [options.nestwright, "run", options.model, "--db", options.db, "--json",
               "--threads", str(options.threads), "--repeats", str(options.repeats),
               "--tolerance", options.tolerance, "--input", *inputs, "--expect", *outputs]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    options = arguments()
    session = peer_session(options.model, options.threads)
    generator = numpy.random.default_rng(1)
    feed = {i.name: generator.standard_normal(i.shape, dtype=numpy.float32)
            for i in session.get_inputs()}
    peers = {f"ONNX Runtime {onnxruntime.__version__}": lambda given: session.run(None, given)}
    expected = session.run(None, feed)
    if run := openvino_run(options.model, options.threads):
        import openvino
        name = f"OpenVINO {openvino.__version__.split('-')[0]}"
        peers[name] = run
        print(f"{name}: relative error {deviation(run(feed), expected):.1e}")
    ours, error, times = [], 0.0, {name: [] for name in peers}
    with tempfile.TemporaryDirectory() as folder:
        inputs = save(folder, "input", feed.values())
        outputs = save(folder, "output", expected)
        for _ in range(options.turns):
            for name, run in peers.items():
                times[name] += peer_seconds(run, feed, options.repeats)
            result = own_seconds(options, inputs, outputs)
            ours += result["repeats"]
            error = max(error, result["expected_error"])
    median = statistics.median(ours)
    print(f"nestwright {median * 1e3:.2f} ms (best {min(ours) * 1e3:.2f}), relative error "
          f"{error:.1e}")
    figures = {"model": options.model, "threads": options.threads, "nestwright_seconds": median,
               "relative_error": error, "peers": {}}
    for name, seconds in times.items():
        theirs = statistics.median(seconds)
        figures["peers"][name] = {"seconds": theirs, "ratio": median / theirs}
        print(f"{name} {theirs * 1e3:.2f} ms (best {min(seconds) * 1e3:.2f}), ratio "
              f"{median / theirs:.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
