"""Sends each event of a journal to a web address, in order, again and again until the receiver has taken it.

    python3 webhooks.py FOLDER/events.ndjson https://example.org/hook [--wait 1] [--deadline 10] [--once]

Only an answer of 2xx, within the deadline, says that an event is taken. After any other the event is sent again, after 4xx
and 5xx as after none, and standard error has the reason. Redirects (3xx) are not followed, since they may lead anywhere: start
the sender with the new address. It goes straight to the address, through no proxy.

JOURNAL.sent keeps how far it is, so that it goes on there when it is started again. An event whose answer was lost is sent
once more: the header Idempotency-Key, the event's place in the journal, tells the receiver that it has it. --once ends when
all is sent.
"""

import argparse
import contextlib
import http.client
import os
import pathlib
import signal
import sys
import time
import urllib.parse

LONGEST_WAIT = 60  # seconds


class NotTakenError(Exception):
    """Why an event is not taken."""


def send(address, place, line, deadline):
    """Post an event. Raises NotTakenError, OSError or HTTPException unless the answer is 2xx.

    An alarm ends the whole request, however slowly the receiver reads and answers. The body of the answer is not read.
    """
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    target = (address.path or "/") + (f"?{address.query}" if address.query else "")
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(place), "Connection": "close"}

    def expire(*_):
        raise NotTakenError(f"no answer within {deadline} s")

    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, deadline, 1)
    try:
        with contextlib.closing(kind(address.netloc)) as connection:
            connection.request("POST", target, line, headers)
            answer = connection.getresponse()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if 300 <= answer.status < 400:
        location = f"{answer.headers['Location']!r:.200}"
        raise NotTakenError(f"answer {answer.status}: not redirected to {location}; set the address anew")
    if not 200 <= answer.status < 300:
        raise NotTakenError(f"answer {answer.status}")


def insist(wait, what, action, *arguments):
    """Do something until it is done, waiting twice as long after each failure."""
    while True:
        try:
            return action(*arguments)
        except (NotTakenError, OSError, http.client.HTTPException) as error:
            with contextlib.suppress(OSError):  # A log that cannot be written stops nothing.
                print(f"{what}: {error!s:.500}; again in {wait} s", file=sys.stderr, flush=True)
        time.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)


def line_at(path, place):
    """Read a line, each time from the file: half a line that was there may have been cut, and another written."""
    with path.open("rb") as journal:
        journal.seek(place)
        return journal.readline()


def remember(path, place):
    """Write how far it is: the old number or the new one, never half of one."""
    fresh = path.with_suffix(".new")
    with fresh.open("w") as file:
        file.write(str(place))
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def web_address(text):
    """Take a web address apart."""
    try:
        address = urllib.parse.urlsplit(text)
        address.hostname.encode("idna")
        is_good = address.port != 0 and address.scheme in ("http", "https") and "@" not in address.netloc
    except (AttributeError, ValueError):
        is_good = False
    if not (is_good and text.isascii() and text.isprintable() and " " not in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as https://example.org/hook")
    return address


def seconds(text):
    """Read a number of seconds, more than 0 and at most an hour."""
    if not 0 < float(text) <= 3600:
        raise ValueError(text)
    return float(text)


def main():
    """Send what is in the journal, and what comes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journal", type=pathlib.Path)
    parser.add_argument("address", type=web_address)
    parser.add_argument("--wait", type=seconds, default=1, help="seconds after the first failure")
    parser.add_argument("--deadline", type=seconds, default=10, help="seconds that one request may take")
    parser.add_argument("--once", action="store_true", help="end when all is sent")
    options = parser.parse_args()
    position = options.journal.with_name(options.journal.name + ".sent")
    text = position.read_text().strip() if position.exists() else "0"
    if not text.isdecimal():
        sys.exit(f"webhooks.py: {position} must hold how many bytes of the journal are sent, not {text!r:.100}")
    place = int(text)
    while True:
        line = insist(options.wait, options.journal, line_at, options.journal, place)
        if line.endswith(b"\n"):
            event = (options.address, place, line.rstrip(b"\n"), options.deadline)
            insist(options.wait, f"event at {place}", send, *event)
            place += len(line)
            insist(options.wait, position, remember, position, place)
        elif options.once:
            return
        else:
            time.sleep(0.2)


if __name__ == "__main__":
    main()
