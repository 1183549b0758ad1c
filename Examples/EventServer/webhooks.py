"""Sends each event of a journal to a web address, in order, again and again until the receiver has taken it.

    python3 webhooks.py FOLDER/events.ndjson https://example.org/hook [--wait 1] [--once]

JOURNAL.sent keeps how far it is, so that it goes on there when it is started again. An event whose answer was lost is sent
once more: the header Idempotency-Key, the event's place in the journal, tells the receiver that it has it. --once ends when
all is sent.
"""

import argparse
import http.client
import os
import pathlib
import sys
import time
import urllib.request

LONGEST_WAIT = 60  # seconds


def send(address, place, line):
    """Post an event. Raises OSError, of which HTTPError is one, or HTTPException unless the answer is 2xx."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(place)}
    with urllib.request.urlopen(urllib.request.Request(address, line, headers), timeout=10):
        pass


def deliver(address, place, line, wait):
    """Post an event until it is taken, waiting twice as long after each failure."""
    while True:
        try:
            return send(address, place, line)
        except (OSError, http.client.HTTPException) as error:
            print(f"event at {place}: {error}; again in {wait} s", file=sys.stderr, flush=True)
        time.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)


def remember(path, place):
    """Write how far it is: the old number or the new one, never half of one."""
    fresh = path.with_suffix(".new")
    with fresh.open("w") as file:
        file.write(str(place))
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def main():
    """Send what is in the journal, and what comes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journal", type=pathlib.Path)
    parser.add_argument("address")
    parser.add_argument("--wait", type=float, default=1, help="seconds after the first failure")
    parser.add_argument("--once", action="store_true", help="end when all is sent")
    options = parser.parse_args()
    position = options.journal.with_name(options.journal.name + ".sent")
    place = int(position.read_text()) if position.exists() else 0
    with options.journal.open("rb") as journal:
        while True:
            journal.seek(place)
            line = journal.readline()
            if line.endswith(b"\n"):
                deliver(options.address, place, line.rstrip(b"\n"), options.wait)
                place += len(line)
                remember(position, place)
            elif options.once:
                return
            else:
                time.sleep(0.2)


if __name__ == "__main__":
    main()
