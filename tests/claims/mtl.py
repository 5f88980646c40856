"""Whether another machine's records help where a machine has few of its own (TLP's MTL).

SSE4.2 has few labels, this processor's own instruction set all of them. MTL-TLP with both is to pick
better programs for SSE4.2 than TLP with its few labels alone; beside it the other's model as it is,
and the same fine-tuned with the few labels. As controls, with one seed, a helper that is a copy of
the target does at least as well, and one whose labels are shuffled gains nothing.
"""

import contextlib
import random
import sqlite3

from figures import Finding
from learning import judged, networks, over_tasks_and_seeds, pooled_top, trained
from study import label
import data

FEW = 5400
COPY = "copy"  # what the copy of the target is called
HELPERS_A_TASK = 60  # of the controls: 30 thousand of 513 tasks


def few_of(study):
    return study.share(study.sized(FEW, FEW // 10))


def options(study, seed):
    return "--least-programs", 1, "--seed", seed, "--epochs", study.sized(20, 10)


def models(study, seed):
    """Without a helper MTL-TLP has one head, and is TLP."""
    few = few_of(study)
    common = ("--db", data.other(study, "train"), *options(study, seed))
    of_target = (*common, "--target", data.OTHER)
    helper = trained(study, label("helper", seed), "mtl-tlp", *common, "--target", data.HERE)
    return {
        "MTL": trained(study, label("MTL", seed), "mtl-tlp", *common, "--across-targets", "--target", data.OTHER,
                       "--helper", data.HERE, "--target-records", few),
        "alone": trained(study, label("alone", seed), "mtl-tlp", *of_target, "--target-records", few),
        "fine-tuned": trained(study, label("fine-tuned", seed), "mtl-tlp", *of_target, "--target-records", few,
                              "--start-from", helper, "--fine-tune"),
        "the other's": helper,
    }


def name_target_copy(records):
    records.execute("UPDATE target SET key = ?, text = ? WHERE text LIKE ?", (COPY, COPY, f"%-isa={data.OTHER}%"))


def shuffle_helper(records):
    """The times of each task's programs that ran."""
    of_tasks = {}
    for task, record, *times in records.execute(
            "SELECT record.task, record.id, record.seconds, record.details FROM record"
            " JOIN task ON task.id = record.task JOIN target ON target.id = task.target"
            " WHERE record.verdict = 0 AND target.key LIKE ? ORDER BY record.id", (f"%{data.HERE}%",)):
        of_tasks.setdefault(task, []).append((record, times))
    draw = random.Random(1)
    for of_task in of_tasks.values():
        shuffled = draw.sample([times for _, times in of_task], len(of_task))
        records.executemany("UPDATE record SET seconds = ?, details = ? WHERE id = ?",
                            [(*times, record) for (record, _), times in zip(of_task, shuffled)])


def rewritten(study, name, rewrite):
    """A copy of the records to learn from, of which some were changed."""
    file = study.file(name)
    if not file.exists():
        partly = file.with_suffix(".partly")
        partly.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(data.other(study, "train"))) as source, \
                contextlib.closing(sqlite3.connect(partly)) as copy:
            source.backup(copy)
            with copy:
                rewrite(copy)
        partly.rename(file)
    return file


def controls(study):
    common = (*options(study, 0), "--across-targets", "--target", data.OTHER, "--target-records", few_of(study),
              "--draw-programs", HELPERS_A_TASK)
    own = models(study, 0)
    return {
        "MTL": own["MTL"],
        "alone": own["alone"],
        "copy": trained(study, "MTL copy", "mtl-tlp", "--db", data.other(study, "train"),
                        rewritten(study, "copy", name_target_copy), *common, "--helper", COPY),
        "shuffled": trained(study, "MTL shuffled", "mtl-tlp", "--db", rewritten(study, "shuffled", shuffle_helper),
                            *common, "--helper", data.HERE),
    }


def findings(study):
    def judge(name, arms):
        return judged(study, name, data.other(study, "test"), arms, "--target", data.OTHER)

    found, control = [], None
    for step in study.in_time([*range(study.sized(3, 1)), "controls"]):
        if step == "controls":
            control = judge(step, controls(study))
        else:
            found.append(judge(step, models(study, step)))
    of_networks = list(networks(study).values())

    def top(one, arm, k, counts):
        return pooled_top(one["best"], one["picked"][arm][k], of_networks, counts)

    arms = [arm for arm in found[0]["picked"] if arm not in ("random", "oracle")]
    lines = []
    for other in arms[1:]:
        lines.append(Finding(f"pooled top-1, MTL less {other}", over_tasks_and_seeds(
            lambda one, counts, other=other: top(one, "MTL", "1", counts) - top(one, other, "1", counts),
            found, found[0]["best"]), bound=0 if other == "alone" else None))
    for arm in [*arms, "random"]:
        for k in ("1", "5"):
            lines.append(Finding(f"{arm}: pooled top-{k}", over_tasks_and_seeds(
                lambda one, counts, arm=arm, k=k: top(one, arm, k, counts), found, found[0]["best"])))
    for helper, beside in (("copy", "MTL"), ("shuffled", "alone")) if control else ():
        lines.append(Finding(f"control, helper {helper}: pooled top-1 less {beside}", over_tasks_and_seeds(
            lambda one, counts, helper=helper, beside=beside: (top(one, helper, "1", counts)
                                                               - top(one, beside, "1", counts)),
            [control], control["best"])))
    return lines
