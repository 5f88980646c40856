"""Medians, means and their bootstrap intervals, and what they say of a claim."""

import bisect
import collections
import dataclasses
import math
import random
import statistics

RESAMPLES = 10_000


@dataclasses.dataclass
class Interval:
    """A figure, with the middle 95 % of what chance makes of it; None where it has no interval."""

    value: float
    low: float = None
    high: float = None


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def interval(values, statistic=statistics.median, seed=1):
    """The statistic with the middle 95 % of what it is of as many values drawn with replacement."""
    return interval_within([values], statistic, seed)


def interval_within(groups, statistic=statistics.median, seed=1):
    """The same of the values of all groups, where as many are drawn of each group as it has: of
    seeds within each of some tasks, say, which are not drawn themselves."""
    groups = [list(group) for group in groups]
    values = [value for group in groups for value in group]
    if all(len(group) < 2 for group in groups):
        return Interval(statistic(values))
    draw = random.Random(seed)
    resampled = sorted(
        statistic([value for group in groups for value in draw.choices(group, k=len(group))])
        for _ in range(RESAMPLES)
    )
    return Interval(statistic(values), resampled[int(0.025 * RESAMPLES)],
                    resampled[int(0.975 * RESAMPLES)])


def kendall_tau(pairs):
    """Of pairs of numbers: the share of pairs of them in the same order, less the others; those with
    equal numbers do not count."""
    below = []
    others = 0
    for _, second in sorted(pairs):
        others += len(below) - bisect.bisect_right(below, second)
        bisect.insort(below, second)

    def tied(values):
        return sum(math.comb(count, 2) for count in collections.Counter(values).values())

    counted = math.comb(len(pairs), 2) - tied(first for first, _ in pairs)
    counted -= tied(second for _, second in pairs) - tied(pairs)
    return 1 - 2 * others / counted if counted else 0.0


@dataclasses.dataclass
class Finding:
    """A figure, and what a claim says of it. Without a bound it is printed beside the others.

    A claim is shown where the whole interval is beyond its bound; with a bound of the interval's own,
    where the value is beyond the claim's bound and the interval beyond that. A figure without an
    interval has no verdict."""

    what: str
    figure: Interval
    bound: float = None
    at_least: bool = True  # the claim; else at most
    interval_bound: float = None

    def verdict(self):
        figure = self.figure
        if self.bound is None or figure.low is None:
            return ""
        sign = 1 if self.at_least else -1
        value, bound = sign * figure.value, sign * self.bound
        low, high = sorted((sign * figure.low, sign * figure.high))
        if high < bound:
            return "contradicted"
        if self.interval_bound is None:
            return "shown" if low >= bound else "not shown"
        return "shown" if value >= bound and low > sign * self.interval_bound else "not shown"

    def line(self):
        figure = self.figure
        text = f"{self.what:<58} {figure.value:8.3g}"
        if figure.low is not None:
            text += f"  [{figure.low:.3g}, {figure.high:.3g}]"
        if self.bound is not None:
            text += f"  {'≥' if self.at_least else '≤'} {self.bound:g}"
            if self.interval_bound is not None:
                text += f", interval {'>' if self.at_least else '<'} {self.interval_bound:g}"
            text += f": {self.verdict() or 'no verdict without an interval'}"
        return text

    def json(self):
        figure = self.figure
        return {
            "what": self.what,
            "value": figure.value,
            "interval": None if figure.low is None else [figure.low, figure.high],
            "bound": self.bound,
            "interval_bound": self.interval_bound,
            "at_least": self.at_least,
            "verdict": self.verdict(),
        }


def exactly(value):
    """A figure that chance has no part in."""
    return Interval(value)
