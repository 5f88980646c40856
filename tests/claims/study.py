"""What every claim is given: the built program, a folder of its own, and a memory of what is done."""

import ctypes
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 100 * 60  # of a claim
QUICK_LIMIT_SECONDS = 10 * 60

_libc = ctypes.CDLL(None)


def _end_with_parent():
    """A session whose study was killed would go on, and the next study find its file in use."""
    PR_SET_PDEATHSIG = 1
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def label(*parts):
    """A name for a file that all of it fits."""
    return "-".join(str(part) for part in parts).translate(str.maketrans(" :,=#", "_____"))


class Study:
    """Runs the program for one claim. What once() computed is kept in the folder, so that a study
    that was interrupted goes on where it was."""

    def __init__(self, program, folder, records, size="", db=None):
        self.program = str(program)
        self.records = pathlib.Path(records)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.size = size  # "", "-third" or "-quick": how the folders of a study end
        self.quick = size == "-quick"
        self.db = db  # records in place of the claim's own
        self.start = time.monotonic()

    def sized(self, whole, quick):
        return quick if self.quick else whole

    def share(self, programs):
        """Of the programs of a task that the claims about learned models are made from."""
        return round(programs / 3) if self.size == "-third" else programs

    def in_time(self, things):
        """Those of the things that there is time for: the first, and each while the longest of those
        before would still end in time. Another run of the study goes on with the others."""
        limit = self.sized(LIMIT_SECONDS, QUICK_LIMIT_SECONDS)
        longest = 0
        for number, thing in enumerate(things):
            begin = time.monotonic()
            if number and begin - self.start + longest > limit:
                print("  time is over: another run goes on from here", flush=True)
                return
            yield thing
            longest = max(longest, time.monotonic() - begin)

    def once(self, key, compute):
        file = self.folder / f"{key}.json"
        if file.exists():
            return json.loads(file.read_text())
        print(f"  {key}", flush=True)
        result = compute()
        partly = file.with_suffix(".partly")
        partly.write_text(json.dumps(result))
        partly.rename(file)
        return result

    def run(self, *arguments):
        """Standard output. An exit code other than 0 ends the study, with what the program said."""
        return self._output(self.program, arguments)

    @staticmethod
    def _output(program, arguments):
        done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True,
                              preexec_fn=_end_with_parent)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def run_session(self, *arguments):
        """One that is paused, as by Ctrl+C, ends the study: it is not complete."""
        if self.json("tune", *arguments)["status"] == "paused":
            raise RuntimeError("a session was paused: the same command goes on with it")

    def bench(self, name, *arguments):
        """What a benchmark of the program beside this one writes with --json."""
        program = pathlib.Path(self.program).parents[1] / "tests/bench/bench"
        if not program.exists():
            raise RuntimeError(f"there is no {program}: packaging/dev claims builds it")
        with tempfile.NamedTemporaryFile() as file:
            self._output(program, [name, *arguments, "--json", file.name])
            return json.loads(pathlib.Path(file.name).read_text())

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def file(self, name):
        return self.folder / f"{name}.nwdb"

    def public_records(self, name):
        """Files of public records, which do not come with the program: a file, or those of a folder."""
        place = self.records / name
        files = [place] if place.is_file() else sorted(place.glob("*.records.json"))
        if not files:
            raise RuntimeError(f"there are no public records at {place}: give their folder with --records")
        return files

    def tune(self, subject, name, *options):
        """The record file of a session that this ends or goes on with."""
        file = self.file(name)
        again = ["--resume"] if file.exists() else []
        self.run_session(subject, "--db", file, *options, *again)
        return file

    def tune_until(self, subject, name, reached, *options):
        """As tune(), but the session ends as soon as reached(task, seconds) is true of one of its
        programs; None are the seconds of one that failed."""

        def holds(event):
            return event["event"] == "measured" and reached(
                event["task"], event["seconds"] if event["verdict"] == "ok" else None)

        file = self.file(name)
        if file.exists() and any(reached(record["task"], record.get("seconds")) for record in self.records_of(file)):
            return file
        return self._tune_until(subject, file, holds, options)

    def tune_to_total(self, subject, name, goal, *options):
        """As tune(), but the session ends as soon as its weighted total is this or less, of bests that
        are no claims (C31)."""

        def holds(event):
            return event["event"] == "new best" and event["total"] is not None and event["total"] <= goal

        file = self.file(name)
        if file.exists() and any(total["seconds"] <= goal for total in self.totals_of(file)):
            return file
        return self._tune_until(subject, file, holds, options)

    def _tune_until(self, subject, file, holds, options):
        again = ["--resume"] if file.exists() else []
        arguments = ["tune", subject, "--db", file, *options, "--events", *again]
        with tempfile.TemporaryFile("w+") as said, subprocess.Popen(
                [self.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=said, text=True,
                preexec_fn=_end_with_parent) as session:
            is_reached = False
            for line in session.stdout:
                if not is_reached and holds(json.loads(line)):
                    is_reached = True
                    session.send_signal(signal.SIGINT)
            if session.wait() != 0:
                said.seek(0)
                raise RuntimeError(f"{' '.join(map(str, arguments))}: {said.read().strip()}")
        return file

    def totals_of(self, file):
        """Of each improvement of the weighted total of the file's newest session its seconds, trial and
        wall_seconds, from when each task had a best."""
        return [total for total in self.json("session", "curves", "--db", file)["total"] if total["complete"]]

    def measured_again(self, file, session, program, *options):
        """Seconds of a program of a session of the file, measured once more."""
        made = self.json("measure", "--db", file, "--session", session, "--filter", f"program:{program}",
                         "--limit", 1, "--check", 0, "--anew", *options)
        lines = self.run("query", "--db", file, "--session", made["session"], "--limit", 1, "--lines")
        return json.loads(lines)["seconds"]

    def in_turns(self, programs, rounds, *options):
        """Of each round the seconds of the programs, (file, session, program) each, one after the other:
        what changes of the machine is the same for all. The files stay as they are."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copies = {file: pathlib.Path(folder) / f"turns-{number}.nwdb"
                      for number, file in enumerate({file for file, _, _ in programs})}
            for file, copy in copies.items():
                shutil.copy(file, copy)
            return [[self.measured_again(copies[file], session, program, *options)
                     for file, session, program in programs]
                    for _ in range(rounds)]

    def records_of(self, file, *which):
        """The file's records, or these of them, in the order in which they were measured."""
        lines = self.run("query", "--db", file, "--order", "oldest", "--limit", 0, "--lines", *which)
        return [json.loads(line) for line in lines.splitlines()]

    def course(self, file):
        """Of each record its time and the session's clock at its end, in seconds."""
        return [[record.get("seconds"), record["wall_seconds"]] for record in self.records_of(file)]

    def seconds(self, file):
        """Of each record; None where it failed."""
        return [record.get("seconds") for record in self.records_of(file)]
