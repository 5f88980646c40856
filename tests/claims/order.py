"""Whether the plain lowering orders programs as TVM's code generator does.

Records of TVM, with one thread, are measured again: Kendall's tau of the old and the new times is
to be 0.7 at least for each task. They were made with its layout rewriting, so that the lowering that
packs second operands is the one to compare; the one that packs nothing stands beside it.
"""

from figures import Finding, exactly


def findings(study):
    found = []
    limit = study.sized(0, 60)
    for lowering in ("plain-packed", "plain"):
        file = study.file(f"order-{lowering}")
        if not file.exists():
            study.run("import", file, *study.public_records("tvm-ansor-zen5"))

        def measure(lowering=lowering, file=file):
            return [
                study.json("measure", "--db", file, "--filter", task["filter"], "--lowering", lowering,
                           "--threads", 1, "--limit", limit, "--check", 0.1, "--compare")
                for task in study.json("query", "--db", file, "--group-by", "task")["groups"]
            ]

        for compared in study.once(f"order-{lowering}", measure):
            for task in compared["tasks"]:
                found.append(Finding(
                    f"{lowering}: {task['name']}: tau of {task['programs']} programs",
                    exactly(task["kendall_tau"]), bound=0.7 if lowering == "plain-packed" else None))
    return found
