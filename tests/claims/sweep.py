"""Measures four whole spaces of templates once, for the claims that need them.

On the plain lowering, with one thread and the evaluator of AdaTune's baseline: 500 runs in
micro-batches of 50, two seconds at most. What the cap cut is counted.
"""

from figures import Finding, exactly

TASKS = {
    "convolution": "conv2d:n=1,h=14,w=14,ci=64,co=64,k=3,s=1,p=1",
    "dense": "matmul:m=16,n=768,k=768",
    "depthwise": "depthwise_conv2d:n=1,h=56,w=56,c=64,k=3,s=1,p=1",
    "batch_matmul": "batch_matmul:b=12,m=128,n=128,k=64,nt=1",
}
TEMPLATES = {"dense": ("--templates", "dense_nopack.x86")}
RUNS, BATCH = 500, 50
FIXED = f"fixed:runs={RUNS},batch={BATCH},seconds=2"
PLACE = ("--lowering", "plain", "--threads", 1)


def is_whole(study, name):
    """Whether every configuration of the space was measured, and not a few for a quick study."""
    return (study.folder.parent / "sweep" / f"{name}.done").exists()


def recording(study, name, whole=False):
    """The record file of the space, which other claims take from this one's folder. `whole`: that of
    all its configurations, where there is one, for a quick study too."""
    quick = study.quick and not (whole and is_whole(study, name))
    folder = study.folder.parent / ("sweep-quick" if quick else "sweep")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.nwdb"
    if not (folder / f"{name}.done").exists():
        print(f"  measuring all of {name}", flush=True)
        again = ["--resume"] if file.exists() else []
        study.run("tune", TASKS[name], "--db", file, "--space", "templates", *TEMPLATES.get(name, ()),
                  "--policy", "grid", "--trials", study.sized("all", 40), "--evaluator", FIXED, *PLACE,
                  *again)
        (folder / f"{name}.done").touch()
    return file


def names(study):
    return list(TASKS)[: study.sized(len(TASKS), 2)]


def findings(study):
    found = []
    for name in names(study):
        records = study.records_of(recording(study, name))
        good = [record for record in records if record["verdict"] == "ok"]
        cut = sum(len(record["repeats"]) * BATCH < RUNS for record in good)
        found += [
            Finding(f"{name}: configurations", exactly(len(records))),
            Finding(f"{name}: of them failed", exactly(len(records) - len(good))),
            Finding(f"{name}: of them cut by the cap", exactly(cut)),
        ]
    return found
