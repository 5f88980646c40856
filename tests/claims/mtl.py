"""Whether another machine's records help where a machine has few of its own (TLP's MTL).

SSE4.2 has few labels, this processor's own instruction set all of them. MTL-TLP with both is to pick
better programs for SSE4.2 than TLP with its few labels alone; beside it the other's model as it is,
and the same fine-tuned with the few labels. As controls helpers that are a copy of the target, and
whose labels are shuffled, stand where `train` takes them.
"""

from figures import Finding
from learning import judged, networks, over_tasks_and_seeds, pooled_top, trained
from study import label
import data

FEW = 5400


def models(study, seed):
    """Without a helper MTL-TLP has one head, and is TLP."""
    file = data.other(study, "train")
    few = study.sized(FEW, FEW // 10)
    common = ("--db", file, "--least-programs", 1, "--seed", seed, "--epochs", study.sized(20, 10))
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


def findings(study):
    found = [judged(study, seed, data.other(study, "test"), models(study, seed), "--target", data.OTHER)
             for seed in study.in_time(range(study.sized(3, 1)))]
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
    return lines
