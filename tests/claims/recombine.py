"""What random combinations of each task's fastest programs gain end to end (TenSet's Fig. 7).

Networks are tuned, and combinations measured: the confirmed gain over the programs that are fastest
alone. Beside it what luck brings: the fastest of as many measurements of these, over their median.
"""

import statistics

from figures import Finding, Interval, exactly
from study import label

NETWORKS = ["resnet18", "mobilenet_v2", "bert_tiny"]


def recombined(study, network):
    samples = study.sized(80, 12)

    def run():
        file = study.tune(network, label(network), "--method", "ansor", "--trials", study.sized(600, 60),
                          "--seed", 1, "--check-share", 0)
        said = study.json("recombine", network, "--db", file, "--samples", samples, "--seed", 1,
                          "--baseline-every", 1)
        bests = [one["median_seconds"] for one in said["samples"] if one["baseline"] and one["median_seconds"]]
        return {"gain": said["gain"], "luck": statistics.median(bests) / min(bests), "bests": len(bests)}

    return study.once(label(network, "recombined"), run)


def findings(study):
    lines = []
    for network in study.in_time(study.sized(NETWORKS, NETWORKS[:1])):
        found = recombined(study, network)
        gain = found["gain"]
        lines.append(Finding(f"{network}: confirmed gain", exactly(1.0) if gain is None
                             else Interval(gain["ratio"], gain["low"], gain["high"])))
        lines.append(Finding(f"{network}: gain of luck, of {found['bests']} repetitions",
                             exactly(found["luck"])))
    return lines
