"""What tests of challenge sets share."""

import pytest

from quizwriter.engine import engine as engines
from tests.helpers.challenge_desk import Desk


@pytest.fixture(scope="package", autouse=True)
def _starter_is_loaded_once(starter, engine):
    """Each export and verification loads the bundle again, and this one never changes."""
    load = engines.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            engines, "load", lambda folder, **how: engine if folder == starter else load(folder, **how)
        )
        yield


@pytest.fixture
def desk(tmp_path, starter):
    """An editor's program with no tossups, in which Ben Osei writes."""
    made = Desk(tmp_path / "home", starter)
    made.app.profile.set_profile("Ben Osei", "ben@example.org")
    yield made
    made.app.store.close()
