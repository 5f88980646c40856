"""What every claim is given: the built program, a folder of its own, and a memory of what is done."""

import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Study:
    """Runs the program for one claim. What once() computed is kept in the folder, so that a study
    that was interrupted goes on where it was."""

    def __init__(self, program, folder, records, quick):
        self.program = str(program)
        self.records = pathlib.Path(records)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.quick = quick

    def sized(self, whole, quick):
        return quick if self.quick else whole

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
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

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
        self.run("tune", subject, "--db", file, *options, *again)
        return file

    def records_of(self, file):
        """The file's records, in the order in which they were measured."""
        lines = self.run("query", "--db", file, "--order", "oldest", "--limit", 0, "--lines")
        return [json.loads(line) for line in lines.splitlines()]

    def seconds(self, file):
        """Of each record; None where it failed."""
        return [record.get("seconds") for record in self.records_of(file)]
