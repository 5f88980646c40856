"""Measures four whole spaces of templates once, for the claims that need them.

On the plain lowering, with one thread and the evaluator of AdaTune's baseline: 500 runs in
micro-batches of 50, of slow programs fewer, and two seconds at most. What the cap cut is counted, and
its time extrapolated to 500 runs. A quick study measures two small spaces instead, whole as well.
"""

import hashlib
import statistics

from figures import Finding, exactly

TASKS = {
    "convolution": "conv2d:n=1,h=14,w=14,ci=64,co=64,k=3,s=1,p=1",
    "dense": "matmul:m=16,n=768,k=768",
    "depthwise": "depthwise_conv2d:n=1,h=56,w=56,c=64,k=3,s=1,p=1",
    "batch_matmul": "batch_matmul:b=12,m=128,n=128,k=64,nt=1",
}
QUICK_TASKS = {
    "small convolution": "conv2d:n=1,h=7,w=7,ci=16,co=16,k=3,s=1,p=1",
    "small dense": "matmul:m=16,n=32,k=32",
}
DENSE = ("--templates", "dense_nopack.x86")
TEMPLATES = {"dense": DENSE, "small dense": DENSE}
RUNS, BATCH = 500, 50
FIXED = f"fixed:runs={RUNS},batch={BATCH},seconds=2"
PLACE = ("--lowering", "plain", "--threads", 1)
# At the end of a space the configurations that fail may be among themselves.
WHOLE = ("--stop-after-failures", 0)


def is_whole(study, name):
    """Whether the space was measured that is not one of a quick study."""
    return (study.folder.parent / "sweep" / f"{name}.done").exists()


def names(study):
    return list(QUICK_TASKS if study.quick else TASKS)


def task_of(name):
    return TASKS.get(name) or QUICK_TASKS[name]


def place_of(study, name):
    """The record file of the space, which other claims take from this one's folder, and the mark that
    it is complete."""
    folder = study.folder.parent / ("sweep-quick" if name in QUICK_TASKS else "sweep")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name.replace(' ', '_')}.nwdb", folder / f"{name.replace(' ', '_')}.done"


def recording(study, name, whole=False):
    """That file, with all configurations. A quick study asks for a small space, or for one of the
    others where `whole` is set, which was measured then."""
    if study.quick and name in TASKS and not (whole and is_whole(study, name)):
        raise RuntimeError(f"a quick study has no recording of {name}")
    file, done = place_of(study, name)
    if not done.exists():
        print(f"  measuring all of {name}", flush=True)
        again = ["--resume"] if file.exists() else []
        study.run_session(task_of(name), "--db", file, "--space", "templates", *TEMPLATES.get(name, ()),
                          "--policy", "grid", "--trials", "all", "--evaluator", FIXED, *WHOLE, *PLACE, *again)
        done.touch()
    return file


def identity(study, name):
    """Of the recording: what is computed from it holds for no other one."""
    file = recording(study, name)
    _, done = place_of(study, name)
    if not done.read_text():
        done.write_text(hashlib.sha256(file.read_bytes()).hexdigest()[:12])
    return done.read_text()


def batches_of(record):
    """Times of a run by micro-batch, or by repeat where there are none; repeats that settled a claim
    to the best lie behind the first, and say nothing of the evaluator."""
    evaluation = record.get("evaluation")
    return record["repeats"][: evaluation["micro_batches"]] if evaluation else record["repeats"]


def was_cut(record):
    """Whether the cap or the recording ended it before its evaluator did."""
    return record.get("evaluation", {}).get("stopped") in ("seconds spent", "recording ended")


def seconds_in_runs(record):
    """Of one whose evaluator was cut off, what 500 runs would have taken."""
    times = batches_of(record)
    if was_cut(record):
        return statistics.fmean(times) * RUNS
    return sum(times) * record["runs_per_repeat"]


def fixed_times(study, name):
    """The recorded time of each program that ran."""
    return {record["program"]: record["seconds"]
            for record in study.records_of(recording(study, name)) if record["verdict"] == "ok"}


def findings(study):
    found = []
    for name in names(study):
        records = study.records_of(recording(study, name))
        good = [record for record in records if record["verdict"] == "ok"]
        found += [
            Finding(f"{name}: configurations", exactly(len(records))),
            Finding(f"{name}: of them failed", exactly(len(records) - len(good))),
            Finding(f"{name}: of them cut by the cap", exactly(sum(map(was_cut, good)))),
            Finding(f"{name}: seconds in runs, extrapolated", exactly(sum(map(seconds_in_runs, good)))),
        ]
    return found
