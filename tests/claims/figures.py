"""Medians, means and their bootstrap intervals, and what they say of a claim."""

import dataclasses
import math
import random
import statistics

RESAMPLES = 10_000


@dataclasses.dataclass
class Interval:
    value: float
    low: float
    high: float


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def interval(values, statistic=statistics.median, seed=1):
    """The statistic with the middle 95 % of what it is of as many values drawn with replacement."""
    values = list(values)
    draw = random.Random(seed)
    resampled = sorted(
        statistic(draw.choices(values, k=len(values))) for _ in range(RESAMPLES if len(values) > 1 else 1)
    )
    return Interval(
        statistic(values),
        resampled[int(0.025 * len(resampled))],
        resampled[min(len(resampled) - 1, int(0.975 * len(resampled)))],
    )


def kendall_tau(first, second):
    """Of two lists of numbers without many ties: the pairs in the same order, less the others."""
    pairs = same = 0
    for i in range(len(first)):
        for j in range(i):
            a, b = first[i] - first[j], second[i] - second[j]
            if a and b:
                pairs += 1
                same += 1 if (a > 0) == (b > 0) else -1
    return same / pairs if pairs else 0.0


@dataclasses.dataclass
class Finding:
    """A figure, and what a claim says of it. Without a bound it is printed beside the others."""

    what: str
    figure: Interval
    bound: float = None
    at_least: bool = True  # the claim; else at most

    def verdict(self):
        if self.bound is None:
            return ""
        low, high = self.figure.low, self.figure.high
        if not self.at_least:
            low, high = -high, -low
        bound = self.bound if self.at_least else -self.bound
        if low >= bound:
            return "shown"
        return "contradicted" if high < bound else "not shown"

    def line(self):
        figure = self.figure
        text = f"{self.what:<58} {figure.value:8.3g}"
        text += f"  [{figure.low:.3g}, {figure.high:.3g}]" if figure.low != figure.high else ""
        if self.bound is not None:
            text += f"  {'≥' if self.at_least else '≤'} {self.bound:g}: {self.verdict()}"
        return text

    def json(self):
        return {
            "what": self.what,
            "value": self.figure.value,
            "interval": [self.figure.low, self.figure.high],
            "bound": self.bound,
            "at_least": self.at_least,
            "verdict": self.verdict(),
        }


def exactly(value):
    """A figure that no seed changes."""
    return Interval(value, value, value)
