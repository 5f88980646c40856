"""Whether AdaTune is as good as AutoTVM in less time.

On the session's clock of recorded whole spaces, seed by seed: the time until AutoTVM's final quality
less 2 %, of AutoTVM over AdaTune, is to be at least 1.3 for each task. Beside it the four arms of the
paper, which show what each part brings.
"""

from figures import Finding, geometric_mean, interval
import evaluator
import sweep

AUTOTVM = ("--method", "autotvm", "--plan", 32, "--trials-per-round", 32, "--evaluator", sweep.FIXED)
CONTEXTUAL = ("--method", "adatune", "--evaluator", sweep.FIXED)
ARMS = {
    "AutoTVM": AUTOTVM,
    "surrogate": (*AUTOTVM, "--policy", "annealing", "--model", "forest"),
    "surrogate, contextual": CONTEXTUAL,
    "AdaTune": ("--method", "adatune", "--evaluator", evaluator.ADAPTIVE),
}


def course(study, name, arm, seed):
    """Of each trial its time and the session's clock at its end, in seconds."""
    key = f"{name}-{arm}-{seed}".translate(str.maketrans(" ,", "__"))

    def run():
        file = study.tune(sweep.TASKS[name], key, "--machine",
                          f"recorded:{sweep.recording(study, name)}", *sweep.TEMPLATES.get(name, ()),
                          *ARMS[arm], "--trials", "all", "--seed", seed, *sweep.PLACE)
        trials = study.course(file)
        file.unlink()
        return trials

    return study.once(key, run)


def reached(trials, goal):
    """Seconds and trials until a program is as good; None where none is."""
    for number, (time, clock) in enumerate(trials, 1):
        if time and time <= goal:
            return clock, number
    return trials[-1][1], len(trials)


def findings(study):
    found = []
    for name in sweep.names(study):
        ratios = {arm: {"time": [], "trials": []} for arm in ARMS}
        for seed in range(study.sized(15, 3)):
            courses = {arm: course(study, name, arm, seed) for arm in ARMS}
            goal = min(time for time, _ in courses["AutoTVM"] if time) / 0.98
            seconds, trials = reached(courses["AutoTVM"], goal)
            for arm, ratio in ratios.items():
                time, number = reached(courses[arm], goal)
                ratio["time"].append(seconds / time)
                ratio["trials"].append(trials / number)
        found.append(Finding(f"{name}: time, AutoTVM / AdaTune",
                             interval(ratios["AdaTune"]["time"], geometric_mean), bound=1.3))
        for arm, ratio in ratios.items():
            for what, values in ratio.items():
                found.append(Finding(f"{name}: {arm}: {what}, AutoTVM / this",
                                     interval(values, geometric_mean)))
    return found
