"""Whether AutoTVM's tuner finds good programs sooner than random search.

Three tasks of a public log are whole spaces of templates, every configuration measured: a recorded
machine answers from it. Counted are the trials until a program within 5 % of the best is found; the
median over spaces and seeds is to be at most 100 with plans of 32, and random search is to need at
least 1.7 times as many in the geometric mean.
"""

from figures import Finding, geometric_mean, interval_within

TASKS = [
    "matmul:m=1,n=768,k=768",
    "batch_matmul:b=12,m=128,n=128,k=64,nt=1",
    "batch_matmul:b=12,m=128,n=64,k=128,nt=1",
]
AUTOTVM = ("--method", "autotvm", "--plan", 32, "--trials-per-round", 32)
ARMS = {
    "AutoTVM": AUTOTVM,
    "random": ("--space", "templates", "--policy", "random", "--trials-per-round", 32),
    "genetic": ("--space", "templates", "--policy", "genetic", "--trials-per-round", 32),
    "grid": ("--space", "templates", "--policy", "grid", "--trials-per-round", 32),
    "knob features": (*AUTOTVM, "--template-features", "knob"),
    "curve features": (*AUTOTVM, "--template-features", "curve"),
    "diversity": (*AUTOTVM, "--diversity", 1),
    "AdaTune": ("--method", "adatune", "--evaluator", "fixed"),
}


def trials_until(times, goal):
    """The number of the first trial that is as good; one more than all where none is."""
    for number, time in enumerate(times, 1):
        if time and time <= goal:
            return number
    return len(times) + 1


def trials_needed(study, recording, arm, options, task, seed):
    name = f"{arm}-{task}-{seed}".translate(str.maketrans(" :,=", "____"))

    def run():
        file = study.tune(task, name, "--machine", f"recorded:{recording}", *options, "--trials", "all",
                          "--seed", seed)
        times = study.seconds(file)
        file.unlink()
        return trials_until(times, 1.05 * min(time for time in times if time))

    return study.once(name, run)


def findings(study):
    recording = study.file("recording")
    if not recording.exists():
        study.run("import", recording, *study.public_records("autotvm-bert-B1-platinum-8124m.log.gz"))
    seeds = range(study.sized(15, 5))
    arms = dict(list(ARMS.items())[: study.sized(len(ARMS), 2)])
    needed = {
        arm: [[trials_needed(study, recording, arm, options, task, seed) for seed in seeds]
              for task in TASKS]
        for arm, options in arms.items()
    }
    ratios = [[random / autotvm for random, autotvm in zip(*of_space)]
              for of_space in zip(needed["random"], needed["AutoTVM"])]
    return [
        Finding("AutoTVM: median trials to within 5 % of the best", interval_within(needed["AutoTVM"]),
                bound=100, at_least=False),
        Finding("random / AutoTVM, geometric mean", interval_within(ratios, geometric_mean), bound=1.7,
                interval_bound=1),
        *(Finding(f"{arm}: median trials", interval_within(trials)) for arm, trials in needed.items()),
    ]
