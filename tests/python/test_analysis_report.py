"""The report, opened in headless Chromium: no errors, no network, tables sort, a phone can show it."""

import html
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

import tasfg
from result_files import seal
from tasfg.report import render, write_report

webdriver = pytest.importorskip("selenium.webdriver", reason="needs python3-selenium")
CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
browser_needed = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromium-driver")

ROOT = pathlib.Path(__file__).resolve().parents[2]
NASTY = '<script>window.broken = 1</script><img src=x onerror="window.broken = 2">'


@pytest.fixture(scope="module")
def browser():
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1200,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(folder, study):
    """A report of a file with a failed task, capped and pending runs, and strings that try to be HTML."""
    path = folder / "nasty.h5"
    shutil.copy(study, path)
    with h5py.File(path, "r+") as file:
        file.attrs["job"] = np.bytes_(file.attrs["job"] + f"\n# {NASTY}".encode())
        file.attrs["job_name"] = np.bytes_(NASTY.encode())
        file["live/status"][...] = b"failed"
        file["runs/status"][4, 2, 6] = 3
        file["runs/status"][0, 0, 1] = 2
        file["runs/stopped"][0, 0, 2, 1] = 0
        file["runs/status"][1, 1, 2] = 0
        for name, value in (("case", 4), ("algorithm", 2), ("seed", 6), ("message", NASTY.encode())):
            file["failures"][name][0] = value
    seal(path)
    return write_report(tasfg.open(path), folder / "nasty.html")


def logged(driver, kind="browser"):
    return [entry for entry in driver.get_log(kind)]


@browser_needed
def test_it_opens_without_errors_or_requests_and_shows_what_the_file_says(browser, page):
    logged(browser), logged(browser, "performance")
    browser.get(f"file://{page}")
    assert logged(browser) == []
    requests = set(re.findall(r'"url":"((?:http|https|file|ws)[^"]*)"', str(browser.get_log("performance"))))
    assert all(url == f"file://{page}" for url in requests)
    assert browser.execute_script("return window.broken") is None  # what looks like HTML in the file is text
    text = browser.find_element("tag name", "body").text
    assert NASTY in text and "status failed" in text and "6 of 6" in text and "191 of 192" in text
    assert "1 runs were capped at max_steps" in text
    assert "tasfg simulate --graph ring -P K=6 -P p=0.3" in text and "--seeds 6" in text  # the replay command
    assert "reference: graph-prior=pseudo-count" in text and 'family = "loopy-star"' in page.read_text().replace(
        "&quot;", '"'
    )
    broken = browser.execute_script(
        "return [...document.images].filter(i => !(i.complete && i.naturalWidth > 100)).length"
    )
    assert broken == 0 and browser.execute_script("return document.images.length") == 7
    assert browser.execute_script("return [...document.images].every(i => i.alt.length > 10)")


@browser_needed
def test_tables_sort_by_number_and_by_word_both_ways(browser, page):
    browser.get(f"file://{page}")

    def column(table, index):
        return browser.execute_script(
            "return [...document.getElementById(arguments[0]).tBodies[0].rows]"
            ".map(r => r.cells[arguments[1]].dataset.v ?? r.cells[arguments[1]].textContent)",
            table,
            index,
        )

    def click(table, index):
        browser.execute_script(
            "document.getElementById(arguments[0]).tHead.rows[0].cells[arguments[1]].querySelector('button')"
            ".click()",
            table,
            index,
        )

    def means():
        return [float(x) for x in column("stopping-times", 4)[:-1]]  # the last is the cell with a capped run: no mean

    rows = len(column("stopping-times", 4))
    before = [float(x) for x in column("stopping-times", 4) if x]
    assert rows == 72 == len(before) + 1 and before != sorted(before)
    click("stopping-times", 4)
    assert means() == sorted(before) and column("stopping-times", 4)[-1] == ""
    click("stopping-times", 4)
    assert means() == sorted(before, reverse=True) and column("stopping-times", 4)[-1] == ""
    assert (
        browser.execute_script(
            "return document.querySelector('#stopping-times th[aria-sort]').getAttribute('aria-sort')"
        )
        == "descending"
    )
    click("stopping-times", 1)
    words = column("stopping-times", 1)
    assert words == sorted(words, key=str.lower) and len(words) == rows
    click("all-cases", 2)
    assert [float(x) for x in column("all-cases", 2)] == sorted(float(x) for x in column("all-cases", 2))
    frame = tasfg.open(page.with_suffix(".h5")).runs_frame()
    assert max(before) == frame.groupby(["label", "algorithm", "log_inv_delta"], observed=True).tau.mean().max()
    texts = browser.execute_script(
        "return [...document.getElementById('stopping-times').tBodies[0].rows].map(r => r.cells[4].textContent)"
    )
    assert all(re.fullmatch(r"\d+ ± \d+|[\d.]+ ± [\d.]+|–", text) for text in texts) and texts.count("–") == 1
    assert set(column("stopping-times", 2)) == {"-1.0", "-3.0", "-7.0"}  # sorted by δ, shown as it was given


@browser_needed
def test_rows_can_be_filtered_by_words(browser, page):
    browser.get(f"file://{page}")
    field = browser.find_element("css selector", "input[data-filters='stopping-times']")
    field.send_keys("ring EXP3")
    shown = browser.execute_script(
        "return [...document.querySelectorAll('#stopping-times tbody tr')].filter(r => !r.hidden).length"
    )
    assert shown == 6  # two rings, three δ


@browser_needed
@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_small_screen_needs_no_sideways_scrolling(browser, page, width, tmp_path):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 700, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        browser.get(f"file://{page}")
        assert browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]") == [
            width,
            width,
        ]
        for each in browser.find_elements("tag name", "details"):
            browser.execute_script("arguments[0].open = true", each)
        assert browser.execute_script("return document.documentElement.scrollWidth") == width
        sizes = browser.execute_script(
            "return [...document.querySelectorAll('th button, summary')].map(e => e.clientHeight)"
        )
        assert min(sizes) >= 18  # can be hit with a thumb
        assert browser.save_screenshot(str(tmp_path / "phone.png")) and (tmp_path / "phone.png").stat().st_size > 10_000
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@browser_needed
def test_wide_tables_scroll_inside_the_page(browser, folder, studies):
    """Long names of files and rules, on a screen of 1000 pixels."""
    page = write_report(tasfg.open(studies["files"], studies["own"]), folder / "wide.html")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1000, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        browser.get(f"file://{page}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 1000
        wide = browser.execute_script(
            "return [...document.querySelectorAll('.scroll')].map(e => [e.getBoundingClientRect().right, e.scrollWidth - e.clientWidth])"
        )
        assert all(right <= 1000 for right, _ in wide) and any(over > 0 for _, over in wide)
        assert "0.001" in browser.execute_script("return document.getElementById('stopping-times').textContent")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_report_of_a_thousand_stopping_times_takes_five_seconds(studies, tmp_path):
    """CPU time of the whole command, imports included; other processes do not count."""
    command = [sys.executable, "-m", "tasfg", "report", studies["random"], "-o", tmp_path / "page.html"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT / "analysis")})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Half of it where nothing else runs.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5.0


def test_the_page_needs_nothing_else(page):
    text = page.read_text()
    text = text.replace(html.escape(NASTY), "")
    assert not re.findall(r'(?:src|href)="?(?!data:|#)[a-z./]', text)
    assert "@import" not in text and "url(" not in text
    assert len(text) < 6_000_000


def test_reports_of_curves_and_of_unfinished_files(curves, study_job, tmp_path):
    from processes import run

    text = render(tasfg.open(curves["fig-loopless-clique"]))
    assert "ω* is not unique" in text and 'id="figure-loopless-clique"' in text and "Stopping times" not in text
    assert "The first 300 of 600 cases" in text
    run("sweep", study_job, "-o", tmp_path / "part.h5", "--shard", "0/3", "-q")
    text = render(tasfg.open(tmp_path / "part.h5"), with_figures=False)
    assert re.search(r"status \w+, 1\d\d runs pending as of 20", text) and "<figure" not in text


def test_a_report_of_certified_curves_lists_their_regimes(study, tmp_path, capsys):
    from processes import run
    from tasfg import command_line

    star, ring, chart = (tmp_path / f"{name}.h5" for name in ("star", "ring", "chart"))
    coarse = ("--tolerance", "0.05", "-o")
    run("curve", "--graph", "loopy-star", "-P", "q=1", "-P", "r=0.25", "--over", "p=0:1", *coarse, star)
    run("curve", "--graph", "ring", "--over", "p=0:1", *coarse, ring)
    run("curve", "--graph", "loopless-clique", "--over", "p=0.1:1", "--over", "K=4:6", *coarse, chart)
    page = tmp_path / "curves.html"
    assert command_line.main(["report", str(star), str(ring), str(chart), "-o", str(page)]) == 0
    text = page.read_text()
    rows = re.search(r'id="regimes-table".*?<tbody>(.*?)</tbody>', text, re.S)[1].splitlines()
    changes = [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]
    of_star = [row for row in changes if row[0] == str(star)]
    assert [row[6:] for row in of_star] == [["–", "1, 2, 3"], ["–", "4"]]
    for row, place in zip(of_star, ((13 - 105**0.5) / 32, (5**0.5 - 1) / 4)):
        assert float(row[3]) <= place <= float(row[4]) <= float(row[3]) + 1.001e-9
    assert {row[1] for row in changes if row[0] == str(chart)} >= {"K = 5"}
    assert text.count("<figure") == 2 and "certified" in text and "K: " in text
    assert command_line.main(["report", str(star), str(study), "-o", str(page)]) == 2
    assert "write a report of each" in capsys.readouterr().err


def test_a_comparison_with_published_runs_can_be_part_of_it(study, tmp_path):
    frame = tasfg.open(study).runs_frame().assign(correct=1)
    frame[["graph", "K", "algorithm", "log_inv_delta", "seed", "tau", "correct"]].to_csv(
        tmp_path / "p.csv", index=False
    )
    text = render(tasfg.open(study), tmp_path / "p.csv", with_figures=False)
    assert "Beside the published runs" in text and "72 of 72" in text and 'id="published-tests"' in text
    assert pathlib.Path(tmp_path / "p.csv").exists()


def test_a_report_of_some_cases_counts_their_runs_alone(study):
    text = render(tasfg.open(study).only(["ring"]), with_figures=False)
    assert "2 of 2" in text and "64 of 64" in text and "loopy-star K" not in text.split("The job file, verbatim")[0]
