"""Kills, full disks, long lines, redirects, slow receivers: no event is lost, and none is in the journal twice.

VICINITY_PROGRAM=.build/release/vicinity python3 Examples/EventServer/test_server.py

VICINITY_SEED=... repeats the kills and the lines of another run, which prints its seed.
"""

import argparse
import contextlib
import gzip
import http.server
import itertools
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import server as server_script
import webhooks

try:
    from resource import RLIMIT_FSIZE, prlimit
except ImportError:
    prlimit = None  # Only Linux has it.

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.path.abspath(os.environ.get("VICINITY_PROGRAM", "vicinity"))
RIDE = HERE.parents[1] / "Data/rides/activity_4801048867.gpx.gz"
HEADER = b"device,time,latitude,longitude\n"
SEED = int(os.environ.get("VICINITY_SEED") or random.randrange(1_000_000))
# Where each line need not wait for a disk: what a process has written outlives it there, too.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


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


def rings(numbers):
    """Circles around one place, as a file of regions."""
    return "id,latitude,longitude,radius\n" + "".join(f"ring {i},52,6,{1000 + i}\n" for i in numbers)


def laps(count):
    """Make fixes by turns within all rings and without: each but the first crosses them all."""
    return [f"lapper,{1_600_000_000 + 60 * i},52,{6 + 0.03 * (i % 2)}\n".encode() for i in range(count)]


def events_of(regions, fixes):
    """List the events of one run over all fixes."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as tracks:
        tracks.write(HEADER + b"".join(fixes))
        tracks.flush()
        asked = ["events", regions, "--tracks", tracks.name, "--format", "ndjson"]
        return lines_of(subprocess.run([PROGRAM, *asked], check=True, capture_output=True).stdout)


def lines_of(text):
    """Read the events of a journal, and bring them into the order of a run over all fixes."""
    events = [json.loads(line) for line in text.splitlines()]
    return sorted(events, key=lambda event: (event["time"], event["device"], event["region"]))


class Service:
    """A script of this folder in a process of its own, what it printed first, and all that it said of errors."""

    def __init__(self, test, script, *arguments, listens=False, errors=subprocess.PIPE):
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.said = ""
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        test.addCleanup(self.end, signal.SIGKILL)
        self.port = int(self.process.stdout.readline().rsplit(":")[-1] or 0) if listens else None

    def listen(self):
        """Gather what it says, so that it need not wait."""
        with self.process.stderr or contextlib.nullcontext(()) as errors:
            for line in errors:
                self.said += line

    def limit(self, size):
        """Let it write no file beyond a size, as if the disk were full; None gives it room again."""
        most = prlimit(self.process.pid, RLIMIT_FSIZE)[1]
        prlimit(self.process.pid, RLIMIT_FSIZE, (most if size is None else size, most))

    def end(self, how=None):
        """Wait for its end, having sent it a signal if one is given; give its exit status."""
        if how is not None:
            self.process.send_signal(how)
        status = self.process.wait(12)
        self.process.stdout.close()
        self.listener.join(10)  # The program has the same standard error, and may not have ended.
        return status


def answers(port, lines, limit=None, patience=20):
    """Send lines, and give the answers until the connection ends, nothing comes for a while or so many have come."""
    found = []
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), patience) as connection:

        def write():
            with contextlib.suppress(OSError):
                connection.sendall(b"".join(lines))
                connection.shutdown(socket.SHUT_WR)

        writer = threading.Thread(target=write)
        writer.start()
        for answer in connection.makefile("rb"):
            found.append(answer.decode().rstrip("\n"))
            if len(found) == limit:
                break
    return found


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes events. What it does with the first requests, the server's `plan` says.

    A status; or "lost", which takes the event and does not answer; or "killed", which does neither and kills the sender.
    """

    def do_POST(self):
        """One event."""
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:
            return None  # The sender was killed.
        self.server.requests += 1
        status = next(self.server.plan, 204)
        if status in ("lost", 200, 204):
            key = int(self.headers["Idempotency-Key"])
            assert self.server.taken.setdefault(key, body) == body, "one key for two events"
        if status == "killed":
            self.server.sender.end(signal.SIGKILL)
        if status in ("lost", "killed"):
            return self.connection.close()  # The sender cannot know whether the event was taken.
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", self.server.elsewhere)
        return self.end_headers()

    def do_GET(self):
        """Answer one that follows a redirect."""
        self.server.requests += 1
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Print nothing."""


@contextlib.contextmanager
def receiver(plan=(), elsewhere="", listens=True):
    """Run a receiver in a thread of its own."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver, bind_and_activate=False) as server:
        server.requests, server.taken, server.plan, server.elsewhere = 0, {}, iter(plan), elsewhere
        server.server_bind()
        server.address = f"http://127.0.0.1:{server.server_port}/hook?day=1"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))

        def listen():
            server.server_activate()
            thread.start()

        server.listen = listen
        if listens:
            listen()
        try:
            yield server
        finally:
            if thread.is_alive():
                server.shutdown()


class ServerTests(unittest.TestCase):
    """Folders and files for all tests."""

    def setUp(self):
        """Make a folder for the server, and one for programs, since nothing may be run in memory."""
        folders = [tempfile.TemporaryDirectory(dir=place) for place in (MEMORY, None)]
        for folder in folders:
            self.addCleanup(folder.cleanup)
        self.path, self.programs = (pathlib.Path(folder.name) for folder in folders)
        self.data = self.path / "data"
        self.journal, self.kept = self.data / "events.ndjson", self.data / "fixes.csv"

    def wait(self, condition, seconds=20):
        """Wait until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "nothing happened in time")
            time.sleep(0.01)

    def regions(self, text=None):
        """Write a file of regions: those given, or such as the ride passes."""
        path = self.path / "regions.csv"
        if text:
            path.write_text(text)
        else:
            made = ["--count", "400", "--around", "52.14,6.65", "--spread", "9", "--seed", "1", "--output", path]
            subprocess.run([PROGRAM, "generate", "regions", *made], check=True, stderr=subprocess.DEVNULL)
        return path

    def serve(self, regions, program=PROGRAM, **options):
        """Start the server."""
        arguments = (regions, self.data, "--port", "0", "--program", program)
        return Service(self, "server.py", *arguments, listens=True, **options)

    def program(self, text):
        """Write a program of the shell, which tells its number in a file."""
        path = self.programs / "program"
        path.write_text(f'#!/bin/sh\necho $$ >"{self.programs}/number"\n{text}\n')
        path.chmod(0o755)
        return path

    def number(self):
        """Read the number of the process that runs the program."""
        path = self.programs / "number"
        self.wait(lambda: path.exists() and path.read_text())
        number = int(path.read_text())
        self.addCleanup(self.kill, number)
        return number

    def kill(self, number):
        """End a process, if it is still there."""
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)

    def assert_written(self, events):
        """Check that the journal has these events, each once, in whole lines."""
        text = self.journal.read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertEqual(lines_of(text), events)

    def send_on(self, *arguments, **options):
        """Start the sender."""
        return Service(self, "webhooks.py", self.journal, "--wait", "0.02", *arguments, **options)

    def write_journal(self, *events):
        """Make a journal without a server."""
        self.data.mkdir()
        self.journal.write_bytes(b"".join(event + b"\n" for event in events))

    def assert_taken(self, receiver):
        """Check that the receiver has every event of the journal, in its order, each under a key of its own."""
        self.assertEqual(list(receiver.taken.values()), self.journal.read_bytes().splitlines())


class EventServerTests(ServerTests):
    """The server alone."""

    def test_killed_in_the_middle(self):
        """A crash, a client that sends the last fixes again, a clean end."""
        regions, fixes = self.regions(), fixes_of_the_ride()[:1000]
        expected = events_of(regions, fixes)
        self.assertGreater(len(expected), 20)
        half = len(fixes) // 2
        server = self.serve(regions)
        self.assertEqual(answers(server.port, fixes[:half]), ["ok"] * half)
        self.wait(lambda: self.journal.read_bytes().count(b"\n") == len(events_of(regions, fixes[:half])) > 0)
        server.end(signal.SIGKILL)
        with self.kept.open("ab") as torn:
            torn.write(b"bicycle,2020-04-18T1")  # What a crash may leave.
        server = self.serve(regions)
        self.assertEqual(answers(server.port, fixes[half - 10 :]), ["ok"] * (half + 10))
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assertEqual(self.kept.read_bytes(), b"".join(fixes[:half] + fixes[half - 10 :]))
        self.assert_written(expected)

    def test_other_regions_after_a_restart(self):
        """Events of regions that have gone stay; those of new regions are written, also of the fixes before."""
        first, second, fixes = rings(range(20)), rings(range(5, 40)), laps(8)
        wanted = events_of(self.regions(first), fixes[:4])
        server = self.serve(self.regions(first))
        self.assertEqual(answers(server.port, fixes[:4]), ["ok"] * 4)
        self.assertEqual(server.end(signal.SIGTERM), 0)
        wanted += [event for event in events_of(self.regions(second), fixes) if event not in wanted]
        server = self.serve(self.regions(second))
        self.assertEqual(answers(server.port, fixes[4:]), ["ok"] * 4)
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assert_written(sorted(wanted, key=lambda event: (event["time"], event["device"], event["region"])))

    @unittest.skipUnless(prlimit, "no limit of a running process")
    def test_journal_on_a_full_disk(self):
        """Fixes are kept while no event can be written; the events come once there is room, or with the next start."""
        regions, fixes = self.regions(rings(range(100))), laps(13)
        with open("/dev/full", "w") as full:  # The log is on that disk, too.
            server = self.serve(regions, errors=full)
        server.limit(20_000)
        self.assertEqual(answers(server.port, fixes[:5]), ["ok"] * 5)
        self.wait(lambda: self.journal.stat().st_size > 19_800)  # The next event does not fit.
        time.sleep(0.1)
        self.assertLess(self.journal.stat().st_size, 20_000)
        server.limit(None)
        self.wait(lambda: self.journal.read_bytes().count(b"\n") == 400)
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assert_written(events_of(regions, fixes[:5]))
        for done in (5, 9):  # SIGTERM while there is no room; before the second time events wait from the start.
            server = self.serve(regions)
            server.limit(self.journal.stat().st_size + 1000)
            self.assertEqual(answers(server.port, fixes[done : done + 4]), ["ok"] * 4)
            self.wait(lambda server=server: "an event cannot be written" in server.said)
            self.assertEqual(server.end(signal.SIGTERM), 1)
            self.assertIn("the next start writes them", server.said)
        self.assertEqual(self.serve(regions).end(signal.SIGTERM), 0)
        self.assert_written(events_of(regions, fixes))

    @unittest.skipUnless(prlimit, "no limit of a running process")
    def test_fixes_on_a_full_disk(self):
        """A fix that cannot be kept has no "ok", and leaves nothing behind; not even a log on that disk stops the server."""
        regions, fixes = self.regions(), fixes_of_the_ride()[:1000]
        with open("/dev/full", "w") as full:
            server = self.serve(regions, errors=full)
        done = 0
        for room in (10_000, 0, 1, 20_011):
            server.limit(self.kept.stat().st_size + room)
            given = answers(server.port, fixes[done:])
            count = given.count("ok")
            self.assertEqual(given[:count], ["ok"] * count)
            self.assertEqual(len(given), len(fixes) - done)
            self.assertRegex(given[-1], "^error: the fix cannot be kept: .")
            done += count
            self.assertEqual(self.kept.read_bytes(), b"".join(fixes[:done]))
        server.limit(None)
        self.assertEqual(answers(server.port, fixes[done:]), ["ok"] * (len(fixes) - done))
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assert_written(events_of(regions, fixes))

    def test_long_lines(self):
        """A line of 32 MiB takes no memory, and the next line of the same client is a fix again."""
        fixes = laps(4)
        server = self.serve(self.regions(rings(range(3))))
        self.assertEqual(answers(server.port, fixes[:1]), ["ok"])
        before = self.memory(server)
        longest = b"x" * (4096 - len(fixes[1]) - 1) + fixes[1]  # As long as a line may be, less one byte.
        sizes = {4095: "ok", 4096: "ok", 4097: "error", 4098: "error", 8192: "error", 8193: "error", 32 << 20: "error"}
        for size, answer in sizes.items():
            line = longest.rjust(size, b"x")
            given = answers(server.port, [line, line, fixes[1]])
            self.assertEqual([text.split(":")[0] for text in given], [answer, answer, "ok"], size)
        self.assertEqual(len(answers(server.port, [b"x" * (32 << 20)])), 1)  # The client leaves within the line.
        self.assertLess(self.memory(server) - before, 8 << 10, "KiB")
        self.assertEqual(answers(server.port, fixes[2:]), ["ok"] * 2)
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assertLess(self.kept.stat().st_size, 20_000)
        self.assertEqual(len(lines_of(self.journal.read_text())), 9)

    def memory(self, service):
        """Read the most memory that a process has taken so far, in KiB; 0 where the system does not tell."""
        status = pathlib.Path(f"/proc/{service.process.pid}/status")
        return int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) if status.exists() else 0

    def test_lines_that_are_no_fixes(self):
        """Each line has one answer; what is kept is one line of text, and events are those of the fixes alone."""
        print(f"VICINITY_SEED={SEED}", file=sys.stderr, flush=True)
        chance = random.Random(SEED)
        fixes = laps(6)
        bad = [b"", b"\r", b" ", b"a\rb,1,52,6", b"\0,1,52,6", b"a,1,52", b"a,1,52,6,7", b'"a,1,52,6', b"\xff,1,52,6"]
        bad += [
            b"a,1,52,6\0",
            b",,,",
            b'"a"b,1,52,6',
            b"\x1b[2J,1,52,6",
            b"\xef\xbb\xbf\r\r\r",
            b"a,1,52,6\r\r",
            b",a,1,52,6",
        ]
        likely = [b'"', b",", b"\r", b"\0", b"\xff", b"a", b"1", b"lapper", b"\xc3\xa9", b"-", b"\x1a"]
        noise = [b"".join(chance.choices(likely, k=chance.randrange(12))) + b"\n" for _ in range(300)]
        server = self.serve(self.regions(rings(range(3))))
        given = answers(server.port, [line + b"\n" for line in bad])
        self.assertEqual(given, ["error: the line is not device,time,latitude,longitude"] * len(bad))
        for fix in fixes:
            lines = [*chance.sample(noise, 40), fix.replace(b"\n", b"\r\n"), *chance.sample(noise, 40)]
            given = answers(server.port, lines)
            self.assertEqual((len(given), given[40]), (81, "ok"))
        self.assertEqual(server.end(signal.SIGTERM), 0)
        kept = self.kept.read_bytes()
        self.assertNotRegex(kept.decode(), "[\0-\x09\x0b-\x1f]")
        self.assertEqual([line for line in kept.splitlines(True) if line.startswith(b"lapper,16")], fixes)
        self.assert_written(events_of(self.path / "regions.csv", fixes))

    def test_program_that_blocks(self):
        """The server ends while the program takes nothing, clients wait and one is silent; nothing is lost."""
        regions, fixes = self.regions(), fixes_of_the_ride()
        server = self.serve(regions, self.program(f'exec "{PROGRAM}" "$@"'))
        os.kill(self.number(), signal.SIGSTOP)
        with socket.create_connection(("127.0.0.1", server.port)) as silent:
            silent.sendall(b"bicycle,2020")
            given = answers(server.port, fixes, patience=2)
            self.assertLess(len(given), len(fixes))
            self.assertEqual(server.end(signal.SIGTERM), 1)
        server = self.serve(regions)
        rest = fixes[len(given) :]
        self.assertEqual(answers(server.port, rest), ["ok"] * len(rest))
        self.assertEqual(server.end(signal.SIGTERM), 0)
        self.assert_written(events_of(regions, fixes))

    def test_program_that_dies(self):
        """The server says so, and ends with status 1."""
        server = self.serve(self.regions(rings(range(3))), self.program(f'exec "{PROGRAM}" "$@"'))
        self.assertEqual(answers(server.port, laps(2)), ["ok"] * 2)
        os.kill(self.number(), signal.SIGKILL)
        self.assertEqual(server.end(), 1)
        self.assertIn("server.py: the program has ended", server.said)
        server = self.serve(self.path / "none.csv", PROGRAM)
        self.assertEqual(server.end(), 1)
        self.assertRegex(server.said, "none.csv(.|\n)*server.py: the program has ended")
        server = self.serve(self.path / "regions.csv", self.path / "no-program")
        self.assertEqual(server.end(), 1)
        self.assertRegex(server.said, r"^server.py: .*no-program")

    def test_one_server_for_a_folder(self):
        """Two would write each event twice."""
        first = self.serve(self.regions(rings(range(3))))
        second = self.serve(self.path / "regions.csv")
        self.assertEqual(second.end(), 1)
        self.assertIn("another server", second.said)
        self.assertEqual(answers(first.port, laps(1)), ["ok"])

    def test_clients_idle_and_many(self):
        """A silent client is disconnected, and so is one too many."""
        self.addCleanup(setattr, server_script, "MOST_CLIENTS", server_script.MOST_CLIENTS)
        self.addCleanup(setattr, server_script.Connection, "timeout", server_script.Connection.timeout)
        server_script.Connection.timeout = 1
        with server_script.Server(("127.0.0.1", 0), server_script.Connection) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            server_script.MOST_CLIENTS = threading.active_count() + 2
            server.follower = type("Follower", (), {"accept": lambda _, line: "ok"})()
            clients = [socket.create_connection(server.server_address, 10) for _ in range(3)]
            for client in clients[:2]:
                client.sendall(b"a\n")
                self.assertEqual(client.recv(9), b"ok\n")
            self.assertEqual(clients[2].recv(9), b"")
            self.assertEqual([client.recv(9) for client in clients[:2]], [b"", b""])
            for client in clients:
                client.close()
            server.shutdown()
            thread.join()


class WebhookTests(ServerTests):
    """The sender alone."""

    events = tuple(b'{"event": %d}' % i for i in range(30))

    def test_receiver_down_and_failing(self):
        """The receiver is not there, then it fails now and then; the sender is killed, too."""
        self.write_journal(*self.events)
        plan = [204, 204, 503, 204, 204, "lost"] * 5
        with receiver(plan, listens=False) as there:  # The address is taken, and nobody listens there.
            sender = self.send_on(there.address)
            self.wait(lambda: sender.said.count("again in") > 2)
            there.listen()
            self.wait(lambda: len(there.taken) > 10)
            sender.end(signal.SIGKILL)
            self.assertEqual(self.send_on(there.address, "--once").end(), 0)
            self.assertGreater(there.requests, len(self.events))
            self.assert_taken(there)

    def test_half_lines(self):
        """Half a line is not sent, and is forgotten when the server has cut it and written another."""
        self.write_journal(*self.events[:2])
        end = self.journal.stat().st_size
        with receiver(listens=False) as there, self.journal.open("ab", buffering=0) as journal:
            journal.write(b'{"half": "')
            sender = self.send_on(there.address)
            self.wait(lambda: "again in" in sender.said)
            journal.truncate(end)
            journal.write(b'{"whole": "line"}\n{"half": "')
            there.listen()
            self.wait(lambda: len(there.taken) == 3)
            time.sleep(0.5)  # It looks at the half line.
            journal.write(b'and the rest"}\n')
            self.wait(lambda: len(there.taken) == 4)
            self.assert_taken(there)

    def test_redirects_and_refusals(self):
        """Whatever is not 2xx is a failure that is told; nothing is sent to where a redirect leads."""
        self.write_journal(*self.events)
        redirects, refusals = [301, 302, 303, 307, 308, 300, 304, 305], [400, 401, 404, 410, 429, 500, 503]
        plan = [status for failure in redirects + refusals for status in (failure, 200)]
        with receiver() as inside:
            for elsewhere in (inside.address, "/hook", "http://[", "\x1b" + "a" * 50_000):
                with self.subTest(elsewhere[:30]), receiver(plan, elsewhere) as there:
                    sender = self.send_on(there.address, "--once")
                    self.assertEqual(sender.end(), 0)
                    self.assert_taken(there)
                    self.assertEqual((there.requests, inside.requests), (len(self.events) + len(plan) // 2, 0))
                    self.assertEqual(re.findall(r"answer (\d+)", sender.said), list(map(str, redirects + refusals)))
                    self.assertEqual(sender.said.count("not redirected to"), len(redirects))
                    self.assertLess(len(sender.said), 10_000)
                    self.assertNotIn("\x1b", sender.said)
                self.journal.with_name("events.ndjson.sent").unlink()

    def test_slow_receivers(self):
        """A request has a deadline, whatever the receiver does with it; then it is sent again."""
        event = b'"%s"' % (b"x" * (8 << 20))  # More than can be sent to a receiver that reads nothing.
        self.write_journal(event)
        good = b"HTTP/1.1 200 OK\r\n"
        plan = [  # What is read of a request, how the answer begins, what is sent again and again, and the seconds between.
            ("nothing", b"", b"", 0.1),
            ("slowly", b"", b"", 0.1),
            ("all", b"", b"", 0.1),
            ("all", b"", b"H", 0.1),
            ("all", good + b"A: ", b"b", 0.1),
            ("all", good, b"A: b\r\n", 0.1),
            ("all", b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0),
            ("all", b"", b"H" * 65536, 0),
            ("all", good, b"A: b\r\n", 0),
            ("all", good + b"A: ", b"b" * 65536, 0),
            ("all", b"HTTP/1.1 500 No\r\n\r\n", b"x" * 65536, 0),
            ("all", good + b"\r\n", b"x", 0.1),  # This one has taken it.
        ]

        def serve(connection, reads, begin, more, pause):
            with contextlib.suppress(OSError), connection:
                if reads == "all":
                    request = connection.makefile("rb")
                    while request.readline().strip():
                        pass
                    request.read(len(event))
                connection.sendall(begin)
                for _ in range(30) if pause else itertools.count():
                    if reads == "slowly":
                        connection.recv(1)
                    connection.sendall(more)
                    time.sleep(pause)

        starts = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(10)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            sender = self.send_on(address, "--once", "--deadline", "0.5", "--wait", "0.0005")
            for behaviour in plan:
                connection = listener.accept()[0]
                starts.append(time.monotonic())
                threading.Thread(target=serve, args=(connection, *behaviour), daemon=True).start()
            self.assertEqual(sender.end(), 0)
        starts.append(time.monotonic())
        self.assertLess(max(after - before for before, after in itertools.pairwise(starts)), 2.5, sender.said)
        self.assertGreaterEqual(sender.said.count("no answer within 0.5 s"), 7)
        self.assertEqual(sender.said.count("again in"), len(plan) - 1)

    @unittest.skipUnless(prlimit, "no limit of a running process")
    def test_position_on_a_full_disk(self):
        """The sender waits until it can write how far it is, so that it sends nothing twice."""
        self.write_journal(*self.events)
        with receiver(listens=False) as there:
            sender = self.send_on(there.address, "--once")
            sender.limit(0)
            there.listen()
            self.wait(lambda: "events.ndjson.sent: " in sender.said)
            self.assertEqual(there.requests, 1)
            sender.limit(None)
            self.assertEqual(sender.end(), 0)
            self.assert_taken(there)
            self.assertEqual(there.requests, len(self.events))

    def test_wrong_arguments(self):
        """Only addresses of http and https, times that are times, and a position that is a number."""
        self.write_journal(*self.events)
        wrong = "ftp://h/a file:///etc/hosts data:,a h //h http:// http://h:x/ http://h:99999/ http://h:0/ http://u@h/"
        for address in [*wrong.split(), "http://a b/", "http://[1", "http://a..b/", "http://h/é", "http://h/\x01"]:
            with self.assertRaises(argparse.ArgumentTypeError, msg=address):
                webhooks.web_address(address)
        for address in ("http://h", "HTTPS://h:1/a?b=c#d", "http://[::1]:80/"):
            self.assertEqual(webhooks.web_address(address).geturl().lower(), address.lower())
        for arguments in (["ftp://h/"], ["http://h/", "--deadline", "0"], ["http://h/", "--wait", "nan"]):
            sender = self.send_on(*arguments)
            self.assertEqual(sender.end(), 2)
            self.assertIn(arguments[-1], sender.said)
        self.journal.with_name("events.ndjson.sent").write_text("-1")
        sender = self.send_on("http://h/")
        self.assertEqual(sender.end(), 1)
        self.assertRegex(sender.said, "^webhooks.py: .*'-1'")


class KillTests(ServerTests):
    """The server and the sender together."""

    def test_kills(self):
        """Both are killed at random, and lines are torn: each event comes once to the journal, and at least once to its end."""
        print(f"VICINITY_SEED={SEED}", file=sys.stderr, flush=True)
        chance = random.Random(SEED)
        regions, fixes = self.regions(), fixes_of_the_ride()
        done = 0
        plan = iter(lambda: chance.choices([200, 503, 302, "lost", "killed"], [40, 3, 3, 3, 3])[0], None)
        with receiver(plan, "http://127.0.0.1:9/") as there:
            for left in range(9, -1, -1):
                server = self.serve(regions)
                there.sender = self.send_on(there.address)
                if left == 0:
                    break
                # Killed with fixes on the way, of which the answers are lost.
                killing = threading.Timer(chance.uniform(0, 0.3), there.sender.end, [signal.SIGKILL])
                killing.start()
                count = chance.randrange((len(fixes) - done) // left + 1)
                done += answers(server.port, fixes[done:], limit=count).count("ok") if count else 0
                server.end(signal.SIGKILL)
                killing.join()
                if chance.random() < 0.5:
                    with self.kept.open("ab") as torn:
                        torn.write(chance.choice(fixes)[: chance.randrange(1, 40)])
                if chance.random() < 0.5:
                    os.truncate(self.journal, max(0, self.journal.stat().st_size - chance.randrange(100)))
            self.assertLess(done, len(fixes))
            self.assertEqual(answers(server.port, fixes[done:]), ["ok"] * (len(fixes) - done))
            self.assertEqual(server.end(signal.SIGTERM), 0)
            self.assert_written(events_of(regions, fixes))
            status = there.sender.end(signal.SIGKILL)
            for _ in range(100):  # Each start gets further.
                if status != 0:
                    there.sender = self.send_on(there.address, "--once")
                    status = there.sender.end()
            self.assertEqual(status, 0)
            self.assert_taken(there)


if __name__ == "__main__":
    unittest.main()
