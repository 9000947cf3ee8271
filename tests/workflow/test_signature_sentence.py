"""The sentence about signatures, as Receive and the command show it."""

from collections import Counter

from quizwriter.domain.review import Person
from quizwriter.domain.signatures import Authenticity, Forgery, SignatureReport
from quizwriter.system.signing import Signature
from quizwriter.workflow.wording import person_tooltip, signature_sentence


def test_everything_is_counted_by_what_it_proves():
    report = SignatureReport(
        Counter({Authenticity.VERIFIED: 12, Authenticity.UNCONFIRMED: 1, Authenticity.UNSIGNED: 2}),
        Counter({Authenticity.VERIFIED: 1, Authenticity.OTHER_KEY: 1}),
        [Forgery("comment", "a"), Forgery("comment", "a"), Forgery("edits", "a"), Forgery("consent", "?")],
        ["a"],
    )

    assert signature_sentence(report, {"a": "Ada"}) == (
        "Verified: 12 edits and 1 event. Unsigned: 3 edits. Another key: 1 event. The key that signed in "
        "the name of Ada has changed. Left out because it was forged in the name of Ada: comment (2 times) "
        "and signature of edits. Left out because it was forged in the name of somebody unknown: consent."
    )
    assert signature_sentence(SignatureReport(), {}) == ""


def test_a_tooltip_shows_the_key_that_people_compare():
    key = "0123456789abcdef" * 4
    signed = Person("a", "Ada", key=key, signature=Signature(key, ""))

    assert person_tooltip(signed) == "Ada\nKey: 0123 4567 89ab cdef …"
    assert "unsigned name" in person_tooltip(Person("a", "Ada", key=key))
    assert "No key of this person is known" in person_tooltip(Person("a", "Ada"))
