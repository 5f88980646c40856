"""Whether a session that remembers other networks needs fewer trials than one that does not.

Plain lowering, one thread. A smaller network is tuned first; the tasks of a larger one of its family
are then tuned with that file as memory, and cold; figures are weighted totals. A warm session with a
quarter of the trials is to be at least as good as a cold one. A deeper ResNet is made of the layers of
its smaller one, so that without those both have there would be no memory: each task is tuned with a
memory in which it alone was forgotten, and after 8 trials is to have at least 0.4 of what a long cold
session gains, from the first programs that this measures. A session on the smaller network in its own
file is to have the best that the file knows after a round of four.
"""

import shutil
import tempfile

from figures import Finding, geometric_mean, interval
from network_total import NetworkTotal, weights_of
from study import label
import sweep

PAIRS = [("resnet18", "resnet34", 400), ("resnet50", "resnet101", 800)]
QUICK_PAIRS = [("matmul:m=128,n=256,k=256", "matmul:m=192,n=384,k=256", 48)]
SEARCH = ("--policy", "evolutionary", "--rules", "paper", *sweep.PLACE)
AGAIN, FEW, SOME, MANY, LONG = 4, 8, 16, 64, 200  # trials of a task
NOISE = 1.02


def totals(records, weights):
    """Of the first programs that ran, and of the best."""
    first, best = NetworkTotal(weights), NetworkTotal(weights)
    ran = set()
    for record in records:
        best.add(record["task"], record.get("seconds"))
        if record.get("seconds") and record["task"] not in ran:
            first.add(record["task"], record["seconds"])
            ran.add(record["task"])
    return {"first": first.seconds(), "best": best.seconds()}


def tuned(study, subject, weights, name, each, seed, memory):
    """totals() of a session with so many trials of each task."""
    def run():
        file = study.tune(subject, name, "--trials", each * len(weights), "--seed", seed,
                          "--memory", memory, *SEARCH)
        result = totals(study.records_of(file), weights)
        file.unlink()
        return result

    return study.once(name, run)


def again(study, subject, weights, memory, name, seed):
    """The best that another session on the network in its own file has after a round of its tasks."""
    def run():
        with tempfile.TemporaryDirectory(dir=study.folder) as folder:
            copy = shutil.copy(memory, folder)
            made = study.json("tune", subject, "--db", copy, "--trials", AGAIN * len(weights), "--seed",
                              seed, *SEARCH)
            return totals(study.records_of(copy, "--session", made["session"]), weights)["best"]

    return study.once(name, run)


def names_of(study, network):
    """Of its tasks, by their ids in a file of one session of it."""
    return {task["index"] + 1: task["name"] for task in study.json("tasks", network)["tasks"]}


def forgetful(study, small, large, weights, memory, seed):
    """The total of sessions on one task each, whose memory of the small network has forgotten it."""
    known = {name: task for task, name in names_of(study, small).items()}
    records = study.records_of(memory)
    total = 0
    for task, name in names_of(study, large).items():
        with tempfile.TemporaryDirectory(dir=study.folder) as folder:
            others = shutil.copy(memory, folder)
            if own := [record["id"] for record in records if record["task"] == known.get(name)]:
                study.run("forget", *own, "--db", others)
            subject = f"{large}#{task - 1}" if len(weights) > 1 else large
            of = tuned(study, subject, {1: 1}, label(subject, "forgot", seed), FEW, seed + 100, others)
            total += weights[task] * of["best"]
    return total


def compared(study, small, large, trials, seed):
    weights = weights_of(study, large)
    of_small = weights_of(study, small)
    memory = study.tune(small, label(small, "memory", seed), "--trials", trials, "--seed", seed,
                        "--memory", "off", *SEARCH)

    def session(what, each, memory="off"):
        return tuned(study, large, weights, label(large, what, seed), each, seed + 100, memory)

    best_of_small = totals(study.records_of(memory), of_small)["best"]
    warm = session("warm", study.sized(SOME, AGAIN), memory)["best"]
    cold = session("cold", study.sized(MANY, SOME))["best"]
    twice = again(study, small, of_small, memory, label(small, "again", seed), seed + 100)
    forgot = forgetful(study, small, large, weights, memory, seed)
    long = session("cold long", study.sized(LONG, MANY))
    return {
        "warm": cold / warm,
        "gain": (long["first"] - forgot) / (long["first"] - long["best"]),
        "again": twice / best_of_small,
    }


def findings(study):
    found = []
    for small, large, trials in study.sized(PAIRS, QUICK_PAIRS):
        seeds = range(1, study.sized(5, 3) + 1)
        ratios = [compared(study, small, large, trials, seed) for seed in study.in_time(seeds)]
        found += [
            Finding(f"{large}: time of 64 cold trials a task over that of 16 warm ones",
                    interval([of["warm"] for of in ratios], geometric_mean), bound=1),
            Finding(f"{large}: 8 trials that know other tasks, of the gain of a long session",
                    interval([of["gain"] for of in ratios]), bound=0.4),
            Finding(f"{small}: time after the first round again over the best known",
                    interval([of["again"] for of in ratios], geometric_mean), bound=NOISE, at_least=False),
        ]
    return found
