# SPDX-License-Identifier: MIT
"""How far a credited share is from the true one, in standard errors, and the tables of that."""

import statistics

LIMIT = 3  # standard errors
MUCH = 3  # % of the CPU time
PAGE = "accuracy.md"
OURS = ("timer", "strata", "perf", "itimer")


class Share:
    """The answers of a recorder to one question in several runs."""

    figure, page, unit = "credited shares", PAGE, "% of CPU time"

    def __init__(self, program, question, who, runs):
        self.program, self.question, self.who = program, question, who
        self.credited, self.true, self.error, self.deviations = [], [], [], []
        self.not_sampled, self.missing = [], []
        for truth, profile in runs:
            self.add(truth.share(question), profile)

    def add(self, true, profile):
        """A run. Without samples nothing is credited, and there is no standard error."""
        self.true.append(100 * true)
        if not profile.samples:
            return
        credited = profile.share(*self.question)
        error = (true * (1 - true) / profile.samples) ** 0.5
        self.credited.append(100 * credited)
        self.error.append(100 * error)
        self.deviations.append((credited - true) / error)
        self.not_sampled.append(100 * profile.not_sampled)
        self.missing.append(100 * profile.missing)

    @property
    def is_ours(self):
        return self.who in OURS

    @property
    def case(self):
        return f"{self.program}: {self.question[1]}"

    @property
    def deviation(self):
        return statistics.median(self.deviations) if self.deviations else None

    @property
    def worst(self):
        return max(self.deviations, key=abs) if self.deviations else None

    @property
    def is_true(self):
        return self.deviation is not None and abs(self.deviation) <= LIMIT

    @property
    def verdict(self):
        return "" if self.is_true else "no samples" if self.deviation is None else f"beyond {LIMIT}"

    @property
    def remark(self):
        """What stands at no function, if that is much, and what stands nowhere."""
        words = []
        for what, shares in [("not sampled", self.not_sampled), ("not recorded", self.missing)]:
            share = statistics.median(shares or [0])
            if share > MUCH:
                words.append(f"{share:.0f} % {what}")
        return ", ".join(words)

    @property
    def verdict_and_remark(self):
        return ", ".join(word for word in (self.verdict, self.remark) if word)

    @staticmethod
    def text(rows):
        return text_of(rows)

    @staticmethod
    def markdown(rows):
        return markdown_of(rows)

    def plain(self):
        return {
            "figure": self.figure,
            "case": self.case,
            "kind": self.question[0],
            "who": self.who,
            "credited": self.credited,
            "true": self.true,
            "error": self.error,
            "deviations": self.deviations,
            "not_sampled": self.not_sampled,
            "verdict": self.verdict,
        }


def signed(value):
    """Standard errors with a sign, at most five characters."""
    if value is None:
        return "-"
    return f"{value:+.0f}" if abs(value) >= 99.95 else f"{value:+.1f}"


def middle(values, digits=1):
    return f"{statistics.median(values):.{digits}f}" if values else "-"


def marked(row):
    """The median deviation, marked if it is beyond three."""
    return signed(row.deviation) + ("" if row.is_true else "!")


def cases_of(rows):
    """(case, rows by recorder) in order."""
    cases = {}
    for row in rows:
        cases.setdefault(row.case, {})[row.who] = row
    return list(cases.items())


def recorders_of(rows):
    return list(dict.fromkeys(row.who for row in rows))


def remarks(rows):
    """What a reader must know: where ours is not within three, and which peer is."""
    for who in [name for name in recorders_of(rows) if name in OURS]:
        words = []  # cases that are wrong
        for case, each in cases_of(rows):
            if each[who].is_true:
                continue
            better = [row.who for row in each.values() if not row.is_ours and row.is_true]
            words.append(case + (f" ({' and '.join(better)}: within)" if better else ""))
        said = f"beyond {LIMIT} at {'; '.join(words)}" if words else "within 3 everywhere"
        yield f"{who}: {said}."


LINE = "  {:<28} {:<10} {:>8} {:>6} {:>5} {:>9} {:>6}"


def text_of(rows):
    names = recorders_of(rows)
    short = "  {:<27}" + " {:>7}" * len(names)
    heads = [name.replace("gperftools", "gperf") for name in names]
    out = ["  Median deviation in standard errors; ! is beyond three."]
    out.append(short.format("", *heads))
    for case, each in cases_of(rows):
        cells = [marked(each[name]) if name in each else "" for name in names]
        out.append(short.format(case, *cells).rstrip())
    out += ["", LINE.format("", "", "credited", "true", "s.e.", "deviation", "worst")]
    for case, each in cases_of(rows):
        for i, row in enumerate(each.values()):
            cells = [middle(row.credited, 2), middle(row.true, 2), middle(row.error, 2)]
            cells += [signed(row.deviation), signed(row.worst)]
            line = LINE.format("" if i else case, row.who, *cells).rstrip()
            out += [line, *(f"{'':31}{word}" for word in [row.remark] if word)]
    return out


def markdown_of(rows):
    names = recorders_of(rows)
    out = ["", "**Median deviation**, in standard errors", ""]
    out.append(f"| | {' | '.join(names)} |")
    out.append("|---" * (len(names) + 1) + "|")
    for case, each in cases_of(rows):
        cells = []
        for name in names:
            row = each[name]
            cells.append(signed(row.deviation) if row.is_true else f"**{marked(row)}**")
        out.append(f"| {case} | {' | '.join(cells)} |")
    out += ["", "**Credited shares**, % of CPU time", ""]
    out.append("| | | credited | true | standard error | deviation | worst | |")
    out.append("|---" * 8 + "|")
    for case, each in cases_of(rows):
        for i, row in enumerate(each.values()):
            cells = ["" if i else case, row.who, middle(row.credited, 2), middle(row.true, 2)]
            cells += [middle(row.error, 2), signed(row.deviation), signed(row.worst)]
            cells.append(row.verdict_and_remark)
            out.append(f"| {' | '.join(cells)} |")
    return out
