"""Whether each part of Ansor's search brings something: sketches, all of their space, fine-tuning.

A convolution on the plain lowering, by Ansor whole, without fine-tuning (random programs), on the
limited space of manual templates, and by beam search over incomplete programs. Whole it is to beat
each other arm at the end, and beam search to come last.
"""

import itertools
import math

from figures import Finding, exactly, interval
from study import label
import sweep

TASK = "conv2d:n=4,h=7,w=7,ci=512,co=512,k=3,s=1,p=1"
ANSOR = ("--method", "ansor", *sweep.PLACE, "--check-share", 0)
ARMS = {
    "full": ANSOR,
    "no fine-tuning": (*ANSOR, "--policy", "random"),
    "limited space": (*ANSOR, "--rules", "limited"),
    "beam search": (*ANSOR, "--policy", "beam"),
}
AT = [50, 100, 200, 400, 600, 800, 1000]


def bests(study, arm, seed):
    """The best time so far after each trial; infinite until a program ran."""

    def run():
        file = study.tune(TASK, label(arm, seed), *ARMS[arm], "--trials", study.sized(1000, 64),
                          "--seed", seed)
        times = [time or math.inf for time in study.seconds(file)]
        file.unlink()
        return list(itertools.accumulate(times, min))

    return study.once(label(arm, seed), run)


def findings(study):
    courses = {arm: [] for arm in ARMS}
    for seed in study.in_time(range(study.sized(5, 2))):
        for arm in ARMS:
            courses[arm].append(bests(study, arm, seed))
    ends = {arm: [course[-1] for course in of_arm] for arm, of_arm in courses.items()}
    best = min(min(of_arm) for of_arm in ends.values())
    found = []
    for arm in ARMS:
        if arm != "full":
            found.append(Finding(f"throughput at the end, full / {arm}", interval(
                [other / full for other, full in zip(ends[arm], ends["full"])]), bound=1))
    for arm in ("no fine-tuning", "limited space"):
        found.append(Finding(f"throughput at the end, {arm} / beam search", interval(
            [beam / other for beam, other in zip(ends["beam search"], ends[arm])]), bound=1))
    for arm, of_arm in courses.items():
        for trial in sorted({*(at for at in AT if at < len(of_arm[0])), len(of_arm[0])}):
            found.append(Finding(f"{arm}: of the best known after {trial} trials", interval(
                [best / course[min(trial, len(course)) - 1] for course in of_arm])))
    found.append(Finding("seeds", exactly(len(ends["full"]))))
    return found
