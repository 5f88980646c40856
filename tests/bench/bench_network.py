#!/usr/bin/env python3
"""End-to-end latency of a network tuned by Nestwright beside ONNX Runtime's, in one run.

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install onnxruntime onnx
    nestwright tune model.onnx --threads 1 --trials 2000 --db model.nwdb
    /tmp/peer/bin/python tests/bench/bench_network.py model.onnx --db model.nwdb --threads 1

Both run the same file on the same random inputs with the same number of threads, in turns, so that
they see the same state of the machine. ONNX Runtime's outputs are what Nestwright's must agree
with.
"""

import argparse
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
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def peer_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def peer_seconds(session, feed, repeats):
    times = []
    for repeat in range(repeats + 2):  # two to warm up
        start = time.perf_counter()
        session.run(None, feed)
        times.append(time.perf_counter() - start)
    return times[2:]


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
               "--input", *inputs, "--expect", *outputs]
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
    ours, theirs, error = [], [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        inputs = save(folder, "input", feed.values())
        outputs = save(folder, "output", session.run(None, feed))
        for _ in range(options.turns):
            theirs += peer_seconds(session, feed, options.repeats)
            result = own_seconds(options, inputs, outputs)
            ours += result["repeats"]
            error = max(error, result["expected_error"])
    figures = {
        "model": options.model,
        "threads": options.threads,
        "onnxruntime": onnxruntime.__version__,
        "nestwright_seconds": statistics.median(ours),
        "onnxruntime_seconds": statistics.median(theirs),
        "relative_error": error,
    }
    figures["ratio"] = figures["nestwright_seconds"] / figures["onnxruntime_seconds"]
    print(f"nestwright {statistics.median(ours) * 1e3:.2f} ms (best {min(ours) * 1e3:.2f}), "
          f"ONNX Runtime {onnxruntime.__version__} {statistics.median(theirs) * 1e3:.2f} ms "
          f"(best {min(theirs) * 1e3:.2f}), ratio {figures['ratio']:.2f}, "
          f"relative error {error:.1e}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


main()
