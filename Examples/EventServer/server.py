"""A server that follows a stream: fixes come in at a socket, every entry and exit goes to a journal.

    python3 server.py REGIONS FOLDER [--port 7007] [--host 127.0.0.1] [--program vicinity]

A client sends lines "device,time,latitude,longitude" and gets "ok" for each one that is kept. What has no "ok" it sends again;
a fix that comes twice counts once. FOLDER/fixes.csv keeps the fixes, FOLDER/events.ndjson the events, a line of JSON each.

Started again, even after a crash, it gives all fixes kept to the program once more. The same fixes make the same events, so the
events that are in the journal come first, and are passed over: none is lost, none is written twice. A day's folder is enough for
most uses; the next day's begins with the last fix of each device.
"""

import argparse
import os
import pathlib
import signal
import socketserver
import subprocess
import threading


def whole_lines(path):
    """Open a file to append to, without the half line that a crash may have left; give it, and its lines."""
    path.touch()
    file = path.open("r+b")
    text = file.read()
    end = text.rfind(b"\n") + 1
    file.truncate(end)
    file.seek(end)
    return file, text[:end].splitlines(keepends=True)


def keep(file, line):
    """Write a line that outlives a crash of the machine."""
    file.write(line)
    file.flush()
    os.fsync(file.fileno())


class Follower:
    """The program, and the two files beside it."""

    def __init__(self, program, regions, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.fixes, known_fixes = whole_lines(folder / "fixes.csv")
        self.events, known_events = whole_lines(folder / "events.ndjson")
        self.lock = threading.Lock()
        self.ends = False
        command = [program, "events", regions, "--tracks", "-", "--follow", "--format", "ndjson"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.journal = threading.Thread(target=self.write_events, args=(len(known_events),))
        self.journal.start()
        self.process.stdin.write(b"device,time,latitude,longitude\n" + b"".join(known_fixes))
        self.process.stdin.flush()

    def write_events(self, known):
        """Write the events as they come, but for the first so many, which the journal has."""
        for line in self.process.stdout:
            if known > 0:
                known -= 1
            else:
                keep(self.events, line)
        if not self.ends:
            os._exit(1)  # The program has died. Whatever starts this server starts it again.

    def accept(self, line):
        """Keep a fix, then follow it."""
        with self.lock:
            keep(self.fixes, line)
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def close(self):
        """Wait until the last event is written."""
        with self.lock:
            self.ends = True
            self.process.stdin.close()
            self.process.wait()
            self.journal.join()


class Connection(socketserver.StreamRequestHandler):
    """One client."""

    def handle(self):
        for line in self.rfile:
            if not line.endswith(b"\n"):
                break  # The connection broke off within a line.
            if line.strip():
                self.server.follower.accept(line)
            self.wfile.write(b"ok\n")


class Server(socketserver.ThreadingTCPServer):
    """All clients, a thread each."""

    allow_reuse_address = True
    daemon_threads = True


def main():
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("regions")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7007)
    parser.add_argument("--program", default="vicinity")
    options = parser.parse_args()
    with Server((options.host, options.port), Connection) as server:
        server.follower = Follower(options.program, options.regions, options.folder)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: threading.Thread(target=server.shutdown).start())
        print("listening on {}:{}".format(*server.server_address), flush=True)
        server.serve_forever()
        server.follower.close()


if __name__ == "__main__":
    main()
