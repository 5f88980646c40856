"""Whether a ranking loss orders programs better although its numbers are worse (TenSet's Table 3).

An MLP learns with LambdaRank, and another with the mean squared error. The first is to have a worse
R² and no worse a top-1; and a search that each guides alone, without learning more, says what that is
worth.
"""

import statistics

from figures import Finding, exactly, interval
from learning import judged, mean_top, networks, over_tasks_and_seeds, trained
from network_total import NetworkTotal, weights_of
from study import label
import data

ARMS = {"LambdaRank": "lambdarank", "MSE": "mse"}
SEARCHED = "resnet50"  # the paper's
QUICKLY_SEARCHED = "mobilenet_v2"


def models(study, seed):
    epochs = ("--epochs", study.sized(50, 20))
    return {arm: trained(study, label(arm, seed), "mlp", "--db", data.train(study), "--target", data.HERE,
                         "--loss", loss, "--seed", seed, *epochs)
            for arm, loss in ARMS.items()}


def latency(study, network, arm, model):
    """Seconds of a network that the model never saw after a search that it guides as it is."""

    def run():
        file = study.tune(network, label("search", network, arm), "--method", "ansor", "--pretrained", model,
                          "--update", "none",
                          "--trials", study.sized(600, 150), "--seed", 1, "--check-share", 0, *data.PLACE)
        total = NetworkTotal(weights_of(study, network))
        for record in study.records_of(file):
            total.add(record["task"], record.get("seconds"))
        return total.seconds()

    return study.once(label("latency", network, arm), run)


def findings(study):
    found = [judged(study, seed, data.test(study), models(study, seed), "--target", data.HERE)
             for seed in study.in_time(range(study.sized(3, 1)))]
    of_networks = list(networks(study).values())
    lines = []
    for arm in ARMS:
        for figure in ("rmse", "r_squared", "pairwise_accuracy"):
            values = [one["figures"][arm][figure] for one in found]
            lines.append(Finding(f"{arm}: {figure}", exactly(sum(values) / len(values))))
        for k in ("1", "5"):
            lines.append(Finding(f"{arm}: top-{k}, mean of networks", over_tasks_and_seeds(
                lambda one, counts, arm=arm, k=k: mean_top(one["best"], one["picked"][arm][k], of_networks,
                                                           counts), found, found[0]["best"])))
        searched = study.sized(SEARCHED, QUICKLY_SEARCHED)
        lines.append(Finding(f"{arm}: ms of {searched} after a search that it guides",
                             exactly(1e3 * latency(study, searched, arm, models(study, 0)[arm]))))

    def better(one, counts):
        return (mean_top(one["best"], one["picked"]["LambdaRank"]["1"], of_networks, counts)
                - mean_top(one["best"], one["picked"]["MSE"]["1"], of_networks, counts))

    worse = [one["figures"]["LambdaRank"]["r_squared"] - one["figures"]["MSE"]["r_squared"] for one in found]
    lines.append(Finding("R², LambdaRank less MSE", interval(worse, statistics.fmean), bound=0, at_least=False))
    lines.append(Finding("top-1, LambdaRank less MSE", over_tasks_and_seeds(better, found, found[0]["best"]),
                         bound=0))
    return lines
