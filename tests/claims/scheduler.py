"""Whether the gradient scheduler needs fewer trials than round-robin for as fast a network.

Ansor's search on the plain lowering, with one thread: the share of round-robin's trials after which
the weighted total under the gradient scheduler is as good as round-robin's at its end is to be at
most 0.75 in the geometric mean over networks and seeds. Beside it what no scheduler does: a plan that
knows every program of random sessions in advance, and our scheduler replayed on these. A quick study
searches at random in either case: evolution takes longer than its few trials.
"""

from figures import Finding, exactly, geometric_mean, interval
from network_total import NetworkTotal, first_reaching, weights_of
from study import label
import sweep

NETWORKS = ["resnet50", "mobilenet_v2"]
SEARCH = ("--method", "ansor", *sweep.PLACE, "--check-share", 0)
RANDOM = ("--policy", "random", "--rules", "paper", *sweep.PLACE, "--check-share", 0)
REPLAYS = 20


def trials_of(study):
    return study.sized(1500, 200)


def share_of(study, network, seed):
    """None where the gradient scheduler's total was not as good after as many trials."""
    weights = weights_of(study, network)
    options = (*study.sized(SEARCH, RANDOM), "--trials", trials_of(study), "--seed", seed)

    def run():
        in_turn = study.tune(network, label(network, "in turn", seed), *options, "--scheduler",
                             "round-robin")
        total = NetworkTotal(weights)
        records = study.records_of(in_turn)
        for record in records:
            total.add(record["task"], record.get("seconds"))
        goal = total.seconds()
        now = NetworkTotal(weights)
        gradient = study.tune_until(network, label(network, "gradient", seed),
                                    lambda task, seconds: now.add(task, seconds) <= goal, *options,
                                    "--scheduler", "gradient")
        reached = first_reaching(study.records_of(gradient), weights, goal)
        return reached[0] / len(records) if reached else None

    return study.once(label(network, "share", seed), run)


def replayed(study, network):
    """Shares of round-robin's trials, replayed from a random session: of the plan that knows all
    programs in advance, and of our scheduler."""

    def run():
        trials = trials_of(study)
        file = study.tune(network, label(network, "random"), *RANDOM, "--scheduler", "round-robin",
                          "--trials", trials)
        seeds = ",".join(str(seed) for seed in range(1, REPLAYS + 1))
        found = study.bench("scheduler", "--replay", file, "--network", network, "--trials",
                            trials, "--seeds", seeds)
        plan = found["informed_plan"]
        return plan["trials"] / plan["round_robin_trials"], found["median_share"]

    return study.once(label(network, "replayed"), run)


def findings(study):
    seeds = list(range(study.sized(3, 1)))
    shares = {network: [] for network in NETWORKS}
    for seed in study.in_time(seeds):
        for network in NETWORKS:
            shares[network].append(share_of(study, network, seed))
    all_of = [share for of_network in shares.values() for share in of_network]
    found = [
        Finding("share of round-robin's trials, geometric mean",
                interval([share or 1.0 for share in all_of], geometric_mean), bound=0.75,
                at_least=False, interval_bound=1),
        Finding("as good only after more trials than round-robin", exactly(all_of.count(None))),
        Finding("seeds of each network", exactly(len(all_of) // len(NETWORKS))),
    ]
    for network, of_network in shares.items():
        bound, replay = replayed(study, network)
        found += [
            Finding(f"{network}: share",
                    interval([share or 1.0 for share in of_network], geometric_mean)),
            Finding(f"{network}: a plan that knows all programs in advance", exactly(bound)),
        ]
        if replay:
            found.append(Finding(f"{network}: our scheduler, replayed there", exactly(replay)))
    return found
