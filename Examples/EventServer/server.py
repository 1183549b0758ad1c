"""A server that follows a stream: fixes come in at a socket, every entry and exit goes to a journal.

    python3 server.py REGIONS FOLDER [--port 7007] [--host 127.0.0.1] [--program vicinity]

A client sends lines "device,time,latitude,longitude". Each line is answered: "ok" when it is on disk, "error: ..." when it is
not, because it has not these four fields or the disk is full. What has no "ok" the client sends again; a fix that comes twice
counts once. FOLDER/fixes.csv keeps the lines, FOLDER/events.ndjson the events, a line of JSON each. The program skips a line
with a wrong time or place, and names it on standard error. Events that find the disk full wait until there is room.

Started again, even after a crash, it gives all fixes kept to the program once more, and writes the events that the journal
does not have: none is lost, none is written twice. A day's folder is enough for most uses; the next day's begins with the
last fix of each device.

SIGTERM ends it within ten seconds, with status 0, or 1 if events are left for the next start to write. If the program dies,
the server ends with status 1: have something start it again.
"""

import argparse
import collections
import contextlib
import fcntl
import io
import os
import pathlib
import re
import signal
import socketserver
import sys
import threading
from subprocess import PIPE, Popen

LONGEST_LINE = 4096  # bytes; a fix needs less than 200
MOST_CLIENTS = 200
IDLE = 600  # seconds until a client that sends nothing, or does not read its answers, is disconnected

FIELD = r'(?:"(?:[^"]|"")*"|[^",][^,]*)'
FIX = re.compile(f"{FIELD}(?:,{FIELD}){{3}}")
NOT_TEXT = re.compile(r"[\x00-\x1f\x7f\ufffd]")  # The last stands for bytes that are not UTF-8.


def say(message, stream=None):
    """Print a line, and go on where it cannot be printed, as to a log on a full disk."""
    with contextlib.suppress(OSError):
        print(message, file=stream or sys.stderr, flush=True)


def stop(reason):
    """End with status 1 at once, from any thread. The next start goes on from the files."""
    say(f"server.py: {reason}")
    os._exit(1)


def write(file, text):
    """Write all of a text to a file that has no buffer."""
    while text:
        text = text[file.write(text) :]


class Lines:
    """A file of whole lines, which outlive a crash of the machine."""

    def __init__(self, path):
        self.file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stop(f"{path} belongs to another server that runs")
        self.end = self.read().rfind(b"\n") + 1
        self.cut()

    def read(self):
        self.file.seek(0)
        return self.file.read()

    def cut(self):
        """Remove the part of a line that a crash or a full disk may have left."""
        self.file.truncate(self.end)

    def add(self, line):
        """Write a line, or nothing of it."""
        try:
            self.cut()
            write(self.file, line)
            os.fsync(self.file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self.cut()
            raise
        self.end += len(line)


class Follower:
    """The program, and the two files beside it."""

    def __init__(self, program, regions, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.fixes, self.events = Lines(folder / "fixes.csv"), Lines(folder / "events.ndjson")
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.status = None
        # A time far ahead is judged by the fixes after it alone: by the clock, another start might judge it otherwise.
        bound = ["--not-after", "9999-12-31"]
        command = [program, "events", regions, "--tracks", "-", "--follow", *bound, "--format", "ndjson"]
        # In a session of its own, so that Ctrl-C does not end the program before the server.
        self.process = Popen(command, bufsize=0, stdin=PIPE, stdout=PIPE, start_new_session=True)
        self.journal = threading.Thread(target=self.write_events, daemon=True)
        self.journal.start()

    def follow(self, lines):
        """Give lines to the program."""
        try:
            write(self.process.stdin, lines)
        except OSError:
            stop("the program has ended")

    def accept(self, line):
        """Keep a fix, then follow it; give the answer."""
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        text = line.decode(errors="replace")
        if NOT_TEXT.search(text) or not FIX.fullmatch(text):
            return "error: the line is not device,time,latitude,longitude"
        with self.lock:
            try:
                self.fixes.add(line + b"\n")
            except OSError as error:
                return f"error: the fix cannot be kept: {error.strerror}"
            self.follow(line + b"\n")
        return "ok"

    def write_events(self):
        """Write the events as they come, but for those that the journal has."""
        known = collections.Counter(io.BytesIO(self.events.read()))
        for line in io.BufferedReader(self.process.stdout):
            if known[line] > 0:
                known[line] -= 1
            elif line.endswith(b"\n"):  # A program that is killed may leave a part of a line.
                while not self.has_written(line):
                    if self.closing.wait(1):
                        return  # The next start writes it.
        self.status = self.process.wait()
        if not self.closing.is_set():
            stop(f"the program has ended with status {self.status}")

    def has_written(self, line):
        """Write an event, if there is room."""
        try:
            self.events.add(line)
        except OSError as error:
            say(f"server.py: an event cannot be written: {error.strerror}; again in a second")
            return False
        return True

    def close(self):
        """Wait a while until the last event is written; give the status to end with."""
        self.closing.set()
        if self.lock.acquire(timeout=2):  # It is not released: no fix is accepted any more.
            self.process.stdin.close()
            self.journal.join(7)
        if self.status != 0:
            self.process.kill()
            say("server.py: some events are not written yet; the next start writes them")
        return int(self.status != 0)


class Connection(socketserver.StreamRequestHandler):
    """One client."""

    timeout = IDLE

    def handle(self):
        with contextlib.suppress(OSError):  # The client has left, or is idle.
            while line := self.rfile.readline(LONGEST_LINE):
                if line.endswith(b"\n"):
                    answer = self.server.follower.accept(line)
                elif len(line) == LONGEST_LINE:
                    answer = f"error: the line has more than {LONGEST_LINE} bytes"
                else:
                    break  # The client has left within a line.
                self.wfile.write(answer.encode() + b"\n")
                while line and not line.endswith(b"\n"):  # The rest of a line that is too long.
                    line = self.rfile.readline(LONGEST_LINE)


class Server(socketserver.ThreadingTCPServer):
    """All clients, a thread each."""

    allow_reuse_address = True
    daemon_threads = True

    def verify_request(self, *_):
        """Whether there may be one client more; if not, it is disconnected."""
        return threading.active_count() < MOST_CLIENTS


def main():
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("regions")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7007)
    parser.add_argument("--program", default="vicinity")
    options = parser.parse_args()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: sys.exit(1))  # Leaves whatever the main thread waits for.
    threading.excepthook = lambda failure: stop(repr(failure.exc_value))  # No thread dies alone.
    try:
        server = Server((options.host, options.port), Connection)
        follower = server.follower = Follower(options.program, options.regions, options.folder)
    except OSError as error:
        stop(error)
    try:
        follower.follow(b"device,time,latitude,longitude\n" + follower.fixes.read())
        say("listening on {}:{}".format(*server.server_address), sys.stdout)
        server.serve_forever()
    except SystemExit:
        os._exit(follower.close())  # Threads of clients are not waited for.


if __name__ == "__main__":
    main()
