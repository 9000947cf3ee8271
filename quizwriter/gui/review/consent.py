"""What giving a consent is called, the same in every menu."""

from __future__ import annotations

from quizwriter.domain.review import Consent

CONSENT_TITLES = {
    Consent.YES: "&Allow it",
    Consent.NO: "Do &not allow it",
    Consent.DO_NOT_RELEASE: "Ne&ver, even if others allow it",
}
"""The titles of the actions by which a consent is recorded."""
