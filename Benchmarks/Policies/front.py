#!/usr/bin/env python3
"""The monitor's one knob beside all other policies: a page and a picture, from the table of Scripts/study --front.

  front.py TABLE PAGE PICTURE HEAD

TABLE is a CSV with the columns of `vicinity compare --output`, and tracks and regions before them. PAGE gets a table with a row
for each requirement: what the knob takes when it is set to the latency that is asked for, with a blue bar that the user sees and unseen, and
the cheapest of all other policies that meets it. PICTURE is of the rows with 10,000 regions. HEAD is the page's first lines.
"""

import csv
import math
import sys

BOUNDS = [(15, 0.95), (60, 0.95), (120, 0.95), (300, 0.9)]
SHOWN_KNOB, UNSEEN_KNOB = "monitor-adaptive", "monitor-quiet"
NAMES = {"rides": "two rides", "mobilitynet": "MobilityNet's days", "taxis": "Porto's taxis"}
SHOWN = 10_000


def seconds(text):
    return math.inf if text in ("", "inf") else float(text)


def knob(row, named=SHOWN_KNOB):
    """The latency that a row's knob is set to; nil for other policies."""
    name, _, setting = row["policy"].partition(":")
    if name != named:
        return None
    return float(setting.partition("=")[2] or 60)


def meets(row, bound, recall):
    return float(row["recall"]) >= recall and seconds(row["p95_latency"]) <= bound


# The digits of a figure, and of its interval.
SHOWN_FIGURES = [("net_energy", 3, 2), ("recall", 3, 2), ("p95_latency", 1, 0)]


def figures(row):
    return tuple(f"{seconds(row[name]):.{digits}f}" for name, digits, _ in SHOWN_FIGURES)


def intervals(row):
    """The figures with their 95 % intervals."""
    texts = []
    for name, digits, few in SHOWN_FIGURES:
        low, high = (seconds(row[f"{name}_{end}"]) for end in ("low", "high"))
        texts.append(f"{seconds(row[name]):.{digits}f} ({low:.{few}f} to {high:.{few}f})")
    return tuple(texts)


def page(cells, head):
    lines = [head, ""]
    lines += ["| tracks, regions | knob at | shown: %/h above idle | recall | p95 s | unseen: %/h | recall | p95 s | cheapest other | %/h | p95 s |"]
    lines += ["| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |"]
    met = won = asked = unseen_met = 0
    for (tracks, regions), rows in cells.items():
        for bound, recall in BOUNDS:
            asked += 1
            named = [r for r in rows if knob(r) == bound]
            unseen = next((r for r in rows if knob(r, UNSEEN_KNOB) == bound), None)
            others = [r for r in rows if knob(r) is None and knob(r, UNSEEN_KNOB) is None and meets(r, bound, recall)]
            other = min(others, key=lambda r: float(r["net_energy"]), default=None)
            ours = named[0] if named else None
            if ours is not None and meets(ours, bound, recall):
                met += 1
                won += other is None or float(ours["net_energy"]) <= float(other["net_energy"])
            cells_ = intervals(ours) if ours else ("", "", "")
            if ours is not None and not meets(ours, bound, recall):
                cells_ = tuple(f"*{c}*" for c in cells_)
            quiet = figures(unseen) if unseen else ("", "", "")
            if unseen is not None and meets(unseen, bound, recall):
                unseen_met += 1
            elif unseen is not None:
                quiet = tuple(f"*{c}*" for c in quiet)
            row = [f"{NAMES[tracks]}, {int(regions):,}", f"{bound} s", *cells_, *quiet]
            row += [f"`{other['policy']}`", *figures(other)[::2]] if other else ["none", "", ""]
            lines.append("| " + " | ".join(row) + " |")
    lines += ["", f"Of {asked} requirements the knob, set to the latency that is asked for and to nothing else, meets {met}, and is the cheapest"]
    lines += [f"of all that were run in {won}. Unseen it meets {unseen_met}. *What misses is in italics.*"]
    return "\n".join(lines) + "\n"


def picture(cells):
    """Energy against latency, both logarithmic: the knob as a line for each of the tracks, every other policy a point."""
    rows = {tracks: found for (tracks, regions), found in cells.items() if int(regions) == SHOWN}
    left, top, width, height = 70, 30, 660, 380
    x0, x1, y0, y1 = math.log(2), math.log(400), math.log(0.005), math.log(6)

    def x(value):
        return left + (math.log(value) - x0) / (x1 - x0) * width

    def y(value):
        return top + (y1 - math.log(value)) / (y1 - y0) * height

    colours = {"rides": "#0072b2", "mobilitynet": "#d55e00", "taxis": "#009e73"}
    out = [
        # With a size of its own: the documentation's pages show a picture that has none 216 points wide.
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {top + height + 126}" '
        f'width="{left + width + 20}" height="{top + height + 126}" font-family="sans-serif" font-size="13">',
        "<title>Energy above idle against p95 latency, 10,000 regions</title>",
        f'<rect width="{left + width + 20}" height="{top + height + 126}" fill="#ffffff"/>',
    ]
    for value in (2, 5, 10, 20, 60, 120, 300):
        out.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top}" y2="{top + height}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{x(value):.1f}" y="{top + height + 18}" text-anchor="middle" fill="#444">{value} s</text>')
    for value in (0.01, 0.03, 0.1, 0.3, 1, 3):
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="#444">{value:g}</text>')
    middle = left + width / 2
    out.append(f'<text x="{middle}" y="{top + height + 40}" text-anchor="middle" fill="#222">95 % of reported crossings are noticed within</text>')
    turned = f"translate(20 {top + height / 2}) rotate(-90)"
    out.append(f'<text transform="{turned}" text-anchor="middle" fill="#222">battery above idle, % an hour</text>')
    for tracks, found in rows.items():
        line, quiet = [], []
        for row in sorted(found, key=lambda r: knob(r) or knob(r, UNSEEN_KNOB) or 0):
            p95, energy = seconds(row["p95_latency"]), float(row["net_energy"])
            if not (math.isfinite(p95) and p95 >= 2 and energy >= 0.005) or p95 > 400 or energy > 6:
                continue
            if knob(row) is not None:
                line.append((x(p95), y(energy), row))
                continue
            if knob(row, UNSEEN_KNOB) is not None:
                quiet.append((x(p95), y(energy), row))
                continue
            # Hollow where fewer than 19 of 20 crossings are reported at all.
            fill = colours[tracks] if float(row["recall"]) >= 0.95 else "#ffffff"
            out.append(
                f'<circle cx="{x(p95):.1f}" cy="{y(energy):.1f}" r="3.5" fill="{fill}" fill-opacity="0.55" '
                f'stroke="{colours[tracks]}"><title>{row["policy"]}, {NAMES[tracks]}: recall {float(row["recall"]):.3f}</title></circle>'
            )
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in line)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colours[tracks]}" stroke-width="3"/>')
        dashes = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in quiet)
        out.append(f'<polyline points="{dashes}" fill="none" stroke="{colours[tracks]}" stroke-width="2" stroke-dasharray="5 4"/>')
        for px, py, row in quiet:
            fill = colours[tracks] if float(row["recall"]) >= 0.95 else "#ffffff"
            out.append(
                f'<rect x="{px - 4:.1f}" y="{py - 4:.1f}" width="8" height="8" fill="{fill}" stroke="{colours[tracks]}">'
                f'<title>unseen, knob at {knob(row, UNSEEN_KNOB):g} s, {NAMES[tracks]}: recall {float(row["recall"]):.3f}</title></rect>'
            )
        for px, py, row in line:
            out.append(
                f'<rect x="{px - 4:.1f}" y="{py - 4:.1f}" width="8" height="8" fill="{colours[tracks]}">'
                f'<title>knob at {knob(row):g} s, {NAMES[tracks]}: recall {float(row["recall"]):.3f}</title></rect>'
            )
    for i, tracks in enumerate(rows):
        at = left + 10 + i * 215
        out.append(f'<line x1="{at}" x2="{at + 26}" y1="{top + height + 64}" y2="{top + height + 64}" stroke="{colours[tracks]}" stroke-width="3"/>')
        out.append(f'<text x="{at + 32}" y="{top + height + 68}" fill="#222">knob, {NAMES[tracks]}</text>')
    at = left + 10
    out.append(f'<text x="{at}" y="{top + height + 114}" fill="#222">Whole lines: with a blue bar that the user sees. Dashed: unseen.</text>')
    out.append(f'<circle cx="{at + 6}" cy="{top + height + 88}" r="3.5" fill="#888" stroke="#444"/>')
    out.append(f'<text x="{at + 18}" y="{top + height + 92}" fill="#222">every other policy</text>')
    out.append(f'<circle cx="{at + 160}" cy="{top + height + 88}" r="3.5" fill="#fff" stroke="#444"/>')
    out.append(f'<text x="{at + 172}" y="{top + height + 92}" fill="#222">one that reports fewer than 95 % of the crossings</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    table, page_path, picture_path, head = sys.argv[1:]
    cells = {}
    with open(table, newline="") as file:
        for row in csv.DictReader(file):
            cells.setdefault((row["tracks"], row["regions"]), []).append(row)
    with open(page_path, "w") as file:
        file.write(page(cells, open(head).read().rstrip()))
    with open(picture_path, "w") as file:
        file.write(picture(cells))


main()
