"""Whether AutoTVM's TreeGRU finds good configurations as soon as its trees do.

On the complete spaces of a public log: trials until a configuration within 5 % of the best is found,
of AutoTVM with each model.
"""

from figures import Finding, geometric_mean, interval_within
import tuners

ARMS = {"trees": tuners.AUTOTVM, "TreeGRU": (*tuners.AUTOTVM, "--model", "treegru")}


def findings(study):
    recording = study.file("recording")
    if not recording.exists():
        study.run("import", recording, *study.public_records("autotvm-bert-B1-platinum-8124m.log.gz"))
    needed = {arm: [[] for _ in tuners.TASKS] for arm in ARMS}
    for seed in study.in_time(range(study.sized(5, 1))):
        for arm, options in ARMS.items():
            for task, trials in zip(tuners.TASKS, needed[arm]):
                trials.append(tuners.trials_needed(study, recording, arm, options, task, seed))
    ratios = [[trees / network for trees, network in zip(*of_space)]
              for of_space in zip(needed["trees"], needed["TreeGRU"])]
    return [
        Finding("trials, trees / TreeGRU, geometric mean", interval_within(ratios, geometric_mean)),
        *(Finding(f"{arm}: median trials", interval_within(trials)) for arm, trials in needed.items()),
    ]
