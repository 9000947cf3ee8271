"""Folders of sentence encoders: settings, tokenizers, weights and networks; then a text is encoded."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from index_builder.data.encoder_folder import read_encoder
from tests.fuzz import mutation
from tests.fuzz.target import Target
from tests.helpers.made_encoder import make_encoder


class Encoders(Target):
    """The folder that *train --encoder* names, with its network as weights or in the ONNX format."""

    name = "encoders"

    def prepare(self, folder: Path) -> None:
        weights = make_encoder(folder / "weights")
        network = shutil.copytree(weights, folder / "network")
        (network / "onnx").mkdir()
        (network / "onnx" / "model.onnx").write_bytes(read_encoder(weights).model)
        (network / "model.safetensors").unlink()
        read_encoder(network).encoder(1)  # the libraries read their own files now, and not within a case
        self._seeds = [weights, network]

    def make(self, draw: random.Random, case: Path) -> None:
        folder = shutil.copytree(draw.choice(self._seeds), case / "encoder")
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in draw.sample(files, draw.choice((1, 1, 2))):
            change = mutation.json_bytes if path.suffix == ".json" and draw.random() < 0.8 else mutation.raw
            path.write_bytes(change(draw, path.read_bytes()))

    def read(self, case: Path) -> None:
        read_encoder(case / "encoder").encoder(1)
