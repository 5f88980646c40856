"""Whether programs of a space differ enough for search methods to be told apart.

Random programs of twelve operators under both lowerings, relative to the best program known of the
same operator and lowering. The plain lowering is to leave room: its median program reaches at most
0.35 of the best, and the best of sixteen at most 0.9, for at least eight operators. The interval is
that of other operators, drawn from these.
"""

import random
import statistics

from figures import Finding, exactly, interval

OPERATORS = [
    "matmul:m=512,n=512,k=512",
    "matmul:m=128,n=3072,k=768",
    "batch_matmul:b=12,m=128,n=128,k=64",
    "conv1d:n=1,l=256,ci=64,co=128,k=3,s=2,p=1",
    "conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1",
    "conv2d:n=1,h=56,w=56,ci=64,co=256,k=1,s=1,p=0,bias=1,relu=1",
    "conv3d:n=1,d=8,h=14,w=14,ci=32,co=64,k=3,s=1,p=1",
    "depthwise_conv2d:n=1,h=56,w=56,c=64,k=3,s=1,p=1",
    "grouped_conv2d:n=1,h=28,w=28,ci=64,co=64,k=3,s=1,p=1,g=4",
    "dilated_conv2d:n=1,h=28,w=28,ci=64,co=64,k=3,s=1,p=2",
    "transposed_conv2d:n=1,h=8,w=8,ci=128,co=64,k=4,s=2,p=1",
    "softmax:m=512,n=1000",
]
RULES = ("--rules", "paper", "--threads", 1)
SUBSETS = 400


def best_of(count, times):
    """The expected fastest of so many programs, drawn from those that were measured."""
    draw = random.Random(1)
    count = min(count, len(times))
    return statistics.fmean(min(draw.sample(times, count)) for _ in range(SUBSETS))


def measured(study, operator, lowering):
    key = f"{operator.translate(str.maketrans(':,=', '___'))}-{lowering}"
    trials = study.sized(200, 40)

    def tune():
        times = {}
        for policy in ("random", "evolutionary"):
            file = study.tune(operator, f"{key}-{policy}", "--lowering", lowering, *RULES, "--policy",
                              policy, "--trials", trials, "--check-share", 0)
            times[policy] = [time for time in study.seconds(file) if time]
        return times

    times = study.once(key, tune)
    best = min(times["random"] + times["evolutionary"])
    drawn = times["random"]
    return {
        "median": best / statistics.median(drawn),
        "best of 16": best / best_of(16, drawn),
        "best of 64": best / best_of(64, drawn),
    }


def findings(study):
    shares = {
        lowering: {operator: measured(study, operator, lowering) for operator in OPERATORS}
        for lowering in ("full", "plain")
    }
    found = []
    for lowering, of_operator in shares.items():
        for operator, share in of_operator.items():
            for what, value in share.items():
                found.append(Finding(f"{lowering}: {operator.split(',k=')[0]}: {what}", exactly(value)))
        for what in ("median", "best of 16", "best of 64"):
            found.append(Finding(f"{lowering}: {what}, of the operators",
                                 interval([share[what] for share in of_operator.values()])))
    roomy = [share["median"] <= 0.35 and share["best of 16"] <= 0.9
             for share in shares["plain"].values()]
    found.append(Finding("plain: operators with room for a search", interval(roomy, sum), bound=8))
    return found
