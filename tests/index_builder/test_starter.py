"""The starter bundle: built once, and again when its texts change."""

from __future__ import annotations

import json
import shutil

from index_builder.starter import starter_bundle
from quizwriter.engine import load
from quizwriter.services import resources_folder


def test_the_starter_bundle_is_built_once_and_again_when_its_texts_change(tmp_path):
    texts = shutil.copytree(resources_folder() / "starter", tmp_path / "starter")
    first = starter_bundle(texts, tmp_path / "bundles")
    built = (first / "manifest.json").stat().st_mtime_ns

    again = starter_bundle(texts, tmp_path / "bundles")
    with (texts / "articles" / "science.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"page": "Fox", "text": "Foxes are small canids with a bushy tail."}) + "\n")
    changed = starter_bundle(texts, tmp_path / "bundles")

    assert again == first
    assert (again / "manifest.json").stat().st_mtime_ns == built
    assert changed != first
    assert load(changed).pages.find("fox") == "Fox"
