"""Whether measurements that stop early order programs as whole ones do, in a fraction of the time.

On the recorded micro-batches of whole spaces: the time of 500 runs over that of the adaptive
evaluator is to be at least 2.5, and Kendall's tau of the two orders at least 0.95.
"""

from figures import Finding, exactly, geometric_mean, interval, kendall_tau
import sweep

ADAPTIVE = "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch"
OTHERS = {
    "cumulative speeds": "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=cumulative",
    "hopeless ones stopped": f"{ADAPTIVE},hopeless=1.5",
}


def replayed(study, name, evaluator):
    """Of each configuration its time and the seconds of its runs, as this evaluator measures it."""
    label = evaluator.translate(str.maketrans(":,=", "___"))

    def run():
        file = study.tune(sweep.TASKS[name], f"{name}-{label}", "--machine",
                          f"recorded:{sweep.recording(study, name)}", "--space", "templates",
                          *sweep.TEMPLATES.get(name, ()), "--policy", "grid", "--trials",
                          study.sized("all", 40), "--evaluator", evaluator, *sweep.PLACE)
        records = study.records_of(file)
        file.unlink()
        return {
            record["program"]: [record["seconds"], sum(record["repeats"]) * sweep.BATCH]
            for record in records
            if record["verdict"] == "ok"
        }

    return study.once(f"{name}-{label}", run)


def compared(whole, early):
    both = sorted(whole.keys() & early.keys())
    times = [(whole[program], early[program]) for program in both]
    chosen = min(both, key=lambda program: early[program][0])
    return {
        "saved": sum(w[1] for w, _ in times) / sum(e[1] for _, e in times),
        "tau": kendall_tau([w[0] for w, _ in times], [e[0] for _, e in times]),
        "chosen": whole[chosen][0] / min(w[0] for w, _ in times),
    }


def findings(study):
    found = []
    of_spaces = []
    for name in sweep.names(study):
        whole = replayed(study, name, sweep.FIXED)
        figures = compared(whole, replayed(study, name, ADAPTIVE))
        of_spaces.append(figures)
        found += [
            Finding(f"{name}: measuring time, fixed / adaptive", exactly(figures["saved"]), bound=2.5),
            Finding(f"{name}: Kendall's tau", exactly(figures["tau"]), bound=0.95),
            Finding(f"{name}: chosen program / best", exactly(figures["chosen"]), bound=1.01,
                    at_least=False),
        ]
        for what, evaluator in OTHERS.items():
            other = compared(whole, replayed(study, name, evaluator))
            found.append(Finding(f"{name}: {what}: fixed / this", exactly(other["saved"])))
            found.append(Finding(f"{name}: {what}: tau", exactly(other["tau"])))
    found.append(Finding("measuring time, fixed / adaptive, geometric mean",
                         interval([figures["saved"] for figures in of_spaces], geometric_mean), bound=2.5))
    return found
