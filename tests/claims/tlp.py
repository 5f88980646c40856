"""How TLP and an MLP get better with more data, and whether TLP is ahead with all of it.

TLP reads schedule steps and needs much data; the claim is that its pooled top-1 exceeds the MLP's
with all programs. Where it does not, the slopes of both say where they would meet.
"""

import math

from figures import Finding, exactly
from learning import judged, networks, over_tasks_and_seeds, pooled_top, trained
from study import label
import data

ARMS = {"TLP": ("tlp",), "MLP": ("mlp", "--loss", "lambdarank")}


def programs_a_task(study):
    """10, 30 and all 77 thousand programs of 513 tasks."""
    return study.sized((20, 60, 0), (20, 60, 0))


def judged_seed(study, seed):
    models = {}
    for programs in programs_a_task(study):
        for arm, options in ARMS.items():
            models[label(arm, programs)] = trained(
                study, label(arm, programs, seed), *options, "--db", data.train(study), "--target", data.HERE,
                "--least-programs", 1, "--draw-programs", programs, "--seed", seed, "--epochs",
                study.sized(20, 10))
    return judged(study, seed, data.test(study), models, "--target", data.HERE)


def findings(study):
    found = [judged_seed(study, seed) for seed in study.in_time(range(study.sized(3, 1)))]
    of_networks = list(networks(study).values())
    programs = programs_a_task(study)

    def top(one, arm, size, k, counts):
        return pooled_top(one["best"], one["picked"][label(arm, size)][k], of_networks, counts)

    def bounded(figure):
        return over_tasks_and_seeds(figure, found, found[0]["best"])

    lines = [Finding("pooled top-1 with all programs, TLP less MLP", bounded(
        lambda one, counts: top(one, "TLP", 0, "1", counts) - top(one, "MLP", 0, "1", counts)), bound=0)]
    for size in programs:
        for arm in ARMS:
            for k in ("1", "5"):
                lines.append(Finding(f"{arm}, {size or 'all'} programs a task: pooled top-{k}", bounded(
                    lambda one, counts, arm=arm, size=size, k=k: top(one, arm, size, k, counts))))
    # By the smallest part and all of it: top-1 gained by ten times the data.
    decades = math.log10(150 / programs[0])
    gains = {arm: (sum(top(one, arm, 0, "1", None) - top(one, arm, programs[0], "1", None) for one in found)
                   / len(found) / decades) for arm in ARMS}
    lines += [Finding(f"{arm}: top-1 gained by ten times the data", exactly(gain)) for arm, gain in gains.items()]
    behind = -lines[0].figure.value
    if behind > 0 and gains["TLP"] > gains["MLP"]:
        lines.append(Finding("they would meet with so many times the data",
                             exactly(10 ** (behind / (gains["TLP"] - gains["MLP"])))))
    return lines
