"""Whether records of other convolutions spare AutoTVM half of its trials.

Three other convolutions are tuned by AutoTVM, 200 trials each. Counted are the trials until a program
within 5 % of the best is found of the sweep's convolution, on its recorded space, without and with
these records as a history: the median of their ratio over seeds is to be at least 2.
"""

from figures import Finding, exactly, geometric_mean, interval
from study import label
from tuners import trials_needed
import sweep

NAME = "convolution"
OTHERS = [
    "conv2d:n=1,h=28,w=28,ci=32,co=64,k=3,s=1,p=1",
    "conv2d:n=1,h=14,w=14,ci=128,co=64,k=3,s=1,p=1",
    "conv2d:n=1,h=28,w=28,ci=64,co=32,k=3,s=1,p=1",
]
AUTOTVM = ("--method", "autotvm", "--evaluator", sweep.FIXED)
ARMS = {
    "AutoTVM": AUTOTVM,
    "plan 32": (*AUTOTVM, "--plan", 32, "--trials-per-round", 32),
    "knob features": (*AUTOTVM, "--template-features", "knob"),
    "curve features": (*AUTOTVM, "--template-features", "curve"),
}


def histories(study):
    """Their files, as options."""
    options = []
    for subject in OTHERS:
        file = study.tune(subject, label("history", subject), "--method", "autotvm", "--trials",
                          study.sized(200, 170), *sweep.PLACE)
        options += ["--history", file]
    return options


def findings(study):
    history = histories(study)
    recording = sweep.recording(study, NAME, whole=True)
    space = "whole" if sweep.is_whole(study, NAME) else "part"
    arms = dict(list(ARMS.items())[: study.sized(len(ARMS), 1)])
    needed = {arm: {"without": [], "with": []} for arm in arms}
    for seed in study.in_time(range(study.sized(15, 5))):
        for arm, options in arms.items():
            for which, more in (("without", ()), ("with", history)):
                needed[arm][which].append(trials_needed(
                    study, recording, f"{arm} {which} {space}", (*options, *more, *sweep.PLACE),
                    sweep.TASKS[NAME], seed))
    found = []
    for arm, trials in needed.items():
        ratios = [one / other for one, other in zip(trials["without"], trials["with"])]
        bound = 2 if arm == "AutoTVM" else None
        found += [
            Finding(f"{arm}: trials without / with a history, median", interval(ratios), bound=bound),
            Finding(f"{arm}: the same, geometric mean", interval(ratios, geometric_mean)),
            Finding(f"{arm}: trials without", interval(trials["without"])),
            Finding(f"{arm}: trials with", interval(trials["with"])),
        ]
    found.append(Finding("configurations of the space that were measured",
                         exactly(len(study.records_of(recording)))))
    return found
