#!/usr/bin/env python3
"""How a network's time compares: by `nestwright run`, as a deployed library, and by ONNX Runtime.

    bench_deployed.py SUBJECT --db FILE [--nestwright PROGRAM] [--rounds 5] [--repeats 20]
                      [--onnx MODEL] [--cores N]

SUBJECT is deployed into a folder that goes at the end. Then the contenders take turns, each with its
own process, which waits as workers do, and the medians of all rounds are told, with their ratios to
`run` in the same round. Where SUBJECT is an ONNX file (or --onnx names it), and this Python has
onnxruntime, ONNX Runtime runs it by itself and with the rewritten file that calls the library. How
long opening the library takes is told, too: the least of the rounds, since only the first has to read
the constants from the disk. Nothing here passes or fails: figures are for people, on a quiet machine.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ORT = """
import sys, time, statistics
import numpy as np, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[3])
if len(sys.argv) > 4: options.register_custom_ops_library(sys.argv[4])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feeds = {i.name: np.random.default_rng(1).random([d if isinstance(d, int) else 1 for d in i.shape])
         .astype(np.float32 if "float" in i.type else np.int64) for i in session.get_inputs()}
times = []
for r in range(-3, int(sys.argv[2])):
    start = time.perf_counter()
    session.run(None, feeds)
    if r >= 0: times.append(time.perf_counter() - start)
print(statistics.median(times))
"""


def output(command, cores=0, **kwargs):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", GOMP_SPINCOUNT="5000")
    if cores:  # a library asks OpenMP for its threads
        environment["OMP_NUM_THREADS"] = str(cores)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr}")
    return done.stdout


def has_onnxruntime():
    return subprocess.run([sys.executable, "-c", "import onnxruntime, numpy"],
                          capture_output=True).returncode == 0


def contenders(options, folder):
    """By name: a function that gives a median in seconds."""
    program, repeats = options.nestwright, options.repeats
    library = folder / "library"
    model = options.onnx or (options.subject if options.subject.endswith(".onnx") else None)
    rewrites = bool(model) and options.subject.endswith(".onnx")
    deploy = [program, "deploy", options.subject, "--db", options.db, "-o", library, "--name", "it",
              "--allow-naive", "--cores", str(options.cores)]
    output(deploy + (["--onnxruntime"] if rewrites else []))
    output(["cc", "-O2", "main.c", "-L.", "-lit", "-Wl,-rpath,$ORIGIN", "-o", "main"], cwd=library)
    opened = []

    def run():
        told = json.loads(output([program, "run", options.subject, "--db", options.db, "--repeats",
                                  str(repeats), "--threads", str(options.cores), "--json"]))
        return told["latency_seconds"]

    def deployed():
        told = output([library / "main", "-r", str(repeats)], options.cores)
        opened.append(float(re.search(r"([\d.]+) s \(to open it\)", told)[1]))
        return float(re.search(r"([\d.]+) s \(median", told)[1])

    def onnxruntime(*arguments):
        cores = str(options.cores or os.cpu_count())
        return lambda: float(output([sys.executable, "-c", ORT, arguments[0], str(repeats), cores,
                                     *arguments[1:]], options.cores))

    named = {"run": run, "deployed": deployed}
    if model and has_onnxruntime():
        named["ONNX Runtime"] = onnxruntime(model)
        if rewrites:
            named["ONNX Runtime with the library"] = onnxruntime(
                str(library / "model.onnx"), str(library / "libit_onnxruntime.so"))
    elif model:
        print("onnxruntime is not there for this Python: it is left out")
    return named, opened


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subject")
    parser.add_argument("--db", required=True)
    parser.add_argument("--nestwright", default="build/release/bin/nestwright")
    parser.add_argument("--onnx", help="the same network as an ONNX file, for ONNX Runtime alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--cores", type=int, default=0, help="0: all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        named, opened = contenders(options, pathlib.Path(name))
        seconds = {contender: [] for contender in named}
        for number in range(options.rounds):
            order = list(named)
            for contender in order if number % 2 == 0 else reversed(order):
                seconds[contender].append(named[contender]())
        for contender, times in seconds.items():
            ratios = [mine / its for mine, its in zip(times, seconds["run"])]
            print(f"{contender:32} {1e3 * statistics.median(times):9.3f} ms"
                  f"   {statistics.median(ratios):.3f} of run's ({min(ratios):.3f} to {max(ratios):.3f})")
        print(f"opened in {1e3 * min(opened):.1f} ms (least of {len(opened)})")


main()
