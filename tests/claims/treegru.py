"""Whether AutoTVM's TreeGRU finds good configurations as soon as its trees do.

On the complete spaces of a public log, and on those of the claim sweep that are measured: trials
until a configuration within 5 % of the best is found, of AutoTVM with each model.
"""

from figures import Finding, exactly, geometric_mean, interval_within
import sweep
import tuners

ARMS = {"trees": tuners.AUTOTVM, "TreeGRU": (*tuners.AUTOTVM, "--model", "treegru")}


def spaces(study):
    """Of each its recording, its task and the options that it is searched with."""
    recording = study.file("recording")
    if not recording.exists():
        study.run("import", recording, *study.public_records("autotvm-bert-B1-platinum-8124m.log.gz"))
    swept = [name for name in sweep.names(study) if sweep.place_of(study, name)[1].exists()]
    return [(recording, task, ()) for task in tuners.TASKS] + [
        (sweep.recording(study, name), sweep.task_of(name),
         (*sweep.TEMPLATES.get(name, ()), *sweep.PLACE, "--evaluator", sweep.FIXED))
        for name in swept]


def findings(study):
    searched = spaces(study)
    needed = {arm: [[] for _ in searched] for arm in ARMS}
    for seed in study.in_time(range(study.sized(5, 1))):
        for arm, options in ARMS.items():
            for (recording, task, place), trials in zip(searched, needed[arm]):
                trials.append(tuners.trials_needed(study, recording, arm, (*options, *place), task, seed))
    ratios = [[trees / network for trees, network in zip(*of_space)]
              for of_space in zip(needed["trees"], needed["TreeGRU"])]
    return [
        Finding("trials, trees / TreeGRU, geometric mean", interval_within(ratios, geometric_mean)),
        *(Finding(f"{arm}: median trials", interval_within(trials)) for arm, trials in needed.items()),
        Finding("spaces", exactly(len(searched))),
    ]
