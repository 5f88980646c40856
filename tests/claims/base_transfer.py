"""Whether a model of another instruction set makes a short search better (TenSet's Table 5).

The model learned from records of this processor's own instructions without ResNet-18's tasks. Each
of them then has 50 trials, for the same instructions and for SSE4.2: with the model, and a difference
model from the 41st on; and without, random ones and trees from the 41st on. Compared are the network's
latencies of the best of all 50 trials (setting 1), and of the last 10 (setting 2): with the model it is
to be faster in all four cells, in setting 2 with the interval below 1.
"""

from figures import Finding, exactly, geometric_mean, interval
from learning import trained
from network_total import NetworkTotal, weights_of
from study import label
import data

NETWORK = "resnet18"
TRIALS, LAST = 50, 10
TARGETS = {data.HERE: (), data.OTHER: ("--isa", data.OTHER)}


def model(study):
    return trained(study, "base", "mlp", "--loss", "lambdarank", "--db", data.train(study), "--target", data.HERE,
                   "--hold-out", NETWORK, "--seed", 1, "--epochs", study.sized(50, 20))


def totals(study, target, arm, seed):
    """Seconds of the network by all trials of each task, and by its last ones."""
    weights = weights_of(study, NETWORK)
    arms = {"with": ("--pretrained", model(study), "--update", "local"), "without": ()}

    def run():
        file = study.tune(NETWORK, label(target, arm, seed), "--method", "ansor", "--scheduler", "round-robin",
                          "--trials-per-round", LAST, "--trials", TRIALS * len(weights), "--seed", seed,
                          "--warmup", (TRIALS - LAST) * len(weights), "--check-share", 0, *arms[arm],
                          *data.PLACE, *TARGETS[target])
        records = study.records_of(file)
        file.unlink()
        whole, last = NetworkTotal(weights), NetworkTotal(weights)
        seen = dict.fromkeys(weights, 0)
        for record in records:
            seen[record["task"]] += 1
            whole.add(record["task"], record.get("seconds"))
            if seen[record["task"]] > TRIALS - LAST:
                last.add(record["task"], record.get("seconds"))
        return [whole.seconds(), last.seconds()]

    return study.once(label(target, arm, seed, "totals"), run)


def findings(study):
    ratios = {target: ([], []) for target in TARGETS}
    for seed in study.in_time(range(study.sized(5, 1))):
        for target, of_settings in ratios.items():
            with_model, without = (totals(study, target, arm, seed) for arm in ("with", "without"))
            for setting, ratio in enumerate(of_settings):
                ratio.append(with_model[setting] / without[setting])
    lines = []
    for target, of_settings in ratios.items():
        for setting, ratio in enumerate(of_settings, 1):
            lines.append(Finding(f"{target}, setting {setting}: latency with / without",
                                 interval(ratio, geometric_mean), bound=1, at_least=False))
    lines.append(Finding("seeds", exactly(len(ratios[data.HERE][0]))))
    return lines
