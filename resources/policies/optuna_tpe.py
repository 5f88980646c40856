#!/usr/bin/env python3
"""A search policy that learns: optuna's tree-structured Parzen estimator.

    pip install optuna
    nestwright tune matmul:m=512,n=512,k=512 --policy "exec:python3 resources/policies/optuna_tpe.py"

The messages are explained in resources/handbook/policies.md.
"""
import json
import math
import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


def suggest_tiles(trial, name, decision):
    """The parts from the innermost outwards, each a share of the divisors that are left."""
    parts = list(decision["parts"])
    left = decision["extent"]
    for part in parts:
        left //= part or 1
    open_parts = [i for i, part in enumerate(parts) if part is None]
    for i in reversed(open_parts[1:]):
        choices = divisors(left)
        if i == len(parts) - 1 and "innermost_at_most" in decision:
            choices = [d for d in choices if d <= decision["innermost_at_most"]]
        share = trial.suggest_float(f"{name} part {i}", 0, 1)
        parts[i] = choices[min(int(share * len(choices)), len(choices) - 1)]
        left //= parts[i]
    parts[open_parts[0]] = left
    return parts


def suggest(trial, sketches):
    number = trial.suggest_categorical("sketch", list(range(len(sketches))))
    decisions = {}
    for decision in sketches[number]["decisions"]:
        name = f"sketch {number}: {decision['name']}"
        if decision["kind"] == "tile size":
            decisions[decision["name"]] = suggest_tiles(trial, name, decision)
        elif decision["kind"] in ("unroll", "compute location"):
            decisions[decision["name"]] = trial.suggest_categorical(name, decision["values"])
    return {"sketch": number, "decisions": decisions, "label": f"optuna trial {trial.number}"}


def say(message):
    print(json.dumps(message), flush=True)


waiting = {}  # label: trial, until its time is known
asked = []  # trials of the last answer, in its order
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sketches = message["sketches"]
        sampler = optuna.samplers.TPESampler(seed=message["seed"] % 2**32, constant_liar=True)
        study = optuna.create_study(sampler=sampler)
        say({"type": "hello", "protocol": 1, "name": "optuna TPE"})
    elif message["type"] == "ask":
        for problem in message["problems"]:
            if problem["candidate"] < len(asked):
                trial = asked[problem["candidate"]]
                if waiting.pop(f"optuna trial {trial.number}", None):
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
        asked = [study.ask() for _ in range(message["count"])]
        candidates = [suggest(trial, sketches) for trial in asked]
        waiting.update((c["label"], trial) for c, trial in zip(candidates, asked))
        say({"type": "candidates", "candidates": candidates})
    elif message["type"] == "tell":
        for result in message["results"]:
            trial = waiting.pop(result.get("label"), None)
            if trial and result["seconds"]:
                study.tell(trial, math.log(result["seconds"]))
            elif trial:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
    elif message["type"] == "bye":
        break
