"""The views: the database as people read it, in Datasette, with ``sqlite-utils`` or in any SQLite program.

QuizWriter itself never reads a view. Each opening compares the views of the file with these, word for word: a
view of another name is refused, and one of these names that reads differently is replaced unread.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from quizwriter.domain.players import PLAYERS


class View(NamedTuple):
    """A view: what one of its rows is, and the query behind it."""

    row: str
    select: str


def _time(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%SZ', {column} / 1000, 'unixepoch') as time"


def _name(column: str) -> str:
    """The name of a person; the id of one who has none."""
    return f"coalesce((select nullif(name, '') from person where id = {column}), {column})"


def _asked(column: str, row: str) -> str:
    """A ``column`` of the answer that a tossup had at ``row``; before the first answer, of that one."""
    answers = f"select id from asked where asked.tossup = {row}.tossup"
    return f"""(select {column} from asked where id = ifnull(
            ({answers} and (asked.seq, asked.at_ms) <= ({row}.seq, {row}.at_ms)
             order by asked.seq desc, asked.at_ms desc, id desc limit 1),
            ({answers} order by asked.seq, asked.at_ms, id limit 1)))"""


def _title(page: str) -> str:
    return f"replace({page}, '_', ' ')"


_PLAYER = f"""case guesser {" ".join(f"when '{kind.name}' then '{kind.title}'" for kind in PLAYERS.values())}
        else upper(substr(guesser, 1, 1)) || substr(guesser, 2) end as player"""


def _set(tossup: str) -> str:
    return f"(select set_name from listed where listed.tossup = {tossup}) as set_name"


VIEWS: Mapping[str, View] = {
    "tossup_versions": View(
        "a tossup after one of its edits, with the whole text and the answer line that it had then",
        f"""
    with recursive version (tossup, seq, at_ms, author, text) as (
        select id, 0, 0, '', '' from tossup
        union all
        select edit.tossup, edit.seq, edit.at_ms, edit.author,
               substr(version.text, 1, edit.start) || edit.inserted
               || substr(version.text, edit.start + length(edit.removed) + 1)
        from version join edit on edit.tossup = version.tossup and edit.seq = version.seq + 1
    )
    select tossup, {_asked("answer_line", "version")} as answer, {_set("version.tossup")},
        seq as version, {_time("at_ms")}, {_name("author")} as writer, text
    from version where seq > 0""",
    ),
    "edits": View(
        "an edit: after start letters, removed was replaced by inserted, which made the version",
        f"""
    select tossup, answer_line as answer, {_set("edit.tossup")}, edit.seq as version,
        {_time("edit.at_ms")}, {_name("edit.author")} as writer, start, removed, inserted
    from edit join tossup on tossup.id = edit.tossup""",
    ),
    "shown_guesses": View(
        "a guess that a player showed the writer of a version; its first guess has the rank 1",
        f"""
    select tossup, {_asked("answer_line", "shown")} as answer, {_set("shown.tossup")},
        seq as version, {_time("at_ms")}, {_PLAYER}, words, guess.key + 1 as rank,
        {_title("json_extract(guess.value, '$[0]')")} as guess, json_extract(guess.value, '$[1]') as score
    from shown join json_each(case when json_valid(top) then top else '[]' end) as guess""",
    ),
    "buzzes": View(
        "a player's game of a version: the word after which it buzzed, its guess, whether that was right, "
        "and by how many words the buzz moved since its game before; no buzz counts as one at the end",
        f"""
    select tossup, {_asked("answer_line", "game")} as answer, {_set("game.tossup")},
        seq as version, {_time("at_ms")}, {_PLAYER}, words, first_correct, stable_correct,
        buzz_heard as buzz, {_title("buzz_page")} as guess,
        case when buzz_heard is null then null
             when first_correct is null or buzz_heard < first_correct then 0
             when buzz_heard >= stable_correct then 1
             else buzz_page is {_asked("page", "game")} end as is_right,
        version_before, buzz_before,
        coalesce(buzz_heard, words) - coalesce(buzz_before, words_before) as moved
    from (select *, lag(seq) over games as version_before, lag(buzz_heard) over games as buzz_before,
                 lag(words) over games as words_before from shown
          window games as (partition by tossup, guesser, engine order by seq, at_ms, id)) as game""",
    ),
    "events": View(
        "something that happened to a tossup beside its edits: a comment, a status, a tag and the like; "
        "details is JSON",
        f"""
    select event.root as tossup, answer_line as answer, {_set("event.root")},
        event.seq as version, {_time("at_ms")}, {_name("author")} as person, kind,
        case when json_valid(body) then json_extract(body, '$.text') end as text, body as details,
        event.id as event
    from event left join tossup on tossup.id = event.root""",
    ),
}


def are_current(found: Mapping[str, str]) -> bool:
    """Whether ``found``, the statements of the views of a database by name, are those of this program."""
    return found == {name: f'CREATE VIEW "{name}" AS {view.select.strip()}' for name, view in VIEWS.items()}


def drop_views(db: sqlite3.Connection) -> None:
    """Remove every view: a migration that renames or drops a column would stumble over it."""
    for (name,) in db.execute("select name from sqlite_master where type = 'view'").fetchall():
        db.execute(f'drop view "{name}"')
