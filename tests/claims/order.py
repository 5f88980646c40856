"""Whether the plain lowering orders programs as TVM's code generator does.

Records of TVM, with one thread, are measured again: Kendall's tau of the old and the new times is
to be 0.7 at least for each task. They were made with its layout rewriting, so that the lowering that
packs second operands is the one to compare; the one that packs nothing stands beside it. The
intervals are those of other programs, drawn from these.
"""

from figures import Finding, interval, kendall_tau


def times_of(study, file):
    """Of each program that ran both times: the task's name, TVM's time, and ours."""
    records = study.records_of(file)
    before = {record["program"]: record for record in records if record["session"] == 1}
    pairs = [(before[record["program"]], record) for record in records
             if record["session"] != 1 and record["program"] in before]
    return [[old["task_name"], old["seconds"], new["seconds"]] for old, new in pairs
            if old["seconds"] and new["seconds"]]


def findings(study):
    found = []
    limit = study.sized(0, 60)
    for lowering in ("plain-packed", "plain"):
        file = study.file(f"order-{lowering}")
        if not file.exists():
            study.run("import", file, *study.public_records("tvm-ansor-zen5"))

        def measure(lowering=lowering, file=file):
            for task in study.json("query", "--db", file, "--group-by", "task")["groups"]:
                study.run("measure", "--db", file, "--filter", task["filter"], "--lowering", lowering,
                          "--threads", 1, "--limit", limit, "--check", 0.1)
            return times_of(study, file)

        of_task = {}
        for name, old, new in study.once(f"order-{lowering}-times", measure):
            of_task.setdefault(name, []).append((old, new))
        if not of_task:
            raise RuntimeError(f"no program of {file} ran both times")
        for name, times in of_task.items():
            found.append(Finding(f"{lowering}: {name}: tau of {len(times)} programs",
                                 interval(times, kendall_tau),
                                 bound=0.7 if lowering == "plain-packed" else None))
    return found
