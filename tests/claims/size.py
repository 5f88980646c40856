"""Whether more tasks are worth more than more programs of each (TenSet 5.3).

At three totals an MLP learns from three shapes of data: many tasks with few programs, as many of
both, few tasks with many. The slope of the top-1 over the logarithm of the number of tasks, at equal
totals, is to be no less than 0.
"""

import math
import statistics

from figures import Finding
from learning import judged, mean_top, networks, over_tasks_and_seeds, trained
from study import label
import data

WHOLE = {15000: (100, 200, 400), 7500: (50, 100, 200), 30000: (200, 300, 500)}
QUICK = {1500: (10, 20, 40), 3000: (20, 30, 50)}


def shapes(study):
    """Of each total its numbers of tasks, and the programs of each: no more than there are (data.py)."""
    return {total: [(tasks, study.share(total // tasks)) for tasks in of_tasks]
            for total, of_tasks in study.sized(WHOLE, QUICK).items()}


def judged_seed(study, seed):
    models = {}
    for of_total in shapes(study).values():
        for tasks, programs in of_total:
            models[label(tasks, programs)] = trained(
                study, label(tasks, programs, seed), "mlp", "--loss", "lambdarank", "--db", data.train(study),
                "--target", data.HERE, "--least-programs", 1, "--draw-tasks", tasks, "--draw-programs", programs,
                "--seed", seed, "--data-seed", seed, "--epochs", study.sized(50, 20))
    return judged(study, seed, data.test(study), models, "--target", data.HERE)


def slope(points):
    """Of least squares through points of a total, each of which has a level of its own."""
    over, under = 0, 0
    for of_total in points:
        x_mean = statistics.fmean(x for x, _ in of_total)
        y_mean = statistics.fmean(y for _, y in of_total)
        over += sum((x - x_mean) * (y - y_mean) for x, y in of_total)
        under += sum((x - x_mean) ** 2 for x, _ in of_total)
    return over / under


def findings(study):
    found = [judged_seed(study, seed) for seed in study.in_time(range(study.sized(3, 1)))]
    of_networks = list(networks(study).values())

    def top(one, shape, counts):
        return mean_top(one["best"], one["picked"][label(*shape)]["1"], of_networks, counts)

    def slope_of(one, counts):
        return slope([[(math.log2(tasks), top(one, (tasks, programs), counts)) for tasks, programs in of_total]
                      for of_total in shapes(study).values()])

    lines = [Finding("top-1 gained by twice the tasks at an equal total",
                     over_tasks_and_seeds(slope_of, found, found[0]["best"]), bound=0)]
    for of_total in shapes(study).values():
        for shape in of_total:
            lines.append(Finding(f"{shape[0]} tasks of {shape[1]} programs: top-1", over_tasks_and_seeds(
                lambda one, counts, shape=shape: top(one, shape, counts), found, found[0]["best"])))
    return lines
