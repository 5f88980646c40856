"""Whether Ansor needs fewer measurements than AutoTVM for as fast a network.

On the plain lowering with one thread, of the tasks that have a template: AutoTVM tunes each until 200
trials bring nothing, Ansor all of them until the weighted total is as good. The measurements of
AutoTVM over those of Ansor are to be at least 2.7 in the geometric mean over networks and seeds.
"""

import math

from figures import Finding, exactly, geometric_mean, interval
from network_total import NetworkTotal, first_reaching, weights_of
from study import label
from tuners import trials_until
import sweep

NETWORKS = ["resnet18", "mobilenet_v2", "bert_tiny"]
QUICK_TASKS = 3  # of each network


def patience_of(study):
    """Trials without a better program after which AutoTVM has done with a task, and those of a plan."""
    return study.sized(200, 24), study.sized(64, 16)


def tasks_with_template(study, network):
    """Their numbers in the network."""

    def run():
        tasks = study.json("tasks", network)["tasks"]
        return [task["index"] for task in tasks
                if study.json("templates", f"{network}#{task['index']}")["templates"]]

    found = study.once(label(network, "tasks"), run)
    return found[: study.sized(len(found), QUICK_TASKS)]


def done_after(times, patience):
    """The number of trials after which that many in a row have brought nothing."""
    best, improved = math.inf, 0
    for number, time in enumerate(times, 1):
        if time and time < best:
            best, improved = time, number
        if number - improved >= patience:
            return number
    return len(times)


def autotvm(study, network, task, seed):
    """Time and clock of each trial until it has done with the task."""
    patience, plan = patience_of(study)

    def run():
        # Its rounds are plans: it goes on until enough of them are over, and then a little is cut.
        file = study.tune(f"{network}#{task}", label(network, task, "autotvm", seed), "--method",
                          "autotvm", "--plan", plan, "--trials-per-round", plan, "--scheduler",
                          "gradient", "--objective", "f4", "--stop-after-rounds",
                          math.ceil(patience / plan), "--trials", "all", "--seed", seed, *sweep.PLACE)
        course = study.course(file)
        file.unlink()
        return course

    course = study.once(label(network, task, "autotvm", seed), run)
    return course[: done_after([time for time, _ in course], patience)]


def compared(study, network, seed):
    courses = {task: autotvm(study, network, task, seed) for task in tasks_with_template(study, network)}
    best = {task: min((time for time, _ in course if time), default=None)
            for task, course in courses.items()}
    # Of a task without a good program nothing can be said.
    known = [task for task in courses if best[task]]
    of_network = weights_of(study, network)
    weights = {task + 1: of_network[task + 1] for task in known}
    trials = sum(len(courses[task]) for task in known)
    near_end = sum(trials_until([time for time, _ in courses[task]], 1.01 * best[task])
                   for task in known)
    goal = sum(weights[task + 1] * best[task] for task in known)

    def run():
        now = NetworkTotal(weights)
        others = [option for task in of_network if task not in weights
                  for option in ("--pause-task", task - 1)]
        file = study.tune_until(network, label(network, "ansor", seed),
                                lambda task, seconds: now.add(task, seconds) <= goal, "--method",
                                "ansor", *others, "--trials", trials, "--seed", seed,
                                "--check-share", 0, *sweep.PLACE)
        records = study.records_of(file)
        reached = first_reaching(records, weights, goal)
        return {"reached": reached is not None,
                "end": reached or [len(records), records[-1]["wall_seconds"]]}

    ansor = study.once(label(network, "compared", seed), run)
    measurements, seconds = ansor["end"]
    return {
        "reached": ansor["reached"],
        "measurements": trials / measurements,
        "near_end": near_end / measurements,
        "seconds": sum(courses[task][-1][1] for task in known) / seconds,
    }


def findings(study):
    of_network = {network: [] for network in NETWORKS}
    for seed in study.in_time(range(study.sized(3, 1))):
        for network in NETWORKS:
            of_network[network].append(compared(study, network, seed))
    found = [one for ratios in of_network.values() for one in ratios]

    def mean(what, of=found):
        return interval([one[what] for one in of], geometric_mean)

    return [
        Finding("measurements, AutoTVM / Ansor, geometric mean", mean("measurements"), bound=2.7),
        Finding("wall time, likewise", mean("seconds")),
        Finding("measurements until AutoTVM is within 1 % of its end / Ansor", mean("near_end")),
        Finding("Ansor was not as good with as many", exactly(sum(not one["reached"] for one in found))),
        Finding("seeds of each network", exactly(len(found) // len(NETWORKS))),
        *(Finding(f"{network}: measurements, AutoTVM / Ansor", mean("measurements", ratios))
          for network, ratios in of_network.items()),
    ]
