"""Whether the best of a drafted first batch is faster than that of a random one.

Plain lowering, one thread, twelve operators: the best of sixteen programs that the draft chose against
the best of sixteen random ones, at least 1.3 times as fast in the geometric mean.
"""

from figures import Finding, geometric_mean, interval
from room import OPERATORS, RULES
from study import label


def best_of_batch(study, operator, draft, seed):
    def run():
        file = study.tune(operator, label(operator, draft, seed), "--lowering", "plain", *RULES, "--policy",
                          "random", "--trials", 16, "--seed", seed, "--draft", draft, "--memory", "off",
                          "--check-share", 0)
        best = min((time for time in study.seconds(file) if time), default=None)
        file.unlink()
        return best

    return study.once(label(operator, draft, seed), run)


def findings(study):
    found, ratios = [], []
    for operator in study.in_time(OPERATORS):
        of_seeds = []
        for seed in range(1, study.sized(5, 2) + 1):
            off, first = (best_of_batch(study, operator, draft, seed) for draft in ("off", "first"))
            if off and first:
                of_seeds.append(off / first)
        ratio = geometric_mean(of_seeds)
        ratios.append(ratio)
        found.append(Finding(f"{operator.split(',k=')[0]}: random over drafted", interval(of_seeds, geometric_mean)))
    found.append(Finding("best of 16 random over best of 16 drafted", interval(ratios, geometric_mean), bound=1.3))
    return found
