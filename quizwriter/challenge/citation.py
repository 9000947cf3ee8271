"""How a challenge set is cited, for people and for programs, and its licence file."""

from __future__ import annotations

import re
from typing import Any

from quizwriter.challenge.statements import LICENCES, SetStatements

_ADDRESS = re.compile(r"[^\s@]++@\S++")
_WEB_ADDRESS = re.compile(r"https?://[^\s\"{}\\]+")
_NOT_IN_A_KEY = re.compile(r"[^a-z0-9]+")
_NOT_IN_TEX = re.compile(r"[{}\\]")
_TEX = re.compile(r"([#$%&_])")


def bibtex(said: SetStatements) -> str:
    key = _NOT_IN_A_KEY.sub("-", f"{said.title} {said.version}".casefold()).strip("-") or "set"
    fields = {
        "title": f"{{{_latex(said.title)}}}",
        "author": f"{{{_latex(_author(said))}}}",
        "version": _latex(said.version),
        "year": said.released[:4],
        "url": said.website if _is_address(said.website) else "",
        "note": _latex(f"Challenge set for quizbowl players, made with {said.program}, {said.licence}"),
    }
    inside = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *inside, "}"])


def questions_head(said: SetStatements) -> dict[str, Any]:
    """What the file of the questions says of the whole set, in QANTA's order."""
    return {
        "version": said.version,
        "maintainer_name": said.maintainer,
        "maintainer_contact": said.contact,
        "maintainer_website": said.website,
        "project_website": said.website,
        "bibtex": bibtex(said),
        "dependent_checksums": {},
    }


def citation(said: SetStatements) -> str:
    """The file ``CITATION.cff``.

    Source:
        Druskat et al., "Citation File Format", version 1.2.0, doi 10.5281/zenodo.5171937.
    """
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this challenge set, please cite it and name its version.",
        "type: dataset",
        f"title: {quoted(said.title)}",
        f"version: {quoted(said.version)}",
        f"license: {LICENCES[said.licence].spdx}",
        "authors:",
        f"- name: {quoted(_author(said))}",
        "keywords: [quizbowl, question answering, adversarial]",
    ]
    if said.released:
        lines.append(f"date-released: {said.released}")
    if _is_address(said.website):
        lines.append(f"url: {quoted(said.website)}")
    if said.contact:
        lines += ["contact:", f"- name: {quoted(_author(said))}"]
        if _ADDRESS.fullmatch(said.contact):
            lines.append(f"  email: {quoted(said.contact)}")
        elif _is_address(said.contact):
            lines.append(f"  website: {quoted(said.contact)}")
    return "\n".join(lines) + "\n"


def _author(said: SetStatements) -> str:
    return said.maintainer or f"The writers and editors of {said.title}"


def _is_address(text: str) -> bool:
    return _WEB_ADDRESS.fullmatch(text) is not None


def _latex(text: str) -> str:
    """``text`` on one line, with the signs that LaTeX would read."""
    plain = _NOT_IN_TEX.sub("", " ".join(text.split()))
    return _TEX.sub(r"\\\1", plain)


def quoted(text: str) -> str:
    """``text`` on one line as a quoted string of YAML."""
    plain = " ".join(text.split())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def licence_text(said: SetStatements) -> str:
    licence = LICENCES[said.licence]
    return (
        f"{said.title}\n\nSPDX-License-Identifier: {licence.spdx}\n\n"
        f"The questions and all that comes with them are released under {said.licence}.\n"
        f"The full terms are at {licence.address}legalcode\n"
    )
