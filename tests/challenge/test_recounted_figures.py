"""Figures of random small sets against a recount from their files, by the definitions in docs/challenge.md.

The recount shares no code with the program: it reads JSON and Markdown, and counts.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.verify import verify
from quizwriter.domain.review import Person, RoomsRecorded, Round, Tagged
from quizwriter.services.tossups import example_tossup
from tests.helpers.challenge_desk import ADA, BEN, Desk, words

CARL = Person("c" * 32, "Karl Ivarsdottir", "", 1)
TAGS = ("Novel clues", "Paraphrases", "check this")
PAGES = ("Jane_Austen", "Madama_Butterfly", "Hamlet", "Nobody_At_All")

some_tags = st.none() | st.frozensets(st.sampled_from(TAGS))
questions = st.tuples(
    st.sampled_from(PAGES),
    st.booleans(),  # whether it has clues that the players know
    st.sampled_from(["Literature", "Science"]),
    some_tags,
    some_tags,
    st.none() | st.frozensets(st.sampled_from(TAGS)),
    st.lists(st.integers(0, 12), max_size=7),  # words after which rooms answered; 0: nobody did
)

CLUES = {
    "Macbeth": "Banquo, three witches, and Birnam Wood at Dunsinane",
    "Jane_Austen": "Emma Woodhouse, Elizabeth Bennet, and Mr. Darcy of Pemberley",
    "Madama_Butterfly": "Pinkerton, Sharpless, Suzuki, and Cio-Cio-San in Nagasaki",
    "Hamlet": "Ophelia, Polonius, and Yorick at Elsinore",
}


def control_file(path, drawn):
    """Questions that no player learned from: of each a page, and whether it has clues that players know."""
    rows = []
    for number, (page, easy) in enumerate(drawn):
        clue = CLUES[page] if easy else "what nobody knows"
        text = f"{words(f'c{number}', 12)}. It has {clue}. For 10 points, name this."
        rows.append({"id": f"c{number}", "text": text, "answer": page.replace("_", " "), "fold": "guesstest"})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def written(desk, drawn):
    clues = example_tossup().text
    for number, (page, easy, category, ada, ben, decided, rooms) in enumerate(drawn):
        key = f"q{number}"
        text = f"{words(key, 12)}. {clues}" if easy else f"{words(key, 40)}. For 10 points, name this."
        desk.write(key, text, page=page, category=category)
        for person, tags in ((ADA, ada), (BEN, ben)):
            if tags is not None:
                desk.say(key, Tagged(tuple(sorted(tags))), author=person)
        play_in_rooms(desk, key, text, rooms)
        if decided is not None:
            desk.say(key, Tagged(tuple(sorted(decided)), Round.DECIDING), author=CARL)


def play_in_rooms(desk, key, text, rooms):
    if rooms:
        games = tuple(f"{key} {room}" for room in range(len(rooms)))
        count = sum(word != "(*)" for word in text.split())
        desk.say(key, RoomsRecorded("cup.jsonl", count, games, tuple(rooms)))


# -- the recount


def read_set(folder):
    whole = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    plays = [json.loads(line) for line in (folder / "plays.jsonl").read_text(encoding="utf-8").splitlines()]
    control = folder / "control.jsonl"
    lines = control.read_text(encoding="utf-8").splitlines() if control.exists() else []
    return whole["questions"], whole["quizwriter"], plays, [json.loads(line) for line in lines]


def right_after(play, share):
    """Whether the first guess is right after this share of the words, rounded up."""
    count, right = math.ceil(share / 100 * play["words"]), 0
    for heard, one in zip(play["heard"], play["right"], strict=True):
        if heard <= count:
            right = one
    return right


def first_share(play):
    at = [heard for heard, right in zip(play["heard"], play["right"], strict=True) if right]
    return at[0] / play["words"] if at else 1.0


def cohen(pairs):
    """Cohen's kappa for one tag: of each question, whether either tagger gave it."""
    number = len(pairs)
    agreed = sum(one == other for one, other in pairs) / number
    first, second = sum(one for one, _ in pairs) / number, sum(other for _, other in pairs) / number
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def table(text, *head):
    """The rows of the table in Markdown whose first columns are called so."""
    lines = text.splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith(f"| {' | '.join(head)} ")), None)
    if at is None:
        return []
    found = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip().replace("\\", "") for cell in line.strip("|").split("|")])
    return found


def value(cell):
    return None if cell == "–" else float(cell.split(" ")[0].replace("\u2212", "-"))


def near(found, wanted):
    assert (found is None) == (wanted is None)
    assert found is None or found == pytest.approx(wanted, abs=0.0006)


@settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    drawn=st.lists(questions, min_size=1, max_size=8),
    control=st.lists(st.tuples(st.sampled_from(list(CLUES)), st.booleans()), min_size=3, max_size=8),
    late=st.lists(st.integers(0, 100), min_size=1, max_size=7),
    seed=st.integers(0, 9),
)
def test_every_figure_of_a_random_set_is_what_a_plain_recount_gives(
    tmp_path_factory, starter, drawn, control, late, seed
):
    home = tmp_path_factory.mktemp("recounted")
    desk = Desk(home / "home", starter)
    desk.app.store.save_person(CARL)
    written(desk, drawn)
    known = example_tossup()  # a player buzzes rightly on it, where it is not left out as a near copy
    desk.write("known", known.text, page=known.answer.page, category="Literature")
    play_in_rooms(desk, "known", known.text, late)
    desk.export(
        home / "out",
        release=SetMetadata("Spring", seed=seed),
        control=control_file(home / "held_back.jsonl", control),
    )
    assert not verify(desk.app, home / "out", sample=0).problems
    rooms = {desk.released_id(f"q{number}"): one[-1] for number, one in enumerate(drawn)}
    rooms[desk.released_id("known")] = late
    desk.app.store.close()
    asked, extras, plays, controls = read_set(home / "out")
    readme = (home / "out/README.md").read_text(encoding="utf-8")
    sheet = (home / "out/DATASHEET.md").read_text(encoding="utf-8")
    results_are_counted(readme, plays, asked)
    controls_are_counted(readme, plays, controls)
    stumps_are_counted(asked, extras, plays)
    tags_are_counted(readme, extras)
    examples_are_counted(sheet, extras)
    people_are_counted(readme, sheet, extras, plays, asked, rooms)
    for category, number in Counter(one["levels"][0] for one in extras).items():
        assert f"{category}: {number}" in sheet
    for split, number in Counter(one["split"] for one in extras).items():
        assert f"{split}: {number}" in sheet


def won(play, text):
    """The chance to win at a right buzz: the published cubic of the share of the characters heard then."""
    if not play["buzzes_right"]:
        return 0.0
    ends = [word.end() for word in re.finditer(r"\S+", text) if word[0] != "(*)"]  # the power mark is no word
    return won_by_share(play, ends[play["buzz"] - 1] / len(text))


def won_by_share(play, heard=None):
    """The same of a question without its text, whose game says the share of the characters."""
    if not play["buzzes_right"]:
        return 0.0
    heard = play["buzz_characters"] if heard is None else heard
    return min(1.0, 0.9931 + heard * (0.0775 + heard * (-1.278 + heard * 0.588)))


def results_are_counted(readme, plays, asked):
    texts = {row["qanta_id"]: row["text"] for row in asked}
    rows_are_counted(readme, "this set", len(asked), plays, lambda one: won(one, texts[one["qanta_id"]]))


def controls_are_counted(readme, plays, controls):
    """The rows of the control, and those of the differences, over the pairs of which a player knows both."""
    number = len({one["control"] for one in controls})
    assert number
    rows_are_counted(readme, "the control", number, controls, won_by_share)
    titles = column_titles(readme)
    rows = [row for row in table(readme, "player", "questions of") if row[1] == "the difference"]
    asked = {(player_of(one), one["qanta_id"]) for one in plays if one["knowable"]}
    paired = {
        player_of(one) for one in controls if one["knowable"] and (player_of(one), one["matched"]) in asked
    }
    assert paired <= {row[0] for row in rows}
    for row in rows:
        mine = {one["qanta_id"]: one for one in plays if one["knowable"] and player_of(one) == row[0]}
        pairs = [
            (mine[one["matched"]], one)
            for one in controls
            if one["knowable"] and player_of(one) == row[0] and one["matched"] in mine
        ]
        assert row[3] == f"{len(pairs)} pair{'' if len(pairs) == 1 else 's'}"
        for at, title in enumerate(titles):
            if title.endswith(" %") and pairs:
                share = int(title.removesuffix(" %"))
                found = [right_after(one, share) - right_after(other, share) for one, other in pairs]
                near(value(row[at]), sum(found) / len(found))


def player_of(play):
    return {"ir": "IR"}.get(play["guesser"], play["guesser"])


def column_titles(readme):
    titles = next(line for line in readme.splitlines() if line.startswith("| player | questions of"))
    return [cell.strip() for cell in titles.strip("|").split("|")]


def rows_are_counted(readme, of, number, plays, chance):
    """The rows of the table ``of`` these ``plays``; ``chance`` is that to win with a play."""
    titles = column_titles(readme)
    assert sum(title.endswith(" %") for title in titles) >= 4
    assert "expected wins" in titles
    rows = [row for row in table(readme, "player", "questions of") if row[1] == of]
    players = list(dict.fromkeys(play["guesser"] for play in plays))
    assert len(rows) == len(players)
    for row, player in zip(rows, players, strict=True):
        known = [play for play in plays if play["guesser"] == player and play["knowable"]]
        assert (row[2], row[3]) == (str(number), str(len(known)))
        for at, title in enumerate(titles):
            if title.endswith(" %"):
                counted = [right_after(one, int(title.removesuffix(" %"))) for one in known]
            elif title == "right first at":
                counted = list(map(first_share, known))
            elif title == "buzzes right":
                counted = [one["buzzes_right"] for one in known]
            elif title == "expected wins":
                counted = list(map(chance, known))
            else:
                continue
            near(value(row[at]), sum(counted) / len(known) if known else None)


def stumps_are_counted(asked, extras, plays):
    """A stump is surely wrong: no guess is right, and none shares a word with the answer."""
    answer = {row["qanta_id"]: {word.casefold() for word in row["answer"].split()} for row in asked}
    for extra in extras:
        for play in (one for one in plays if one["qanta_id"] == extra["qanta_id"]):
            firsts = [play["pages"][row[0]] for row in play["guesses"] if row]
            alike = any(
                answer[play["qanta_id"]] & set(page.casefold().replace("_", " ").split()) for page in firsts
            )
            never = not any(play["right"])
            if play["guesser"] in extra["stumped"]:
                assert never
                assert play["knowable"]
            elif play["knowable"] and never:
                assert alike


def tags_are_counted(readme, extras):
    final, disputed, blind = Counter(), Counter(), []
    for extra in extras:
        by_round = {"blind": {}, "deciding": {}}
        for one in extra["taggings"]:
            by_round[one["round"]][one["by"]] = frozenset(one["tags"])
        taggers = list(by_round["blind"].values())
        if by_round["deciding"]:
            (found,) = by_round["deciding"].values()
            undecided = frozenset()
        else:
            found = frozenset().union(*taggers)
            undecided = found - taggers[0].intersection(*taggers) if len(taggers) > 1 else frozenset()
        assert frozenset(extra["tags"]) == found
        final.update(found)
        disputed.update(undecided)
        if len(taggers) == 2:
            blind.append([tags for _, tags in sorted(by_round["blind"].items())])
    rows = {row[0].rstrip("†"): row for row in table(readme, "tag", "questions", "undecided")}
    assert {name for name, row in rows.items() if row[1] != "0"} == set(final)
    for name, row in rows.items():
        assert (int(row[1]), int(row[2])) == (final[name], disputed[name])
        compared = [[name in tags for tags in pair] for pair in blind]
        assert int(row[3]) == len(compared)
        near(value(row[4]), cohen(compared) if compared else None)


def examples_are_counted(sheet, extras):
    rows = table(sheet, "tag", "questions", "wrong on")
    for tag, share, wrong, *_ in rows:
        having = [extra for extra in extras if tag in extra["tags"]]
        assert share.startswith(f"{len(having)} of {len(extras)}")
        missed = sum(extra["wrong_guess"] is not None for extra in having)
        assert wrong == f"{missed} of {len(having)}"


def people_are_counted(readme, sheet, extras, plays, asked, rooms):
    """Rooms, the share that answered, and wins: of the rooms, how many had not answered before the buzz."""
    played = {one["qanta_id"]: one["people"] for one in extras if "people" in one}
    recorded = {
        one["qanta_id"]: rooms[one["tossup_id"]] for one in extras if rooms.get(one["tossup_id"])
    }  # near copies are left out of the set
    assert {key: (one["rooms"], one["answered"]) for key, one in played.items()} == {
        key: (len(heard), sorted(filter(None, heard))) for key, heard in recorded.items()
    }
    rows = table(readme, "player", "questions", "wins, by people")
    if not recorded:
        assert not rows
        assert "People played" not in readme + sheet
        return
    heard = [at for one in recorded.values() for at in one]
    said = re.search(
        r"People played (\d+) questions? of this set in (\d+) rooms?; .*? is (\S+)", " ".join(readme.split())
    )
    assert (int(said[1]), int(said[2])) == (len(recorded), len(heard))
    near(float(said[3]), sum(at > 0 for at in heard) / len(heard))
    texts = {row["qanta_id"]: row["text"] for row in asked}
    length = {key: sum(word != "(*)" for word in text.split()) for key, text in texts.items()}
    shares = {
        key: [heard / length[key] for heard in one["answered"]] + [2] * (one["rooms"] - len(one["answered"]))
        for key, one in played.items()
    }
    every = [share for one in shares.values() for share in one]
    of = {player_of(one): [] for one in plays}
    for one in plays:
        if one["qanta_id"] in played and one["knowable"]:
            own = shares[one["qanta_id"]]
            against = own if len(own) >= 5 else every
            late = sum(share >= one["buzz"] / one["words"] for share in against) if one["buzzes_right"] else 0
            of[player_of(one)].append((late / len(against), won(one, texts[one["qanta_id"]])))
    assert {row[0] for row in rows} == set(of)
    for row in rows:
        found = of[row[0]]
        assert int(row[1]) == len(found)
        for at, column in ((2, 0), (3, 1)):
            near(value(row[at]), sum(one[column] for one in found) / len(found) if found else None)
