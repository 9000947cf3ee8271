"""The language of dates: Qt knows the names of months in all languages."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QDate, QLocale

from quizwriter.workflow.dates import ISO_DATES, DateStyle, use_date_style

LANGUAGES = ("en", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "uk", "zh")
"""The codes of the languages that the preferences offer."""


def use_dates(name: str) -> None:
    """Write dates in all windows as the setting ``name`` says: iso, system, or the code of a language."""
    if name == "iso":
        use_date_style(ISO_DATES)
        return
    locale = QLocale.system() if name == "system" else QLocale(name)
    if locale.language() == QLocale.Language.C:  # Qt does not know that language
        use_date_style(ISO_DATES)
        return

    def day(at: datetime) -> str:
        return locale.toString(QDate(at.year, at.month, at.day), "d MMM yyyy")

    english = locale.language() == QLocale.Language.English
    use_date_style(DateStyle(day, lambda at: f"{day(at)}, {at:%H:%M}", relative=english))
