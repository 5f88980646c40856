#!/usr/bin/env python3
"""A search policy of one's own that draws all decisions at random: the least that one has to do.

    nestwright tune matmul:m=512,n=512,k=512 --policy "exec:python3 resources/policies/random_policy.py"

The messages are explained in resources/handbook/policies.md. Only the standard library is used.
"""
import json
import random
import sys


def prime_factors(number):
    factor = 2
    while factor * factor <= number:
        while number % factor == 0:
            yield factor
            number //= factor
        factor += 1
    if number > 1:
        yield number


def draw_tiles(decision, rng):
    """Sizes of all parts, outermost first: the loop's prime factors are dealt out to the open ones."""
    given = decision["parts"]  # null where a part is open
    left = decision["extent"]
    for part in given:
        left //= part or 1
    open_parts = [i for i, part in enumerate(given) if part is None]
    most = decision.get("innermost_at_most", decision["extent"])
    while True:
        parts = [part or 1 for part in given]
        for factor in prime_factors(left):
            parts[rng.choice(open_parts)] *= factor
        if parts[-1] <= most:
            return parts


def draw(sketches, rng):
    sketch = rng.choice(sketches)
    decisions = {}
    for decision in sketch["decisions"]:
        if decision["kind"] == "tile size":
            decisions[decision["name"]] = draw_tiles(decision, rng)
        elif decision["kind"] in ("unroll", "compute location"):
            decisions[decision["name"]] = rng.choice(decision["values"])
        # What is left out, as the parallel loops and the vectors here, is decided as always.
    return {"sketch": sketch["sketch"], "decisions": decisions}


def say(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sketches, rng = message["sketches"], random.Random(message["seed"])
        say({"type": "hello", "protocol": 1, "name": "random example"})
    elif message["type"] == "ask":
        say({"type": "candidates", "candidates": [draw(sketches, rng) for _ in range(message["count"])]})
    elif message["type"] == "bye":
        break
    # "tell", which has the times of what was measured, is of no interest to one that does not learn.
