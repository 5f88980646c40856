"""Whether AdaTune is as good as AutoTVM in less time.

On the session's clock of recorded whole spaces, seed by seed: the time until AutoTVM's final quality
less 2 %, of AutoTVM over AdaTune, is to be at least 1.3 for each task, with the interval above 1.
Beside it the four arms of the paper, which show what each part brings.

The quality of a search is that of the program which it holds for the best by its own measurements;
what that one is worth is its recorded time of 500 runs, so that evaluators are compared by what comes
of them. A search that never gets there counts with its whole time, which is too kind to it: such are
counted, and a claim with one of AdaTune's has no verdict. Live, AutoTVM and AdaTune tune a
convolution of ResNet-18; what their programs are worth is measured afterwards, by 500 runs each.
"""

from figures import Finding, exactly, geometric_mean, interval
from study import label
import evaluator
import sweep

ARMS = ["AutoTVM", "surrogate", "surrogate, contextual", "AdaTune"]
LIVE = "conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1"


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
                          *options_of(study, arm), "--trials", "all", "--seed", seed, *sweep.WHOLE,
                          *sweep.PLACE)
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


def live(study, arm, seed):
    """As course(), of a session that measures here; and the seconds of 500 runs of each program that
    the search held for the best."""
    key = label("live", arm, seed)

    def run():
        file = study.tune(LIVE, key, *options_of(study, arm), "--trials", study.sized(320, 48), "--seed",
                          seed, *sweep.PLACE)
        trials = [[record["program"], record.get("seconds"), record["wall_seconds"]]
                  for record in study.records_of(file)]
        bests = {best for _, best in held_best(trials) if best is not None}
        return trials, {best: study.measured_again(file, 1, best, "--evaluator", sweep.FIXED, *sweep.PLACE)
                        for best in bests}

    return study.once(key, run)


class Ratios:
    """Of AutoTVM over each arm, seed by seed: seconds and trials until AutoTVM's final quality less 2 %."""

    def __init__(self, where, arms):
        self.where = where
        self.of_arm = {arm: {"time": [], "trials": []} for arm in arms}
        self.late = dict.fromkeys(arms, 0)

    def add(self, courses, fixed):
        """Courses by arm, and the whole times of programs."""
        *_, (_, final) = held_best(courses["AutoTVM"])
        if final is None:
            raise RuntimeError(f"{self.where}: no program of AutoTVM's ran")
        goal = fixed[final] / 0.98
        seconds, trials, _ = reached(courses["AutoTVM"], goal, fixed)
        for arm, ratio in self.of_arm.items():
            time, number, arrived = reached(courses[arm], goal, fixed)
            ratio["time"].append(seconds / time)
            ratio["trials"].append(trials / number)
            self.late[arm] += not arrived

    def findings(self):
        found = [Finding(f"{self.where}: time, AutoTVM / AdaTune",
                         interval(self.of_arm["AdaTune"]["time"], geometric_mean),
                         bound=None if self.late["AdaTune"] else 1.3, interval_bound=1)]
        for arm, ratio in self.of_arm.items():
            for what, values in ratio.items():
                found.append(Finding(f"{self.where}: {arm}: {what}, AutoTVM / this",
                                     interval(values, geometric_mean)))
            found.append(Finding(f"{self.where}: {arm}: searches that never got there",
                                 exactly(self.late[arm])))
        found.append(Finding(f"{self.where}: seeds", exactly(len(self.of_arm["AdaTune"]["time"]))))
        return found


def findings(study):
    recorded = {name: Ratios(name, ARMS) for name in sweep.names(study)}
    fixed = {name: sweep.fixed_times(study, name) for name in recorded}
    for seed in study.in_time(range(study.sized(15, 3))):
        for name, ratios in recorded.items():
            ratios.add({arm: course(study, name, arm, seed) for arm in ARMS}, fixed[name])
    here = Ratios("live", ("AutoTVM", "AdaTune"))
    for seed in study.in_time(range(study.sized(3, 1))):
        found = {arm: live(study, arm, seed) for arm in here.of_arm}
        # A program that both hold for the best is worth what was measured of it first.
        worth = {program: seconds for _, times in reversed(found.values())
                 for program, seconds in times.items()}
        here.add({arm: trials for arm, (trials, _) in found.items()}, worth)
    return [finding for ratios in (*recorded.values(), here) for finding in ratios.findings()]
