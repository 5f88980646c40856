"""Whether AdaTune is as good as AutoTVM in less time.

On the session's clock of recorded whole spaces, seed by seed: the time until AutoTVM's final quality
less 2 %, of AutoTVM over AdaTune, is to be at least 1.3 for each task, with the interval above 1.
Beside it the four arms of the paper, which show what each part brings.

The quality of a search is that of the program which it holds for the best by its own measurements;
what that one is worth is its recorded time of 500 runs, so that evaluators are compared by what comes
of them. A search that never gets there counts with its whole time, which is too kind to it: such are
counted, and a claim with one of AdaTune's has no verdict. Left out: live seeds on a convolution of
ResNet-18.
"""

from figures import Finding, exactly, geometric_mean, interval
from study import label
import evaluator
import sweep

ARMS = ["AutoTVM", "surrogate", "surrogate, contextual", "AdaTune"]


def options_of(study, arm):
    """Plans are of 32; in the small spaces of a quick study fewer, or the first would have the best."""
    plan = study.sized(32, 8)
    plans = ("--plan", plan, "--trials-per-round", plan)
    contextual = ("--method", "adatune", *plans, "--evaluator", sweep.FIXED)
    return {
        "AutoTVM": ("--method", "autotvm", *plans, "--evaluator", sweep.FIXED),
        # Expected improvement under the forest, with AutoTVM's constant share of random ones.
        "surrogate": (*contextual, "--exploration", "fixed", "--epsilon", 0.05),
        "surrogate, contextual": contextual,
        "AdaTune": ("--method", "adatune", *plans, "--evaluator", evaluator.ADAPTIVE),
    }[arm]


def course(study, name, arm, seed):
    """Of each trial its program, its time and the session's clock at its end, in seconds."""
    key = label(name, sweep.identity(study, name), arm, seed)

    def run():
        file = study.tune(sweep.task_of(name), key, "--machine",
                          f"recorded:{sweep.recording(study, name)}", *sweep.TEMPLATES.get(name, ()),
                          *options_of(study, arm), "--trials", "all", "--seed", seed, *sweep.PLACE)
        records = study.records_of(file)
        file.unlink()
        return [[record["program"], record.get("seconds"), record["wall_seconds"]]
                for record in records]

    return study.once(key, run)


def held_best(trials):
    """After each trial the clock and the program that is the fastest by the search's own times."""
    best, least = None, None
    for program, time, clock in trials:
        if time and (least is None or time < least):
            best, least = program, time
        yield clock, best


def reached(trials, goal, fixed):
    """Seconds and trials until the program held for the best is as good, and whether one ever was;
    else those of all."""
    for number, (clock, best) in enumerate(held_best(trials), 1):
        if best is not None and fixed[best] <= goal:
            return clock, number, True
    return trials[-1][2], len(trials), False


def findings(study):
    found = []
    for name in sweep.names(study):
        fixed = sweep.fixed_times(study, name)
        ratios = {arm: {"time": [], "trials": []} for arm in ARMS}
        late = dict.fromkeys(ARMS, 0)
        for seed in range(study.sized(15, 3)):
            courses = {arm: course(study, name, arm, seed) for arm in ARMS}
            *_, (_, final) = held_best(courses["AutoTVM"])
            if final is None:
                raise RuntimeError(f"{name}, seed {seed}: no program of AutoTVM's ran")
            goal = fixed[final] / 0.98
            seconds, trials, _ = reached(courses["AutoTVM"], goal, fixed)
            for arm, ratio in ratios.items():
                time, number, arrived = reached(courses[arm], goal, fixed)
                ratio["time"].append(seconds / time)
                ratio["trials"].append(trials / number)
                late[arm] += not arrived
        found.append(Finding(f"{name}: time, AutoTVM / AdaTune",
                             interval(ratios["AdaTune"]["time"], geometric_mean),
                             bound=None if late["AdaTune"] else 1.3, interval_bound=1))
        for arm, ratio in ratios.items():
            for what, values in ratio.items():
                found.append(Finding(f"{name}: {arm}: {what}, AutoTVM / this",
                                     interval(values, geometric_mean)))
            found.append(Finding(f"{name}: {arm}: searches that never got there", exactly(late[arm])))
    return found
