"""How many trials a model spares that was trained before (TenSet's Fig. 6).

Ansor tunes networks that the model never saw, from scratch, and with the model: trials and time until
the weighted total is as good as Ansor's at its end, both of bests that hold (C31). At least five times
fewer trials and three times less time, in the geometric mean over networks and seeds.
"""

from figures import Finding, exactly, geometric_mean, interval
from learning import trained
from study import label
import data

NETWORKS = ["resnet50", "mobilenet_v2", "bert_base"]
QUICK_NETWORKS = ["bert_tiny"]
ARMS = {"none": (data.HERE, "none"), "local": (data.HERE, "local"), "other machine, local": (data.OTHER, "local")}


def model(study, target):
    """An MLP with LambdaRank; the networks are not in its data."""
    return trained(study, label("model", target), "mlp", "--loss", "lambdarank", "--db",
                   data.other(study, "train"), "--target", target, "--seed", 1, "--least-programs", 1,
                   "--epochs", study.sized(50, 20))


def scratch(study, network, seed, place):
    """The total at the end, and number and clock of the last trial."""
    trials = study.sized(2000, 200)

    def run():
        file = study.tune(network, label(network, "scratch", seed, *place), "--method", "ansor", "--trials",
                          trials, "--seed", seed, "--check-share", 0, *place)
        records = study.records_of(file)
        return {"goal": study.totals_of(file)[-1]["seconds"], "trials": len(records),
                "seconds": records[-1]["wall_seconds"]}

    return study.once(label(network, "from scratch", seed, *place), run)


def with_model(study, network, seed, arm, place, goal, most):
    """Whether the total was ever as good, and trial and clock when it was, or of the last trial."""
    target, update = ARMS[arm]
    name = label(network, arm, seed, *place)

    def run():
        file = study.tune_to_total(network, name, goal, "--method", "ansor", "--pretrained", model(study, target),
                                   "--update", update, "--trials", most, "--seed", seed, "--check-share", 0, *place)
        for total in study.totals_of(file):
            if total["seconds"] <= goal:
                return {"reached": True, "trials": total["trial"], "seconds": total["wall_seconds"]}
        records = study.records_of(file)
        return {"reached": False, "trials": len(records), "seconds": records[-1]["wall_seconds"]}

    return study.once(label(name, "until"), run)


def compared(study, network, seed, arm, place):
    without = scratch(study, network, seed, place)
    reached = with_model(study, network, seed, arm, place, without["goal"], without["trials"])
    return {"trials": without["trials"] / reached["trials"], "seconds": without["seconds"] / reached["seconds"],
            "reached": reached["reached"]}


def findings(study):
    found = {arm: [] for arm in ARMS}
    usual, seeds = [], []
    networks = study.sized(NETWORKS, QUICK_NETWORKS)
    for step in study.in_time([*range(study.sized(3, 1)), *study.sized(["default lowering"], [])]):
        if step == "default lowering":
            usual = [compared(study, network, seed, "local", ("--threads", 1))
                     for seed in seeds for network in networks]
            continue
        seeds.append(step)
        for network in networks:
            for arm, ratios in found.items():
                ratios.append(compared(study, network, step, arm, data.PLACE))
    lines = []
    for arm, ratios in found.items():
        bounds = {"trials": 5, "seconds": 3} if arm in ("none", "local") else {}
        for what in ("trials", "seconds"):
            lines.append(Finding(f"{arm}: {what}, from scratch / with the model",
                                 interval([one[what] for one in ratios], geometric_mean), bound=bounds.get(what)))
        lines.append(Finding(f"{arm}: sessions that were never as good",
                             exactly(sum(not one["reached"] for one in ratios))))
    for what in ("trials", "seconds"):
        if usual:
            lines.append(Finding(f"default lowering, local: {what}",
                                 interval([one[what] for one in usual], geometric_mean)))
    return lines
