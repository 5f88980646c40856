"""A policy that does what no policy should; its argument says what."""
import json
import os
import signal
import subprocess
import sys
import time

mode = sys.argv[1]


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def raw(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.flush()


def candidates(*those):
    say({"type": "candidates", "candidates": list(those)})


def greet():
    if mode == "ends at once":
        sys.exit(3)
    if mode == "cannot import":
        import no_such_module  # noqa: F401
    if mode == "never greets":
        time.sleep(60)
    if mode == "greets with garbage":
        return raw("Welcome to my policy!\n")
    if mode == "other protocol":
        return say({"type": "hello", "protocol": 7, "name": "of tomorrow"})
    if mode == "no protocol":
        return say({"type": "hello", "name": "of yesterday"})
    if mode == "no name":
        return say({"type": "hello", "protocol": 1})
    if mode == "greets twice":
        say({"type": "hello", "protocol": 1, "name": "twice"})
    if mode == "floods in advance":
        say({"type": "hello", "protocol": 1, "name": "flood"})
        while True:
            raw("0\n" * 4096)
    say({"type": "hello", "protocol": 1, "name": "misbehaving"})


def answer(count):
    if mode == "never answers":
        time.sleep(60)
    elif mode == "reads nothing more":
        time.sleep(60)
    elif mode == "garbage":
        raw("thinking...\n")
    elif mode == "binary garbage":
        raw(b"\xff\xfe\x00\x01\x80\n")
    elif mode == "a list":
        raw("[1, 2, 3]\n")
    elif mode == "of another type":
        say({"type": "tell", "results": []})
    elif mode == "without a list":
        say({"type": "candidates", "candidates": 5})
    elif mode == "nested deeply":
        raw('{"type": "candidates", "candidates": ' + "[" * 200000 + "]" * 200000 + "}\n")
    elif mode == "floods":
        while True:
            raw("x" * 65536)
    elif mode == "floods standard error":
        sys.stderr.write("so many words\n" * 500000 + "the last words\n")
        candidates(*[{"sketch": 0}] * count)
    elif mode == "leaves all open":
        candidates(*[{"sketch": 0}] * count)
    elif mode == "closes standard output":
        os.close(1)
        time.sleep(60)
    elif mode == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "raises":
        raise RuntimeError("no idea what to propose")
    elif mode == "ends in a line":
        raw('{"type": "candidates", "cand')
        sys.exit(0)
    elif mode == "leaves a child":
        subprocess.Popen(["sleep", "60"])
        os._exit(0)
    elif mode == "the same for ever":
        candidates(*[{"sketch": 0, "decisions": same}] * count)
    elif mode == "stays":
        candidates(*[{"sketch": 0}] * count)
    elif mode == "nothing":
        candidates()
    elif mode == "far too many":
        candidates(*[{"sketch": 0}] * 20000)
    elif mode == "unknown sketch":
        candidates(*[{"sketch": 99}] * count)
    elif mode == "unknown decision":
        candidates(*[{"sketch": 0, "decisions": {"colour of C": 3}}] * count)
    elif mode == "impossible tiles":
        candidates(*[{"sketch": 0, "decisions": {tiles["name"]: [7] * len(tiles["parts"])}}] * count)
    elif mode == "negative tiles":
        parts = [1] * (len(tiles["parts"]) - 2) + [-1, -tiles["extent"]]
        candidates(*[{"sketch": 0, "decisions": {tiles["name"]: parts}}] * count)
    elif mode == "wrong types":
        candidates("a", 1, None, {"sketch": "first"}, {"sketch": 0, "decisions": [1]},
                   {"sketch": 0, "decisions": {"a": 0.5}}, {"label": 3}, {"steps": "SP"})
    elif mode == "illegal steps":
        candidates({"steps": [["SP", 99, 99, 512, [1], 1]]}, {"steps": [["XX"]]},
                   {"steps": [["AN", 0, 0, 2]] * 5000}, {"steps": [["AN", 2, 0, 99]]})


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        tiles = next(d for d in message["sketches"][0]["decisions"] if d["kind"] == "tile size")
        same = {d["name"]: [d["extent"]] + [1] * (len(d["parts"]) - 1) if d["kind"] == "tile size" else d["values"][0]
                for d in message["sketches"][0]["decisions"]}
        greet()
    elif message["type"] == "ask":
        answer(message["count"])
    elif message["type"] == "bye" and mode == "stays":
        time.sleep(60)
