"""What tests of challenge sets share."""

import pytest

from tests.helpers.challenge_desk import Desk


@pytest.fixture
def desk(tmp_path, starter):
    """An editor's program with no tossups, in which Ben Osei writes."""
    made = Desk(tmp_path / "home", starter)
    made.app.profile.set_profile("Ben Osei", "ben@example.org")
    yield made
    made.app.store.close()
