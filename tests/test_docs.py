"""The pages in docs and the README: they build without a warning, and what they say is there."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from quizwriter.cli.parser import builder_parser
from quizwriter.cli.parser import parser_of_all as program_parser
from quizwriter.experiments.registry import experiments
from quizwriter.workflow.problems.rules import RULES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
PROGRAMS = {"quizwriter": cache(program_parser), "index_builder": cache(builder_parser)}

LARGEST_PICTURE = 200_000
"""Bytes of a picture in the pages."""

MOST_WORDS = {"docs": 25_000, "CHANGELOG.md": 1_500}
"""Words in the pages together, and in the change log, as ``wc -w`` counts them."""


def name_of(page):
    return str(page.relative_to(ROOT))


every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)


# -- the site


class Links(HTMLParser):
    """The ids and the addresses of an HTML page; ``loaded`` are those that a browser fetches by itself."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in {"img", "script", "iframe", "source"} and values.get("src"):
            self.loaded.append(values["src"])
        elif tag == "link" and values.get("href"):
            self.loaded.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages as HTML, by their place in the site; every warning is an error."""
    if importlib.util.find_spec("sphinx") is None:
        reason = "Sphinx is not installed; it comes with the extra docs."
        if os.environ.get("QUIZWRITER_REQUIRE_DATA"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--builder",
        "html",
        "--fail-on-warning",
        "--keep-going",
        "--quiet",
    ]
    built = subprocess.run(
        [*command, "--doctree-dir", str(folder / "trees"), str(DOCS), str(folder / "html")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    html = folder / "html"
    return html, {path: Links(path.read_text(encoding="utf-8")) for path in html.rglob("*.html")}


def test_every_page_of_the_folder_is_in_the_site(site):
    html, pages = site

    assert {(html / page.relative_to(DOCS)).with_suffix(".html") for page in DOCS.rglob("*.md")} <= set(pages)


def test_every_link_inside_the_site_leads_to_a_place_that_is_there(site):
    _, pages = site
    for path, found in pages.items():
        for address in (*found.links, *found.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name} links to {address}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name} links to {address}"


def test_the_site_fetches_nothing_from_another_address(site):
    html, pages = site
    for path, found in pages.items():
        assert not [address for address in found.loaded if urlsplit(address).netloc], path.name
    for style in html.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(['\"]?(?:https?:)?//", text), style.name


# -- the pages as they are written


def links(page):
    """The addresses in a page of Markdown."""
    return re.findall(r"\]\(([^()\s]+)\)", page.read_text(encoding="utf-8"))


def anchors(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_every_link_of_a_page_leads_somewhere(page):
    for address in links(page):
        parts = urlsplit(address)
        if parts.scheme:
            assert re.fullmatch(r"https://[\w.-]+\.[a-z]+(/[\w./:~#?=&%-]*)?", address), address
            continue
        target = (page.parent / parts.path).resolve() if parts.path else page
        assert target.is_file(), address
        if parts.fragment:
            assert parts.fragment in anchors(target), address


def shown(page):
    """What a page shows as code: its blocks line by line, continued lines joined, and its inline code."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for block in blocks:
        yield from re.sub(r"\\\n\s*", "", block).splitlines()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def commands(page):
    """Every command of ours that a page shows, as the program's name and its arguments."""
    for line in shown(page):
        line = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line.strip()).removeprefix("$ ")
        line = line.replace(".venv\\Scripts\\", "").replace(".venv/bin/", "")
        found = re.match(r"(?:python -m )?(quizwriter|index_builder)(?: |$)(.*)", line)
        if found and (found[1] == "quizwriter" or line.startswith("python -m")):
            yield found[1], shlex.split(found[2])


@every_page
def test_every_command_of_a_page_is_understood(page, capsys):
    for program, arguments in commands(page):
        if " ".join([program, *arguments]) in dict(parsers(PROGRAMS[program](), program)):
            continue  # its name alone: the command is spoken of, not shown
        try:
            PROGRAMS[program]().parse_args(arguments)
        except SystemExit as end:
            message = capsys.readouterr()
            if end.code or not message.out:  # --help and --version print something and end with 0
                pytest.fail(f"{program} {shlex.join(arguments)}: {message.err}")


def test_the_pages_show_enough_commands_for_the_test_above_to_mean_something():
    assert sum(len(list(commands(page))) for page in PAGES) > 30


def parsers(parser, name):
    """The parser and all its subcommands' by name."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub, below in action.choices.items():
                yield from parsers(below, f"{name} {sub}")


def leaves(program):
    """Every command without commands below it, as it is typed."""
    prefix = "python -m " if program == "index_builder" else ""
    for name, parser in parsers(PROGRAMS[program](), program):
        if not any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
            yield f"{prefix}{name}"


def test_the_site_lists_every_command(site):
    html, _ = site
    page = re.sub(r"<[^>]+>", "", (html / "commands.html").read_text(encoding="utf-8"))

    for command in leaves("quizwriter"):
        assert f"\n{command}\n" in page, command


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_help_of_every_command_explains_every_option(program):
    for name, parser in parsers(PROGRAMS[program](), program):
        for action in parser._actions:
            assert action.help or isinstance(action, argparse._SubParsersAction), f"{name} {action.dest}"


def test_the_site_lists_every_rule(site):
    html, _ = site
    page = re.sub(r"<[^>]+>", "", (html / "editors.html").read_text(encoding="utf-8"))

    for name in RULES:
        assert f"\n{name}\n" in page, name


@every_page
def test_every_make_target_of_a_page_exists(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for line in shown(page):
        found = re.match(r"make ([a-z-]+)", line.strip())
        assert not found or re.search(rf"^{found[1]}:", makefile, re.MULTILINE), line


@cache
def makefile():
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_site_lists_every_make_target(site):
    html, _ = site
    page = re.sub(r"<[^>]+>", "", (html / "contributing.html").read_text(encoding="utf-8"))

    for target in set(re.findall(r"^([a-z-]+):", makefile(), re.MULTILINE)):
        assert f"make {target}" in page, target


def test_the_site_lists_every_experiment(site):
    html, _ = site
    page = re.sub(r"<[^>]+>", "", (html / "experiments.html").read_text(encoding="utf-8"))

    for found in experiments().values():
        assert f"\n{found.name}\n{escape(found.asks, quote=False)}\n" in page, found.name


@every_page
def test_every_file_and_module_that_a_page_names_is_there(page):
    for code in shown(page):
        for path in re.findall(
            r"(?<![\w./-])((?:quizwriter|index_builder|tests|docs|resources|\.ci|\.github)/[\w./-]*)", code
        ):
            if not path.startswith("docs/_"):
                assert (ROOT / path).exists(), f"{page.name} names {path}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_on_architecture_names_every_package(program):
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    packages = {door.parent.relative_to(ROOT).as_posix() for door in (ROOT / program).rglob("__init__.py")}

    for package in packages - {program}:
        assert f"{package}/" in text, package


@cache
def texts_of_the_window():
    """Every text in the code of the windows, without the marks of access keys."""
    code = (path.read_text(encoding="utf-8") for path in (ROOT / "quizwriter/gui").rglob("*.py"))
    return {text.replace("&", "") for one in code for text in re.findall(r'"([^"\\\n]+)"', one)}


@every_page
def test_every_menu_that_a_page_names_is_there(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    for action in re.findall(r"\*(?:File|Edit|View|Go|Review|Help) > ([^*]+)\*", text):
        assert set(action.split(" > ")) <= texts_of_the_window(), action


@pytest.mark.parametrize("place", MOST_WORDS)
def test_the_pages_are_short_enough_to_be_read(place):
    pages = (ROOT / place).rglob("*.md") if (ROOT / place).is_dir() else [ROOT / place]
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in pages)

    assert 0 < words <= MOST_WORDS[place], "shorten what another page, the window or --help says, too"


def test_pictures_are_small_and_all_are_used():
    used = {(page.parent / address).resolve() for page in PAGES for address in links(page)}

    for picture in (DOCS / "pictures").iterdir():
        assert picture.stat().st_size < LARGEST_PICTURE, picture.name
        assert picture in used, picture.name


def test_the_first_screen_of_the_readme_has_both_commands_and_what_they_install():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    screen = "\n".join(lines[:45])

    assert len(lines) <= 110
    assert "\nmake run\n" in screen
    assert "\nmake test\n" in screen
    assert re.search(r"\d+ MB.*if you are root", screen, re.DOTALL)


def test_the_classifiers_name_the_pythons_of_the_readme():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(python in text for python in pythons)
