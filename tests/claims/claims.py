#!/usr/bin/env python3
"""Checks what we claim of search methods and cost models, on this machine.

    packaging/dev claims                      all of them
    packaging/dev claims room order --quick   these, smaller: ten minutes each at most
    packaging/dev claims tuners --json figures.json
    packaging/dev claims tlp --db big.nwdb    on other records: a day of machine time

Each prints its figures with 95 % bootstrap intervals, and for a claim whether they show it, do not
show it, or contradict it. A claim that was interrupted goes on where it was; --anew begins again.
"""

import argparse
import importlib
import json
import pathlib
import platform
import shutil
import sys
import time
import traceback

from study import SOURCE, Study

CLAIMS = ["room", "order", "tuners", "sweep", "evaluator", "adatune", "transfer", "ansor-templates",
          "scheduler", "ablation", "data", "metrics", "losses", "size", "pretrained", "base-transfer", "tlp",
          "mtl", "recombine", "treegru", "warm", "polish", "draft"]


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CLAIMS)}; none: all")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="size", action="store_const", const="-quick", default="",
                      help="smaller: ten minutes each at most")
    size.add_argument("--third", dest="size", action="store_const", const="-third",
                      help="the claims about learned models, from a third of each task's programs")
    parser.add_argument("--anew", action="store_true", help="forget what an earlier run of these claims measured; the recordings "
                        "of whole spaces are the claim sweep's")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    parser.add_argument("--program", default=str(SOURCE / "build/release/bin/nestwright"))
    parser.add_argument("--folder", default=str(SOURCE / "build/claims"), help="for what is measured")
    parser.add_argument("--records", default=str(SOURCE / "build/records"),
                        help="folder with public records, which some of them are about")
    parser.add_argument("--db", metavar="FILE", help="for tlp: learn from these records of one target, and be tested "
                        "on those of zoo_test among them")
    given = parser.parse_args(words)
    unknown = [name for name in given.names if name not in CLAIMS]
    if unknown:
        parser.error(f"there is no claim {', '.join(unknown)}; there are {', '.join(CLAIMS)}")
    if given.db and given.names != ["tlp"]:
        parser.error("--db goes with the claim tlp alone")
    return given


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def check(name, given):
    claim = importlib.import_module(name.replace("-", "_"))
    print(f"{name}: {claim.__doc__.splitlines()[0]}", flush=True)
    of_records = f"-{pathlib.Path(given.db).stem}" if given.db else ""
    folder = pathlib.Path(given.folder) / f"{name}{of_records}{given.size}"
    if given.anew:
        shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    found = claim.findings(Study(given.program, folder, given.records, given.size, given.db))
    for finding in found:
        print(f"  {finding.line()}")
    minutes = (time.monotonic() - start) / 60
    print(f"  {minutes:.1f} minutes in this run{given.size.replace('-', ', ')}\n", flush=True)
    return {"minutes": minutes, "findings": [finding.json() for finding in found]}


def main(words=None):
    given = arguments(words)
    results = []
    for name in given.names or CLAIMS:
        result = {"claim": name, "quick": given.size == "-quick", "third": given.size == "-third"}
        try:
            result |= check(name, given)
        except Exception as error:  # whatever is wrong with one, the others are checked
            traceback.print_exc()
            result["error"] = f"{type(error).__name__}: {error}"
        results.append(result)
        if given.json:  # after each: they take hours
            document = {"processor": processor(), "claims": results}
            pathlib.Path(given.json).write_text(json.dumps(document, indent=2) + "\n")
    return 1 if any("error" in result for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
