"""The latency of a network as its tasks get faster."""

import math


def weights_of(study, network):
    """How often the network has each of its tasks, by their ids in a file of one session of it."""
    return {task["index"] + 1: task["weight"] for task in study.json("tasks", network)["tasks"]}


class NetworkTotal:
    """Of the tasks with these weights."""

    def __init__(self, weights):
        self.weights = weights
        self.best = dict.fromkeys(weights, math.inf)

    def add(self, task, seconds):
        """The total with this program, too; infinite until each task has one. No seconds: it failed."""
        if seconds:
            self.best[task] = min(self.best[task], seconds)
        return self.seconds()

    def seconds(self):
        return sum(weight * self.best[task] for task, weight in self.weights.items())


def first_reaching(records, weights, goal):
    """Number and clock of the first record with which the total is as good; None where none is."""
    total = NetworkTotal(weights)
    for number, record in enumerate(records, 1):
        if total.add(record["task"], record.get("seconds")) <= goal:
            return number, record["wall_seconds"]
    return None
