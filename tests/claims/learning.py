"""What the claims about learned models share: the data, trainings, and top-k scores of networks."""

import random
import statistics

from figures import RESAMPLES, Interval
from study import label
import data

AT = (1, 5)


def networks(study):
    """Of the held-out set: each network's tasks by key, and how often it has them."""

    def run():
        found = {}
        for task in study.json("tasks", data.TEST)["tasks"]:
            for use in task["networks"]:
                found.setdefault(use["network"], {})[task["key"]] = use["weight"]
        return found

    return study.once("networks", run)


def trained(study, name, model, *options):
    """A model file. The choice of data is in the options; a training that was interrupted goes on."""
    file = study.folder / f"{label(name)}.nwm"
    if not file.exists():
        print(f"  training {name}", flush=True)
        study.run("train", "--model", model, *options, "--threads", 2, "-o", file, "--resume")
    return file


def judged(study, name, file, models, *options):
    """Of each of the models, which have names, the time of the fastest of its k favourites of each task
    of the held-out networks, and its other figures; and the tasks' best times."""

    def run():
        said = study.json("evaluate", "--db", file, "--models", *models.values(), "--networks", data.TEST,
                          "--k", ",".join(map(str, AT)), "--bootstrap", 0, *options)
        names = dict(zip([one["name"] for one in said["models"]], models))
        names |= {yardstick: yardstick for yardstick in ("random", "oracle")}
        return {
            "best": {task["key"]: task["best_seconds"] for task in said["tasks"]},
            "picked": {names[one]: {str(at["k"]): {task["key"]: task["models"][one]["at"][index]["picked_seconds"]
                                                  for task in said["tasks"]}
                                    for index, at in enumerate(said["tasks"][0]["models"][one]["at"])}
                       for one in names},
            "figures": {names[one["name"]]: {figure["figure"]: figure["value"] for figure in one["figures"]
                                             if "k" not in figure and "network" not in figure}
                        for one in said["models"]},
        }

    return study.once(label(name, "judged"), run)


def top_score(best, picked, weights, counts=None):
    """A network's best time by that of what was picked, over those of its tasks that have records;
    `counts`: how often a resample has each task. None where it has none."""
    keys = [key for key in weights if key in best]
    counts = counts or dict.fromkeys(keys, 1)
    at_best = sum(weights[key] * counts.get(key, 0) * best[key] for key in keys)
    at_pick = sum(weights[key] * counts.get(key, 0) * picked[key] for key in keys)
    return at_best / at_pick if at_pick else None


def mean_top(best, picked, of_networks, counts=None):
    """TenSet's aggregation: the mean of the networks' scores."""
    scores = [top_score(best, picked, weights, counts) for weights in of_networks]
    return statistics.fmean(score for score in scores if score is not None)


def pooled_top(best, picked, of_networks, counts=None):
    """TLP's aggregation: the sums of all networks."""
    together = {}
    for weights in of_networks:
        for key, weight in weights.items():
            together[key] = together.get(key, 0) + weight
    return top_score(best, picked, together, counts)


def over_tasks_and_seeds(figure, seeds, tasks, seed=1):
    """The mean over seeds of figure(one, counts), with the interval that the draw of tasks and of seeds
    gives it. A difference of two models is one figure: its models have the same draws."""

    def mean(ones, counts):
        values = [figure(one, counts) for one in ones]
        return statistics.fmean(value for value in values if value is not None)

    value = mean(seeds, None)
    tasks = sorted(tasks)
    if len(tasks) < 2:
        return Interval(value)
    draw = random.Random(seed)
    resampled = []
    for _ in range(RESAMPLES):
        counts = {}
        for task in draw.choices(tasks, k=len(tasks)):
            counts[task] = counts.get(task, 0) + 1
        resampled.append(mean(draw.choices(seeds, k=len(seeds)), counts))
    resampled.sort()
    return Interval(value, resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES)])
