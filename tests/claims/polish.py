"""Whether a polish of 50 trials is worth more than further evolution.

Plain lowering, one thread, twelve operators. From the best of 100 evolutionary trials, 50 of a polish
are compared with 50 further evolutionary ones and with 400 in all: at least as good as the latter on
eight operators, and no worse than the former in the geometric mean. The best programs of all four
are measured in turns.
"""

import shutil
import statistics

from figures import Finding, geometric_mean, interval
from room import OPERATORS
from study import label
import sweep

SEARCH = ("--policy", "evolutionary", "--rules", "paper", "--memory", "off", *sweep.PLACE)
AS_GOOD = 1.02  # within noise
TURNS = 7


def best_of(study, file):
    """The file, and its best program with its session."""
    best = study.records_of(file, "--filter", "is:best")[0]
    return file, best["session"], best["program"]


def compared(study, operator, seed):
    def run():
        name = label(operator, seed)
        first, more, long = study.sized((100, 150, 400), (24, 36, 64))
        file = study.tune(operator, label(name, "search"), "--trials", first, "--seed", seed, *SEARCH)
        best = {"search": best_of(study, file)}
        polished = study.file(label(name, "polish"))
        shutil.copy(file, polished)
        study.json("polish", "--db", polished, "--task", 1, "--trials", more - first)
        best["polish"] = best_of(study, polished)
        for what, trials in [("evolution", more), ("long evolution", long)]:
            study.tune(operator, label(name, "search"), "--trials", trials, "--seed", seed, *SEARCH)
            best[what] = best_of(study, file)
        # The least of many noisy times would favour whoever has more of them.
        turns = study.in_turns(list(best.values()), TURNS, *sweep.PLACE)
        for used in (file, polished):
            used.unlink()
        return {what: statistics.median(times) for what, times in zip(best, zip(*turns))}

    return study.once(label(operator, "polish in turns", seed), run)


def findings(study):
    found, ratios, as_good = [], [], []
    operators = study.sized(OPERATORS, OPERATORS[:3])
    # Seed by seed, so that a run that time ends has all operators.
    by_seed = [{operator: compared(study, operator, seed) for operator in operators}
               for seed in study.in_time(range(1, study.sized(5, 1) + 1))]
    for operator in operators:
        seeds = [of[operator] for of in by_seed]
        of_more = geometric_mean([of["evolution"] / of["polish"] for of in seeds])
        of_long = geometric_mean([of["long evolution"] / of["polish"] for of in seeds])
        gained = geometric_mean([of["search"] / of["polish"] for of in seeds])
        name = operator.split(",k=")[0]
        found.append(Finding(f"{name}: gained by the polish", interval([gained])))
        found.append(Finding(f"{name}: time of long evolution over that of the polish", interval([of_long])))
        ratios.append(of_more)
        as_good.append(of_long * AS_GOOD >= 1)
    found.append(Finding("time of as many further trials of evolution over that of the polish",
                         interval(ratios, geometric_mean), bound=1))
    found.append(Finding("operators where it is as good as long evolution", interval(as_good, sum), bound=8))
    return found
