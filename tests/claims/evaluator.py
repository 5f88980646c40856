"""Whether measurements that stop early order programs as whole ones do, in a fraction of the time.

On the recorded micro-batches of whole spaces, and on 300 live programs of the first of them: the time
of 500 runs over that of the adaptive evaluator is to be at least 2.5, and Kendall's tau of the two
orders at least 0.95. What a cap cut counts as 500 runs and is counted. Beside it, live, our everyday
evaluator, of which recordings of micro-batches have no times. The intervals are those of other
configurations, drawn from these.

The program that the adaptive evaluator chooses as the best is measured in turns with the one that the
whole measurements choose, and is to be within 1 % of it. Of the other evaluators' choices only the
time by whole measurements is told.
"""

import math
import statistics

from figures import Finding, exactly, interval, interval_within, kendall_tau
from study import label
import sweep

ADAPTIVE = "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch"
OTHERS = {
    "cumulative speeds": "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=cumulative",
    "hopeless ones stopped": f"{ADAPTIVE},hopeless=1.5",
}
EVERYDAY = "fixed"
TURNS = 15
EVERYDAY_REPEATS = 3


def own_time(record):
    """What the evaluator made of a program, whatever was measured of it later."""
    times = sweep.batches_of(record)
    if "evaluation" not in record:
        return statistics.median(times[:EVERYDAY_REPEATS])
    if record["evaluation"]["speed"] == "batch" and len(times) > 2:
        times = sorted(times)[1:-1]
    return statistics.fmean(times)


def own_seconds(record):
    if "evaluation" in record:
        return sweep.seconds_in_runs(record)
    return sum(record["repeats"][:EVERYDAY_REPEATS]) * record["runs_per_repeat"]


def measured(study, key, name, evaluator, *options):
    """Of each program its time, the seconds of its runs, and whether it was cut."""
    key = label(key, evaluator)

    def run():
        file = study.tune(sweep.task_of(name), key, "--space", "templates",
                          *sweep.TEMPLATES.get(name, ()), "--evaluator", evaluator, *sweep.PLACE,
                          *options)
        return {record["program"]: [own_time(record), own_seconds(record), sweep.was_cut(record)]
                for record in study.records_of(file) if record["verdict"] == "ok"}

    return study.once(key, run)


def replayed(study, name, evaluator):
    return measured(study, label(name, sweep.identity(study, name)), name, evaluator, "--machine",
                    f"recorded:{sweep.recording(study, name)}", "--policy", "grid", "--trials", "all",
                    *sweep.WHOLE)


def live(study, name, evaluator):
    """Random configurations, the same for every evaluator."""
    return measured(study, label("live", name), name, evaluator, "--policy", "random", "--trials",
                    study.sized(300, 60), "--seed", 1)


def live_file(study, name, evaluator):
    return study.file(label("live", name, evaluator))


def chosen_in_turns(study, where, file, whole, early):
    """Times of the program that is best by the early measurements over those of the one that is by
    the whole ones, turn by turn; ones where both are the same."""
    programs = sorted(whole.keys() & early.keys())
    chosen, best = (min(programs, key=lambda program: of[program][0]) for of in (early, whole))
    if chosen == best:
        return [1.0, 1.0]
    times = study.once(label("turns", where, chosen, best), lambda: study.in_turns(
        [(file, 1, chosen), (file, 1, best)], TURNS, "--evaluator", sweep.FIXED, *sweep.PLACE))
    return [one / other for one, other in times]


def pairs_of(whole, early):
    return [(whole[program], early[program]) for program in sorted(whole.keys() & early.keys())]


def saved(pairs):
    return sum(w[1] for w, _ in pairs) / sum(e[1] for _, e in pairs)


def tau(pairs):
    return kendall_tau([(w[0], e[0]) for w, e in pairs])


def chosen(pairs):
    """The whole time of the program that is best by the other evaluator, over the best one's."""
    return min(pairs, key=lambda pair: pair[1][0])[0][0] / min(w[0] for w, _ in pairs)


def compared(study, where, file, whole, early):
    pairs = pairs_of(whole, early)
    return [
        Finding(f"{where}: measuring time, fixed / adaptive", interval(pairs, saved), bound=2.5),
        Finding(f"{where}: Kendall's tau", interval(pairs, tau), bound=0.95),
        Finding(f"{where}: time of the chosen / of the best, in turns",
                interval(chosen_in_turns(study, where, file, whole, early)), bound=1.01,
                at_least=False),
        Finding(f"{where}: fixed cut and extrapolated", exactly(sum(w[2] for w, _ in pairs))),
        Finding(f"{where}: adaptive cut and extrapolated", exactly(sum(e[2] for _, e in pairs))),
    ]


def beside(where, whole, early):
    pairs = pairs_of(whole, early)
    return [Finding(f"{where}: fixed / this", exactly(saved(pairs))),
            Finding(f"{where}: tau", exactly(tau(pairs))),
            Finding(f"{where}: chosen / best, not in turns", exactly(chosen(pairs)))]


def findings(study):
    found = []
    of_spaces = []
    for name in sweep.names(study):
        whole = replayed(study, name, sweep.FIXED)
        early = replayed(study, name, ADAPTIVE)
        of_spaces.append(pairs_of(whole, early))
        found += compared(study, name, sweep.recording(study, name), whole, early)
        for what, evaluator in OTHERS.items():
            found += beside(f"{name}: {what}", whole, replayed(study, name, evaluator))
    # Each space counts as much as another.
    found.append(Finding("geometric mean of the recorded spaces", spaces_mean(of_spaces), bound=2.5))
    name = sweep.names(study)[0]
    whole = live(study, name, sweep.FIXED)
    found += compared(study, f"live {name}", live_file(study, name, sweep.FIXED), whole,
                      live(study, name, ADAPTIVE))
    found += beside(f"live {name}: everyday evaluator", whole, live(study, name, EVERYDAY))
    return found


def spaces_mean(of_spaces):
    """Measuring time, fixed / adaptive; of other configurations of each space."""
    tagged = [[(space, pair) for pair in pairs] for space, pairs in enumerate(of_spaces)]

    def mean(values):
        sums = {}
        for space, (w, e) in values:
            total = sums.setdefault(space, [0, 0])
            total[0] += w[1]
            total[1] += e[1]
        return math.exp(statistics.fmean(math.log(w / e) for w, e in sums.values()))

    return interval_within(tagged, mean)
