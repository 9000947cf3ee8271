"""How Sphinx builds the pages in this folder; ``make docs`` runs it.

Neither building nor reading the pages needs a network: the theme brings no font and no script from elsewhere.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

project = "QuizWriter"
author = "The QuizWriter authors"
copyright = author  # noqa: A001 - Sphinx calls it so
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "version"
]

extensions = ["myst_parser", "tables", "walk"]
exclude_patterns = ["README.md", "extensions"]
nitpicky = True
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings: list[str] = []

html_theme = "furo"
html_title = f"QuizWriter {version}"
html_show_sphinx = False
html_copy_source = False
html_static_path: list[str] = []
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"
