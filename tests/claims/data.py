"""Measures the records that the claims about learned models are made from, once.

On the plain lowering, with one thread and three repeats of a millisecond: random programs of the
tasks of zoo_batch1 below 200 MFLOP that no network of zoo_test has, to learn from, and of all those
of zoo_test, to be tested on; and a part of the same programs compiled for SSE4.2, which stands in for
another machine. A quick study takes a tenth of the tasks to learn from, and fewer programs; one with
--third a third of the programs of each task, where there is no time for more.
"""

import json

from figures import Finding, exactly

TRAIN, TEST = "zoo_batch1", "zoo_test"
# Parts of the targets' names: this machine with all that it has, and less of it.
HERE, OTHER = "llvm-plain-1c", "sse4.2"
PLACE = ("--lowering", "plain", "--threads", 1)
BRIEFLY = ("--repeats", 3, "--min-repeat", "1ms")
LEAST = ("--max-flops", "200e6")
SECONDS_AN_HOUR = 3600


def sizes(study):
    """Programs of each task: to learn from, to be tested on; and of the other machine."""
    return {"train": study.share(150), "test": study.share(study.sized(400, 40)),
            "other train": study.share(40), "other test": study.share(study.sized(200, 20))}


def place_of(study, part):
    folder = study.folder.parent / f"data{study.size}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{part}.nwdb"


def is_done(study, part):
    return place_of(study, part).with_suffix(".done")


def collected(study, part, *options):
    """The file of random programs; one that was interrupted goes on."""
    file, done = place_of(study, part), is_done(study, part)
    if not done.exists():
        print(f"  collecting {part}", flush=True)
        said = study.json("collect", *options, "--db", file, "--programs-per-task", sizes(study)[part],
                          "--seed", 1, *PLACE, *BRIEFLY)
        if said["status"] == "paused":
            raise RuntimeError("the collection was paused: the same command goes on with it")
        done.touch()
    return file


def train(study):
    return collected(study, "train", TRAIN, "--without", TEST, *LEAST, *study.sized((), ("--shard", "1/10")))


def test(study):
    return collected(study, "test", TEST)


def other(study, part):
    """The part's file with so many of its programs measured on the other machine, too."""
    file = train(study) if part == "train" else test(study)
    done = is_done(study, f"other-{part}")
    if not done.exists():
        print(f"  measuring {part} on {OTHER}", flush=True)
        tasks = study.json("dataset", "--db", file, "--target", HERE)["tasks"]
        study.run("measure", "--db", file, "--session", 1, "--isa", OTHER, "--limit",
                  tasks * sizes(study)[f"other {part}"], "--check", 0, *PLACE, *BRIEFLY)
        done.touch()
    return file


def records_an_hour(study):
    """Of the tasks below 200 MFLOP, while they were collected."""
    last = json.loads(study.run("query", "--db", train(study), "--session", 1, "--order", "newest", "--limit", 1,
                                "--lines"))
    return SECONDS_AN_HOUR * last["trial"] / last["wall_seconds"]


def findings(study):
    found = [Finding("train: records an hour", exactly(records_an_hour(study)), bound=60_000)]
    for part in ("train", "test"):
        file = other(study, part)
        said = study.json("dataset", "--db", file, "--across-targets")
        found.append(Finding(f"{part}: programs", exactly(said["programs"])))
        found.append(Finding(f"{part}: tasks", exactly(said["tasks"])))
        found.append(Finding(f"{part}: of the programs failed", exactly(said["failed"])))
    return found
