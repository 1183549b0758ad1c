"""The server is killed in the middle, the receiver is down and fails: no event is lost, none is in the journal twice.

VICINITY_PROGRAM=.build/release/vicinity python3 Examples/EventServer/test_server.py
"""

import gzip
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.path.abspath(os.environ.get("VICINITY_PROGRAM", "vicinity"))
RIDE = HERE.parents[1] / "Data/rides/activity_4801048867.gpx.gz"


def fixes_of_the_ride():
    """Every fifth fix of a real ride, as lines of CSV, for two devices by turns."""
    with gzip.open(RIDE, "rt") as file:
        text = file.read()
    found = re.findall(r'<trkpt lat="([^"]*)" lon="([^"]*)">.*?<time>([^<]*)</time>', text, re.DOTALL)
    return [
        f"{device},{when},{float(latitude):.7f},{float(longitude):.7f}\n".encode()
        for latitude, longitude, when in found[::5]
        for device in ("bicycle", "trailer")
    ]


class Service:
    """A script of this folder in a process of its own, and what it printed first."""

    def __init__(self, script, *arguments, listens=False):
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":")[-1]) if listens else None

    def end(self, how=None):
        """Wait for its end, having sent it a signal if one is given; give its exit status."""
        if how is not None:
            self.process.send_signal(how)
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


def send(port, lines):
    """Send fixes, and count those that are kept."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        writer = threading.Thread(
            target=lambda: (connection.sendall(b"".join(lines)), connection.shutdown(socket.SHUT_WR))
        )
        writer.start()
        count = sum(answer == b"ok\n" for answer in connection.makefile("rb"))
        writer.join()
    return count


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes two requests of three; the third it refuses, or takes without an answer."""

    def do_POST(self):
        """One event."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests += 1
        if self.server.requests % 6 == 3:
            return self.answer(503)
        key = int(self.headers["Idempotency-Key"])
        if key not in self.server.taken:
            self.server.taken[key] = json.loads(body)
        if self.server.requests % 6 == 0:
            return self.connection.close()  # The sender cannot know that the event was taken.
        return self.answer(204)

    def answer(self, status):
        """Answer without a body."""
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        """Print nothing."""


class EventServerTests(unittest.TestCase):
    """The server and the sender of webhooks."""

    @classmethod
    def setUpClass(cls):
        """Make regions, and the events as one run over all fixes lists them."""
        cls.folder = tempfile.TemporaryDirectory()
        folder = cls.path = pathlib.Path(cls.folder.name)
        cls.regions = folder / "regions.csv"
        made = ["--count", "400", "--around", "52.14,6.65", "--spread", "9", "--seed", "1", "--output", cls.regions]
        subprocess.run([PROGRAM, "generate", "regions", *made], check=True, stderr=subprocess.DEVNULL)
        cls.fixes = fixes_of_the_ride()
        (folder / "all.csv").write_bytes(b"device,time,latitude,longitude\n" + b"".join(cls.fixes))
        asked = ["events", cls.regions, "--tracks", folder / "all.csv", "--format", "ndjson"]
        done = subprocess.run([PROGRAM, *asked], check=True, capture_output=True)
        cls.expected = [json.loads(line) for line in done.stdout.splitlines()]

    @classmethod
    def tearDownClass(cls):
        """Remove the files."""
        cls.folder.cleanup()

    def order(self, events):
        """Bring events into the order of the command line: by time, device and region."""
        return sorted(events, key=lambda event: (event["time"], event["device"], event["region"]))

    def test_1_killed_in_the_middle(self):
        """A crash, a client that sends the last fixes again, a clean end."""
        self.assertGreater(len(self.expected), 20)
        data = self.path / "data"
        arguments = (self.regions, data, "--port", "0", "--program", PROGRAM)
        half = len(self.fixes) // 2
        server = Service("server.py", *arguments, listens=True)
        self.assertEqual(send(server.port, self.fixes[:half]), half)
        server.end(signal.SIGKILL)
        with (data / "fixes.csv").open("ab") as torn:
            torn.write(b"bicycle,2020-04-18T1")  # What a crash may leave.
        server = Service("server.py", *arguments, listens=True)
        self.assertEqual(send(server.port, self.fixes[half - 10 :]), len(self.fixes) - half + 10)
        self.assertEqual(server.end(signal.SIGTERM), 0)
        journal = [json.loads(line) for line in (data / "events.ndjson").read_text().splitlines()]
        self.assertEqual(self.order(journal), self.order(self.expected))

    def test_2_receiver_down_and_failing(self):
        """The receiver is not there, then it fails now and then; the sender is killed, too."""
        journal = self.path / "data/events.ndjson"
        receiver = http.server.HTTPServer(("127.0.0.1", 0), Receiver, bind_and_activate=False)
        receiver.requests, receiver.taken = 0, {}
        receiver.server_bind()  # The address is taken, and nobody listens there.
        arguments = (journal, f"http://127.0.0.1:{receiver.server_port}/hook", "--wait", "0.02")
        sender = Service("webhooks.py", *arguments)
        time.sleep(0.5)
        self.assertEqual((receiver.taken, sender.process.poll()), ({}, None))
        receiver.server_activate()
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        while len(receiver.taken) < len(self.expected) // 2:
            time.sleep(0.01)
        sender.end(signal.SIGKILL)
        self.assertEqual(Service("webhooks.py", *arguments, "--once").end(), 0)
        receiver.shutdown()
        thread.join()
        receiver.server_close()
        # In the journal's order, each once.
        self.assertGreater(receiver.requests, len(self.expected))
        wanted = [json.loads(line) for line in journal.read_text().splitlines()]
        self.assertEqual(list(receiver.taken.values()), wanted)


if __name__ == "__main__":
    unittest.main()
