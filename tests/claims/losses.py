"""Which model and loss pick the fastest programs of networks that they never saw (TenSet's Table 4).

An MLP with LambdaRank is to have the best mean top-1 of the networks, and to be better than one with
the mean squared error; beside them trees and an LSTM, both with the squared error.
"""

from figures import Finding, exactly
from learning import judged, mean_top, networks, over_tasks_and_seeds, top_score, trained
from study import label
import data

ARMS = {
    "MLP, LambdaRank": ("mlp", "--loss", "lambdarank"),
    "MLP, MSE": ("mlp", "--loss", "mse"),
    "XGBoost": ("xgboost",),
    "LSTM, MSE": ("lstm", "--loss", "mse"),
}
FIRST, SECOND = "MLP, LambdaRank", "MLP, MSE"
SLOW = {"LSTM, MSE": 3}  # seeds of arms that take long; of the others there are five


def epochs_of(study, arm):
    return () if arm == "XGBoost" else ("--epochs", study.sized(50, 10))


def judged_seed(study, seed):
    models = {arm: trained(study, label(arm, seed), *options, "--db", data.train(study), "--target", data.HERE,
                           "--seed", seed, *epochs_of(study, arm))
              for arm, options in ARMS.items() if seed < study.sized(SLOW.get(arm, 5), 2)}
    return judged(study, seed, data.test(study), models, "--target", data.HERE)


def findings(study):
    found = [judged_seed(study, seed) for seed in study.in_time(range(study.sized(5, 2)))]
    of_networks = networks(study)
    tasks = found[0]["best"]

    def mean_of(arm, k):
        return over_tasks_and_seeds(
            lambda one, counts: mean_top(one["best"], one["picked"][arm][k], of_networks.values(), counts),
            [one for one in found if arm in one["picked"]], tasks)

    def less(arm):
        return over_tasks_and_seeds(
            lambda one, counts: (mean_top(one["best"], one["picked"][FIRST]["1"], of_networks.values(), counts)
                                 - mean_top(one["best"], one["picked"][arm]["1"], of_networks.values(), counts)),
            [one for one in found if arm in one["picked"]], tasks)

    arms = [*ARMS, "random", "oracle"]
    lines = [Finding(f"{arm}: top-{k}, mean of networks", mean_of(arm, k)) for arm in arms for k in ("1", "5")]
    others = {arm: less(arm) for arm in ARMS if arm != FIRST}
    lines += [Finding(f"{FIRST} less {arm}: top-1", figure, bound=0 if arm == SECOND else None)
              for arm, figure in others.items()]
    lines.append(Finding(f"{FIRST}: place by top-1, mean of networks",
                         exactly(1 + sum(figure.value < 0 for figure in others.values()))))
    for network, weights in of_networks.items():
        for arm in ARMS:
            lines.append(Finding(f"{network}: {arm}: top-1", over_tasks_and_seeds(
                lambda one, counts, arm=arm, weights=weights: top_score(
                    one["best"], one["picked"][arm]["1"], weights, counts),
                [one for one in found if arm in one["picked"]], [key for key in tasks if key in weights])))
    return lines
