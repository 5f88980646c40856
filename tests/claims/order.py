"""Whether the plain lowering orders programs as TVM's code generator does.

Records of TVM, with one thread, are measured again: Kendall's tau of the old and the new times is
to be 0.7 at least for each task. They were made with its layout rewriting, so that the lowering that
packs second operands is the one to compare; the one that packs nothing stands beside it. The
intervals are those of other programs, drawn from these. The records' processor was a Zen 5: on such a
one our fastest program is to be within 1.25 of TVM's time.
"""

from figures import Finding, exactly, interval, kendall_tau


def times_of(study, file, tasks):
    """Of each program that ran both times: the task's name, TVM's time, and ours."""
    ours = {record["program"]: record["seconds"] for record in study.records_of(file)
            if record["session"] != 1 and record.get("seconds")}
    return [[task["name"], old["seconds"], ours[old["program"]]] for task in tasks
            for old in study.records_of(file, "--session", 1, "--filter", task["filter"])
            if old.get("seconds") and old["program"] in ours]


def findings(study):
    found = []
    limit = study.sized(0, 60)
    for lowering in ("plain-packed", "plain"):
        file = study.file(f"order-{lowering}")
        if not file.exists():
            study.run("import", file, *study.public_records("tvm-ansor-zen5"))

        def measure(lowering=lowering, file=file):
            tasks = study.json("query", "--db", file, "--group-by", "task", "--session", 1)["groups"]
            for task in tasks:
                study.run("measure", "--db", file, "--filter", task["filter"], "--lowering", lowering,
                          "--threads", 1, "--limit", limit, "--check", 0.1)
            return times_of(study, file, tasks)

        of_task = {}
        for name, old, new in study.once(f"order-{lowering}-times", measure):
            of_task.setdefault(name, []).append((old, new))
        if not of_task:
            raise RuntimeError(f"no program of {file} ran both times")
        for name, times in of_task.items():
            found.append(Finding(f"{lowering}: {name}: tau of {len(times)} programs",
                                 interval(times, kendall_tau),
                                 bound=0.7 if lowering == "plain-packed" else None))
            fastest = [min(column) for column in zip(*times)]
            found.append(Finding(f"{lowering}: {name}: our fastest / TVM's",
                                 exactly(fastest[1] / fastest[0])))
    return found
