"""A policy whose every draw depends on all that it has heard. "fickle": on the process, too.
"writes FILE": it keeps the types of what it hears."""
import hashlib
import json
import os
import random
import sys

heard = hashlib.sha256()
if "fickle" in sys.argv:
    heard.update(os.urandom(16))
types = open(sys.argv[2], "w") if "writes" in sys.argv else None

for line in sys.stdin:
    heard.update(line.encode())
    message = json.loads(line)
    if types:
        types.write(message["type"] + " ")
        types.flush()
    if message["type"] == "hello":
        sketches = message["sketches"]
        print(json.dumps({"type": "hello", "protocol": 1, "name": "listening"}), flush=True)
    elif message["type"] == "ask":
        rng = random.Random(heard.hexdigest())
        candidates = []
        for i in range(message["count"]):
            sketch = rng.choice(sketches)
            decisions = {}
            for decision in sketch["decisions"]:
                if decision["kind"] == "tile size":
                    parts = [part or 1 for part in decision["parts"]]
                    left = decision["extent"]
                    for part in parts:
                        left //= part
                    at = rng.choice([i for i, part in enumerate(decision["parts"]) if part is None])
                    while left > 1 and left % 2 == 0:
                        parts[at] *= 2
                        left //= 2
                        at = rng.choice([i for i, part in enumerate(decision["parts"]) if part is None])
                    parts[decision["parts"].index(None)] *= left
                    decisions[decision["name"]] = parts
                else:
                    decisions[decision["name"]] = rng.choice(decision["values"])
            candidates.append({"sketch": sketch["sketch"], "decisions": decisions, "label": f"number {i}"})
        print(json.dumps({"type": "candidates", "candidates": candidates}), flush=True)
    elif message["type"] == "bye":
        break
