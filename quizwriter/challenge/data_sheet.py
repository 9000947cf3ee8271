"""The data sheet of a challenge set: its questions, and the answers that the data gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

import msgspec

from quizwriter.challenge.figures import LoopRow, PeopleFigures, ProvenanceFigures, SetFigures
from quizwriter.challenge.page_rule import BY_TITLES
from quizwriter.challenge.statements import SetStatements, plain_markdown
from quizwriter.challenge.wrong_guesses import COMPOSING, OTHER, READING, TaggedExample
from quizwriter.domain.page import page_title
from quizwriter.domain.provenance import Origin
from quizwriter.domain.review import ConsentBasis
from quizwriter.workflow.wording import counted_noun, listed, player_title


class SheetItem(msgspec.Struct, frozen=True):
    """A question of the data sheet.

    The editor answers the questions that have a ``hint``; the data answers the others.
    """

    key: str
    section: str
    question: str
    hint: str = ""


_MOTIVATION, _COMPOSITION, _COLLECTION, _PROCESSING, _USES, _DISTRIBUTION, _MAINTENANCE = (
    "Why it was made",
    "What is in it",
    "How it was collected",
    "What was done to it",
    "What it is for",
    "How it is given out",
    "Who looks after it",
)
SHEET_ITEMS = (
    SheetItem(
        "purpose",
        _MOTIVATION,
        "What was this set made for, and what was missing without it?",
        "One or two sentences.",
    ),
    SheetItem(
        "makers",
        _MOTIVATION,
        "Who made it, and on whose behalf?",
        "A team or an institution; no names of writers.",
    ),
    SheetItem("funding", _MOTIVATION, "Who paid for it?", "A grant, a tournament, nobody."),
    SheetItem("instances", _COMPOSITION, "What does one entry stand for, and how many are there?"),
    SheetItem("sample", _COMPOSITION, "Is it everything there is, or a selection, and how was that made?"),
    SheetItem("fields", _COMPOSITION, "What does an entry consist of, and what is its label?"),
    SheetItem("missing", _COMPOSITION, "Is anything missing from entries?"),
    SheetItem("relations", _COMPOSITION, "Do entries belong together in some way?"),
    SheetItem("splits", _COMPOSITION, "Which splits are recommended, and why these?"),
    SheetItem("noise", _COMPOSITION, "Which errors, noise or repetitions are known?"),
    SheetItem("selfcontained", _COMPOSITION, "Does it stand alone, or lean on something elsewhere?"),
    SheetItem("people", _COMPOSITION, "Does it tell anything about people, or let anyone be recognised?"),
    SheetItem(
        "offence",
        _COMPOSITION,
        "Could anything in it offend or distress?",
        "What the questions are about that some may not want to read.",
    ),
    SheetItem("acquired", _COLLECTION, "How did each entry come to be, and how was it checked?"),
    SheetItem("when", _COLLECTION, "Over what time was it collected?"),
    SheetItem(
        "writers",
        _COLLECTION,
        "Who wrote and edited it, and what did they get for it?",
        "Volunteers, students, paid writers, and how much.",
    ),
    SheetItem("consent", _COLLECTION, "Did the writers agree to its release, and can they take that back?"),
    SheetItem(
        "ethics",
        _COLLECTION,
        "Did anyone review whether it is right to collect it?",
        "A review board, or nobody.",
    ),
    SheetItem(
        "processing", _PROCESSING, "Was the text cleaned, split or labelled, and is the original kept?"
    ),
    SheetItem("software", _PROCESSING, "Can the software that did so be had?"),
    SheetItem("used", _USES, "What has it been used for so far?", "A tournament, a paper, nothing yet."),
    SheetItem("suits", _USES, "What else could it be used for?", "Tasks it would suit."),
    SheetItem("risks", _USES, "What about it may mislead those who use it later?"),
    SheetItem(
        "unfit", _USES, "What should it not be used for?", "For example to train the players it is to test."
    ),
    SheetItem("access", _DISTRIBUTION, "Who can have it, where and from when?", "An address, a date."),
    SheetItem("terms", _DISTRIBUTION, "Under which licence, and are there other rights in it?"),
    SheetItem(
        "rights",
        _DISTRIBUTION,
        "Does anybody else hold rights in the questions?",
        "A tournament that asked them, a publisher, nobody.",
    ),
    SheetItem(
        "host",
        _MAINTENANCE,
        "Who keeps it, and how can they be reached?",
        "A page or an office; no private address.",
    ),
    SheetItem("errata", _MAINTENANCE, "How are errors told and withdrawn questions marked?"),
    SheetItem(
        "updates",
        _MAINTENANCE,
        "Will it be updated, and what becomes of older versions?",
        "How often, and by whom.",
    ),
    SheetItem("extend", _MAINTENANCE, "Can others add to it?", "How, and who looks at what they send."),
)
"""The questions of the data sheet, in order.

Source:
    The topics of Gebru et al., "Datasheets for Datasets", Communications of the ACM 64 (2021); the wording is
    ours.
"""

EDITOR_ITEMS = tuple(item for item in SHEET_ITEMS if item.hint)
"""The questions that only the editor can answer."""

UNANSWERED = "*The editor has not answered this.*"


def data_sheet(said: SetStatements, figures: SetFigures) -> str:
    data_answers = _data_answers(said, figures)
    lines = [
        f"# Data sheet of {said.title}, version {said.version}",
        "",
        "After the topics of Gebru et al., *Datasheets for Datasets* (2021). Answers marked ◆ are the",
        "editor's, the others were filled in from the data.",
    ]
    section = ""
    for item in SHEET_ITEMS:
        if item.section != section:
            section = item.section
            lines += ["", f"## {section}"]
        answer_given = said.answers.get(item.key, "").strip()
        answer = f"◆ {answer_given}" if answer_given else UNANSWERED if item.hint else data_answers[item.key]
        lines += ["", f"**{item.question}**", "", answer]
    if figures.examples is not None:
        lines += ["", "## Who was in the loop", "", *_loop_lines(figures)]
        lines += ["", "## What players take for the answer", "", *_example_lines(figures)]
    if figures.goal is not None:
        goal = f"Each tossup was to {said.goal.sentence}. {said.goal.rule}"
        lines += ["", "## The goal of the writers", "", goal, figures.goal.sentence]
    if figures.people is not None:
        lines += ["", "## People who played it", "", *_people_lines(figures.people)]
    return "\n".join(lines) + "\n"


def _loop_lines(figures: SetFigures) -> list[str]:
    """How often the questions were tried on which players, by which players these were."""
    groups: dict[tuple[str, ...], list[LoopRow]] = {}
    for one in figures.loops:
        groups.setdefault(one.players, []).append(one)
    return [
        "For each question `questions.json` and `questions.csv` say which players showed their games while",
        "it was edited here, after how many runs of edits any did (*attempts*), and how many minutes lay",
        "between its edits, pauses longer than a minute counted as one.",
        "",
        "| in the loop | questions | median attempts | median minutes |",
        "| --- | --- | --- | --- |",
        *(
            f"| {listed([player_title(name) for name in players]) if players else 'nobody'} | {len(of):,} of "
            f"{figures.questions:,} | {median(one.attempts for one in of):g} | "
            f"{median(one.minutes for one in of):.1f} |"
            for players, of in sorted(groups.items())
        ),
    ]


def _people_lines(people: PeopleFigures) -> list[str]:
    """What the set has of people; who would win against them stands in the README."""
    return [
        f"People played {people.questions:,} of the questions in {counted_noun(people.rooms, 'room')}.",
        "For each of these questions, `questions.json` says under `people` how many rooms played it, after",
        "how many words each was answered rightly, and whether the text was edited since. No room, team or",
        "player is named. The README has the expected wins of the players against these rooms, beside those",
        "by the published cubic.",
    ]


def _example_lines(figures: SetFigures) -> list[str]:
    """Tables 1 and 2 of the paper, drafted from tags, wrong guesses and evidence."""
    examples = figures.examples or ()
    if not examples:
        return ["No question has a tag, so there is nothing to show by phenomenon."]
    lines = [
        "After tables 1 and 2 of Wallace et al., *Trick Me If You Can* (2019), drafted by the program: for",
        "each tag, how many questions have it, on how many of these a player that knows the answer is wrong",
        "in the end, and the first of them. The clue is the sentence that speaks most for the wrong page,",
        "and *leads there* has its words that do, with the past text that shares most of it; both are by",
        "the retrieval player's evidence. That the phenomenon is why a player is wrong is the taggers' view,",
        "and was not tested. In brackets: the 95 % interval (Wilson) of the share of all questions.",
    ]
    for group, title in (
        (READING, "Table 1: clues written in a misleading manner"),
        (COMPOSING, "Table 2: clues that compose existing knowledge"),
        (OTHER, "Other tags"),
    ):
        of_group = [one for one in examples if one.group == group]
        if not of_group:
            continue
        lines += [
            "",
            f"**{title}**",
            "",
            "| tag | questions | wrong on | question | clue | prediction | leads there | answer |",
            f"|{' --- |' * 8}",
            *map(_example_row, of_group),
        ]
    return lines


def _example_row(one: TaggedExample) -> str:
    share = one.share
    cells = [plain_markdown(one.tag), f"{one.hits:,} of {share.number:,}"]
    if share.value is not None and share.low is not None and share.high is not None:
        cells[1] += f" = {share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
    cells.append(f"{one.wrong:,} of {one.hits:,}")
    if one.guess is None:
        return f"| {' | '.join([*cells, '–', '–', '–', '–', '–'])} |"
    words = listed([f"“{word}”" for word in one.guess.words]) if one.guess.words else "–"
    source = f", in {one.guess.source}" if one.guess.source else ""
    cells += [
        str(one.number),
        plain_markdown(one.clue),
        plain_markdown(f"{player_title(one.guess.guesser)}: {page_title(one.guess.page)}"),
        plain_markdown(words + source),
        plain_markdown(one.answer),
    ]
    return f"| {' | '.join(cells)} |"


def _counts(counted: Mapping[str, int], empty: str = "none") -> str:
    return "; ".join(f"{name}: {number:,}" for name, number in sorted(counted.items())) or empty


def _data_answers(said: SetStatements, figures: SetFigures) -> dict[str, str]:
    categories = _counts({name or "none given": number for name, number in figures.categories.items()})
    tags = _counts({one.tag: one.questions for one in figures.tags if one.questions}, "")
    mean = figures.words / figures.questions if figures.questions else 0
    origin = " ".join(provenance_sentences(figures.provenance))
    histories = (
        "`histories.jsonl` has every edit."
        if said.histories
        else "The histories of the questions were left out."
    )
    histories += (
        " Comments and reasons that people wrote are released."
        if said.remarks
        else " Comments and reasons that people wrote were left out."
    )
    reasons = ", each with a reason in the data" if said.remarks else ""
    why = " and why" if said.remarks else ""
    in_view = (
        "While questions were edited here, machine players showed their guesses "
        f"({_in_view(figures.provenance)}), so these questions may be harder for these players than for "
        "others: compare players with that in mind. "
        if figures.provenance.players
        else ""
    )
    return {
        "instances": "An entry is a tossup: a question of several sentences whose clues go from hard to "
        f"easy, with its answer. There are {counted_noun(figures.questions, 'question')} of {mean:.0f} words "
        f"on average. By category: {categories}.",
        "sample": "A selection by the editor from the tossups in one database. Left out: "
        f"{_counts(said.left_out, 'nothing')}.",
        "fields": "The text, the answer line as a packet prints it, the page that a player must name (the "
        "label), the category, the writer's pseudonym, where the question comes from, the checks, where each "
        "machine player is right and buzzes; in `plays.jsonl` what every player said after every word. "
        f"{histories}" + (f" Phenomena that were tagged: {tags}." if tags else ""),
        "missing": (
            "The page is empty where the editor chose none. A player can know only the questions whose "
            "answer is one of its pages, or whose answer line accepts the title of one: "
            if said.schema >= BY_TITLES
            else "Questions without a page cannot be guessed by these players; the field is empty there. "
            "A player can know only the questions whose answer is one of its pages: "
        )
        + f"{figures.guessable:,} of "
        f"{figures.questions:,} for at least one player; `can_know` in `questions.json` says so for each. "
        "The year is -1 and the tournament is empty where they are not recorded."
        + (
            f" The writer of {counted_noun(figures.unknown_writers, 'question')} is not known."
            if figures.unknown_writers
            else ""
        ),
        "relations": "Questions that say much the same were looked for by the runs of four words they "
        f"share: {counted_noun(figures.duplicate_groups, 'group')} found. Where more than one of a group is "
        "released, all are in the same split.",
        "splits": "; ".join(f"{name}: {number:,}" for name, number in sorted(figures.splits.items()))
        + f". They are in `splits.json`, drawn with the seed {said.seed}, balanced by category and by how "
        "many players a question stumps. Questions added later do not move those already there.",
        "noise": f"{in_view}Checks that did not pass and were overridden{reasons}: "
        f"{_counts(figures.overridden)}. Not passed and not overridden: {_counts(figures.failing)}.",
        "selfcontained": "It stands alone. To play it again you need the players' bundle, which "
        "`MANIFEST.json` names by its digest, and which is not part of this set.",
        "people": "Writers and editors appear as pseudonyms made with a secret key; names and e-mail "
        "addresses were searched for in every file. Questions speak of public figures, as quizbowl does."
        + ("" if said.working_names else _names_withheld(said)),
        "acquired": f"{origin} Each question lists the checks it passed, and what was overridden{why}.",
        "when": "Edits in QuizWriter were made from {} to {}.".format(*figures.provenance.days)
        if figures.provenance.days
        else "No edit was made in QuizWriter.",
        "consent": f"Only questions with a consent to their release are here. {_consents(figures)}A question "
        "can be withdrawn at any time; it is then listed in `retracted.json` of a later version.",
        "processing": "The text is as it is in the editor's database. Sentences were told apart by rule "
        f"(`tokenizations`). {histories}",
        "software": f"Yes: {said.program}, under the MIT licence.",
        "risks": "The answer must be one of the pages a player knows; other players may know fewer. Near "
        "duplicates are found by shared words, not by meaning.",
        "terms": f"{said.licence}; see `LICENSE.txt`.",
        "errata": "A withdrawn question stays in the files, so that digests hold, and is listed with the "
        "reason in `retracted.json` of a later version. No version made afterwards holds it again.",
    }


def _names_withheld(said: SetStatements) -> str:
    told = (
        " Numbers stand for the names of files and packets, and for tags that the team made itself; the "
        "editor keeps which is which."
    )
    if said.names_of_others:
        told += (
            f" {counted_noun(said.names_of_others, 'name')} like that of a writer "
            f"{'means another person' if said.names_of_others == 1 else 'mean other people'}, as the editor "
            "decided."
        )
    return told


def _consents(figures: SetFigures) -> str:
    told = [
        f"{counted_noun(figures.consents[basis], 'consent')} {how}"
        for basis, how in _BASES.items()
        if figures.consents.get(basis)
    ]
    return f"Of these, {'; '.join(told)}. " if told else ""


_BASES = {
    ConsentBasis.VERIFIED: "given by the writer and verified by the writer's signature",
    ConsentBasis.UNSIGNED: "under the writer's name, without a signature that could be verified",
    ConsentBasis.RECORDED: "recorded by somebody else, with the reason kept in the editor's database",
}


def _in_view(provenance: ProvenanceFigures) -> str:
    return ", ".join(
        f"{player_title(name)} for {counted_noun(number, 'question')}"
        for name, number in provenance.players.items()
    )


def provenance_sentences(provenance: ProvenanceFigures) -> Iterator[str]:
    """Where the questions of a set come from, in sentences."""
    counts = provenance.origins

    def number(origin: Origin) -> str:
        count = counts.get(origin, 0)
        return f"{counted_noun(count, 'question')} {'was' if count == 1 else 'were'}"

    if Origin.WRITTEN in counts:
        yield f"{number(Origin.WRITTEN)} written in QuizWriter."
    if Origin.REWRITTEN in counts and not provenance.based_on:
        yield f"{number(Origin.REWRITTEN)} begun as a copy of another tossup in QuizWriter."
    if provenance.based_on:
        yield f"{number(Origin.REWRITTEN)} begun as a copy of another tossup or of a past question."
        yield f"Based on past questions that others wrote: {listed(list(provenance.based_on))}."
    if Origin.IMPORTED in counts:
        yield f"{number(Origin.IMPORTED)} imported from {counted_noun(len(provenance.files), 'file')}."
    for file in provenance.files:
        facts = [f"{file.edited:,} of them edited here afterwards" if file.edited else "none edited here"]
        if file.tournaments:
            facts.append(f"tournament {listed(list(file.tournaments))}")
        if file.years:
            facts.append(f"year {listed([str(year) for year in file.years])}")
        facts.append(
            f"{counted_noun(file.authors, 'author')} named there, here by pseudonyms"
            if file.authors
            else "no author named there"
        )
        if file.authors and file.without_author:
            facts.append(f"no author for {counted_noun(file.without_author, 'question')}")
        yield (
            f"From `{file.file.replace('`', '')}` (SHA-256 {file.digest}): "
            f"{counted_noun(file.questions, 'question')}; {'; '.join(facts)}."
        )
    if Origin.NOT_RECORDED in counts:
        yield (
            f"For {counted_noun(counts[Origin.NOT_RECORDED], 'question')} it is not recorded where the text "
            "comes from: it came in one piece, pasted or imported by an older version."
        )
    if provenance.arms:
        hidden, shown = (provenance.arms.get(arm, 0) for arm in ("hidden", "shown"))
        yield (
            f"Drawn at random into two arms: {counted_noun(hidden, 'question')} written with the machines "
            f"hidden until the tossup was ready, {shown:,} with the machines in sight."
        )
    if provenance.edits:
        yield (
            f"{counted_noun(provenance.edits, 'edit')} of {counted_noun(provenance.edited, 'question')} were "
            "made in QuizWriter"
            + (f" from {provenance.days[0]} to {provenance.days[1]}" if provenance.days else "")
            + f", with these players in view: {_in_view(provenance) or 'none'}."
        )
