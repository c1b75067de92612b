import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from embviz.figures.timing.curves import DASHES
from embviz.figures.timing.report import html_report
from embviz.timing.cases import Case
from embviz.timing.findings import sentences
from embviz.timing.results import Failure
from embviz.timing.runs import Run
from embviz.timing.tensors import inside
from tests.figures.timing.made_runs import EVIL, ROWS, RUN, measured, run_of


class _Page(HTMLParser):
    """The tags of a page, and its text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._silent = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._silent else data


@pytest.fixture(scope="module")
def report() -> str:
    """The report of two machines, one of which has hostile names."""
    gone = Failure(Case("onehot_matmul", 2**20, 64, 64), f"no memory {EVIL}")
    return html_report(
        [
            RUN,
            run_of([*RUN.results, gone], EVIL, cpu=EVIL, gpus=[EVIL], date="2026-07-14"),
        ]
    )


def test_the_report_asks_nobody_for_anything(report: str) -> None:
    """The report opens offline, and its policy forbids every request."""
    page = _Page(report)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    for tag, attributes in page.tags:
        assert not {"src", "href", "srcset", "action"} & attributes.keys(), tag
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
    assert "@import" not in report.split("</style>")[0]
    assert "url(" not in report.split("</style>")[0]


def test_the_report_offers_no_upload(report: str) -> None:
    """The report's charts have no button that sends data."""
    configs = re.findall(r'{[^{}]*"showSendToCloud"[^{}]*}', report.split("</head>")[1])
    assert len(configs) == 5
    for config in map(json.loads, configs):
        assert config["showSendToCloud"] is False
        assert not any("loud" in name for row in config["modeBarButtons"] for name in row)


def test_the_report_holds_plotly_once_and_five_charts(report: str) -> None:
    """The report contains plotly.js once and five charts."""
    assert report.count("plotly.js v") == 1
    assert report.count('class="plotly-graph-div"') == 5
    assert report.count("Plotly.newPlot(") >= 5
    assert len(report) < 8_000_000


def test_the_report_says_what_was_found(report: str) -> None:
    """The report has findings, numbers, statements and machine."""
    text = _Page(report).text
    for run in (RUN,):
        assert all(sentence in text for sentence in sentences(run))
    assert inside(Case("matmul", 64, 64, 64)) in text
    assert "The same in all: pass forward, device cpu, dim 64" in text
    assert "no time: no memory <script>alert(1)</script>" in text
    assert text.count("lookup (again)") == 2 * len(ROWS)
    assert "Some CPU" in text
    rows = sum(tag == "tr" for tag, _ in _Page(report).tags)
    assert rows == 1 + 2 * len(RUN.results) + 1


def test_a_row_of_the_report_has_its_numbers() -> None:
    """Each result has a row with all its numbers."""
    page = html_report([run_of([measured(Case("lookup", 64, 64, 64), 1.234e-6)])])
    row = page.split("<tbody>")[1].split("</tr>")[0]
    assert re.findall("<td[^>]*>([^<]*)</td>", row) == [
        "lookup",
        "1.23 µs",
        "247 ns (20.0 %)",
        "5",
        "27",
        "",
        "",
    ]


def test_runs_have_a_dash_each() -> None:
    """Each run of several has its dash, and the legend names it."""
    runs = [replace(RUN, environment={"cpu": cpu}) for cpu in ("Some CPU", "Other CPU")]
    (chart, *_) = re.findall(r"<figure .*?</figure>", html_report(runs), re.DOTALL)
    traces, _ = json.JSONDecoder().raw_decode(chart[chart.index("[{") :])
    assert [one["line"]["dash"] for one in traces if one.get("name") == "lookup"] == [*DASHES[:2]]
    assert {"Some", "Other"} <= {one.get("name") for one in traces}


def test_text_from_a_file_stays_text(report: str) -> None:
    """Text from a run file is escaped everywhere in the report."""
    page = _Page(report)
    assert sum(tag == "script" for tag, _ in page.tags) == report.count("<script")
    assert not any(tag == "b" for tag, _ in page.tags)
    assert "<script>alert" not in report
    assert page.text.count("<script>alert(1)</script>") >= 3


def test_the_report_is_a_page_for_everyone(report: str) -> None:
    """The report names its language, has a viewport and labels its regions."""
    page = _Page(report)
    assert report.startswith("<!DOCTYPE html>")
    assert ("html", {"lang": "en"}) in page.tags
    assert any(a.get("name") == "viewport" for _, a in page.tags)
    assert any(tag == "title" for tag, _ in page.tags)
    charts = [a["aria-label"] for tag, a in page.tags if tag == "figure"]
    assert len(charts) == 5
    assert all(charts)
    (table,) = [a for _, a in page.tags if a.get("class") == "wide"]
    assert table["tabindex"] == "0"  # the keyboard can scroll it


@pytest.mark.parametrize("runs", [[], [Run("empty", {})]])
def test_a_report_of_nothing(runs: list[Run]) -> None:
    """A report without results is a page all the same."""
    assert "</html>" in html_report(runs)
