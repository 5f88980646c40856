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


def sizes(study):
    """Programs of each task: 10, 30 and, as 0, all 77 thousand of 513 tasks."""
    return study.share(20), study.share(60), 0


def to_learn_from(study):
    if study.db:
        return "--db", study.db, "--hold-out", data.TEST
    return "--db", data.train(study), "--target", data.HERE


def to_be_tested_on(study):
    """A file, and options."""
    return (study.db, "--hold-out", data.TEST) if study.db else (data.test(study), "--target", data.HERE)


def most_programs(study):
    """Of a task, on average."""

    def run():
        parts = study.json("dataset", *to_learn_from(study), "--least-programs", 1)["parts"]
        return (parts["train"]["programs"] + parts["validation"]["programs"]) / parts["train"]["tasks"]

    return study.once("most programs", run)


def judged_seed(study, seed):
    models = {}
    for programs in sizes(study):
        for arm, options in ARMS.items():
            models[label(arm, programs)] = trained(
                study, label(arm, programs, seed), *options, *to_learn_from(study), "--least-programs", 1,
                "--draw-programs", programs, "--seed", seed, "--data-seed", seed,
                "--epochs", study.sized(20, 10))
    file, *of_test = to_be_tested_on(study)
    return judged(study, seed, file, models, *of_test)


def findings(study):
    found = [judged_seed(study, seed) for seed in study.in_time(range(study.sized(3, 1)))]
    of_networks = list(networks(study).values())

    def top(one, arm, size, k, counts):
        return pooled_top(one["best"], one["picked"][label(arm, size)][k], of_networks, counts)

    def bounded(figure):
        return over_tasks_and_seeds(figure, found, found[0]["best"])

    lines = [Finding("pooled top-1 with all programs, TLP less MLP", bounded(
        lambda one, counts: top(one, "TLP", 0, "1", counts) - top(one, "MLP", 0, "1", counts)), bound=0)]
    for size in sizes(study):
        for arm in ARMS:
            for k in ("1", "5"):
                lines.append(Finding(f"{arm}, {size or 'all'} programs a task: pooled top-{k}", bounded(
                    lambda one, counts, arm=arm, size=size, k=k: top(one, arm, size, k, counts))))
    # By the smallest part and all of it: top-1 gained by ten times the data.
    least = sizes(study)[0]
    decades = math.log10(most_programs(study) / least)
    gains = {arm: (sum(top(one, arm, 0, "1", None) - top(one, arm, least, "1", None) for one in found)
                   / len(found) / decades) for arm in ARMS}
    lines += [Finding(f"{arm}: top-1 gained by ten times the data", exactly(gain)) for arm, gain in gains.items()]
    behind = -lines[0].figure.value
    if behind > 0 and gains["TLP"] > gains["MLP"]:
        lines.append(Finding("they would meet with so many times the data",
                             exactly(10 ** (behind / (gains["TLP"] - gains["MLP"])))))
    return lines
