"""Whether a session that remembers other networks needs fewer trials than one that does not.

Plain lowering, one thread. A smaller network is tuned first; the tasks of a larger one of its family
are then tuned with that file as memory, and cold. Of the larger network's tasks only those count that
the smaller one does not have. Warm sessions with a quarter of the trials are to be at least as good,
and with 8 trials a task to have at least 0.4 of what a long cold session gains; a session on the same
network in the same file is to have its best within the first round.
"""

from figures import Finding, geometric_mean, interval
from study import label
import sweep

PAIRS = [("resnet18", "resnet34"), ("resnet50", "resnet101")]
QUICK_PAIRS = [("matmul:m=128,n=256,k=256", "matmul:m=192,n=384,k=256")]
SEARCH = ("--policy", "evolutionary", "--rules", "paper", *sweep.PLACE)


def best_of(study, file):
    """The shortest time of each task, by its name."""
    best = {}
    for record in study.records_of(file):
        seconds = record.get("seconds")
        if seconds:
            best[record["task"]] = min(seconds, best.get(record["task"], seconds))
    return best


def tuned(study, subject, name, trials, seed, *options):
    def run():
        file = study.tune(subject, name, "--trials", trials, "--seed", seed, *SEARCH, *options)
        best = best_of(study, file)
        file.unlink()
        return best

    return {task: time for task, time in study.once(name, run).items()}


def known(study, small, seed):
    """The record file of the network that is tuned first."""
    trials = study.sized(600, 48)
    return study.tune(small, label(small, "memory", seed), "--trials", trials, "--seed", seed,
                      "--memory", "off", *SEARCH)


def compared(study, small, large, seed):
    tasks = len(study.json("tasks", large)["tasks"]) if "matmul" not in large else 1
    memory = known(study, small, seed)
    times = {
        what: tuned(study, large, label(large, what, seed), count * tasks, seed + 100, *options)
        for what, count, options in [
            ("warm 8", 8, ("--memory", memory)), ("warm 16", 16, ("--memory", memory)),
            ("cold 8", 8, ("--memory", "off")), ("cold 64", 64, ("--memory", "off")),
            ("cold long", study.sized(200, 64), ("--memory", "off"))]
    }
    names = set.intersection(*(set(of) for of in times.values()))
    return {what: geometric_mean([of[name] for name in sorted(names)]) for what, of in times.items()}


def findings(study):
    found = []
    for small, large in study.sized(PAIRS, QUICK_PAIRS):
        seeds = [compared(study, small, large, seed) for seed in study.in_time(range(1, study.sized(5, 3) + 1))]
        found.append(Finding(f"{large}: time of 64 cold trials a task over that of 16 warm ones",
                             interval([of["cold 64"] / of["warm 16"] for of in seeds]), bound=1))
        found.append(Finding(f"{large}: time of 8 cold trials a task over that of 8 warm ones",
                             interval([of["cold 8"] / of["warm 8"] for of in seeds])))
        found.append(Finding(f"{large}: time of the long cold session over that of 8 warm trials a task",
                             interval([of["cold long"] / of["warm 8"] for of in seeds])))
    return found
