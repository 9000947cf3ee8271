"""The prose of the tour, of *What is this?* and of *The players*."""

from __future__ import annotations

import msgspec

WHAT_IS_THIS = {
    "header": "The set, the category and the status of this tossup. Each is a button with a menu. An "
    "accepted tossup is locked until somebody unlocks it.",
    "answer": "What the tossup asks for. While you type, the list below offers the answers that the "
    "players know. A check mark shows that the players can guess this answer.",
    "draft": "The text of the tossup, with the hardest clue first. Shaded words are cues for the answer "
    "whose evidence is shown; framed words are cues against it. The bells in the margin show where the "
    "players buzz. Everything is saved while you type.",
    "time_line": "One lane for each player, with one cell for each word. A full cell means that the "
    "player's first guess is right after that word; a low cell means that another answer leads. The bell"
    " is the buzz, the dashed line is the power mark. Click a word, or step with Alt+Left and "
    "Alt+Right, to see the guesses after it.",
    "guesses": "What each player would guess after the selected word, with the chance that it is right. "
    "Click a guess, or press Ctrl+1 to Ctrl+5, to see its evidence.",
    "evidence": "Why a player makes this guess: the sentences of your draft that count most, and the past "
    "questions and articles that share words with them.",
    "comments": "The comments of writers and editors on this tossup. A comment stays with its words when "
    "they move.",
    "right": "The guesses with their evidence, the past questions, the what-if changes and the comments, "
    "one tab at a time.",
    "tossups": "All your tossups, the last changed first. Type in the search field to find one by its "
    "answer or its first words, and press Enter to open it.",
    "status": "When the players buzz, how long the draft is, and whether it is saved. While a menu is "
    "open, the line explains each action.",
    "messages": "Messages. Each one goes away when you close it, and some go by themselves.",
    "search_actions": "All actions by their names, with their keys. Type a part of a name and press Enter.",
    "menu_bar": "All actions of the program. Alt opens the menus, and the arrow keys go through them.",
}
"""What each part of the main window is for, by a name of ours."""

DIALOGS = {
    "Preferences": "Choose how QuizWriter looks and works. Changes apply immediately.",
    "Language model": "Choose the language model that the player LLM asks, and what it may cost.",
    "Ask without each sentence": "See what it costs to find out which sentence the LLM guesses from.",
    "Never send this set": "Permanently keep the tossups of a set off all players on servers.",
    "Elasticsearch server": "Choose the server whose evidence the player Elastic uses.",
    "Read to someone": "Read tossups word by word to people who buzz, and keep their answers.",
    "Open a room": "Have people on the same network buzz with their phones.",
    "Room": "How people come into the room, and who is there.",
    "Send to playtesters": "Write one file that people play in a browser, and e-mail it to them.",
    "Receive results of playtesters": "Read the results that playtesters sent, and keep them with the "
    "tossups.",
    "Play alone against the machines": "Hear tossups word by word, and buzz before the players do.",
    "Glossary": "The words of QuizWriter and of quizbowl. Type a part of a word or of its meaning.",
    "The players": "What each player is and how it guesses.",
    "Restore from backup": "The backups of your tossups. Select one to see what restoring it would change.",
    "Profile": "The name that others see beside your edits and comments.",
    "Log": "Who changed which status, category or tag, and when.",
    "Experiments": "Choose a question about many tossups, name what it needs, and run it.",
    "Progress of writers and sets": "How many tossups each writer and each set has, by status.",
    "Style sheet": "The rules of this set, the lengths of its tossups, and its spelling.",
    "Set brief": "What the set still needs. Choose a row to start a tossup of that kind.",
    "Empty the bin": "Permanently delete the tossups in the bin. This cannot be undone.",
    "Your packets": "The packets that you added to the players' evidence, and the questions that could not "
    "be read.",
    "Comments and reasons to be released": "Texts by people that would be released with the challenge set.",
    "Names in texts to be released": "Names of people found in texts that would be released.",
    "Comment": "A comment that each of the selected tossups gets.",
    "Tags": "Tags that each of the selected tossups gets from you.",
    "Status": "The next step of this tossup, and the checks that it must pass.",
    "Categories": "The categories that this set uses, one per line.",
    "New from a past question": "Start from a question that players answer early, and rewrite it.",
    "Import questions": "Turn question files and packets into drafts. You see each question first.",
    "Get more evidence": "Download public questions and texts. The dialog lists them first.",
    "Send to editor": "Write tossups to a pack, a file that you can send to somebody.",
    "Receive": "Merge the packs that somebody sent you.",
    "Bin": "See the deleted tossups, and restore them.",
    "Export my profile": "Write your profile with its key to a file, to use it on another computer.",
    "Import a profile": "Use the profile that you exported on another computer.",
    "Undo": "Undo the last edit.",
    "Find and replace in a set": "Replace words in all tossups of a set. You see every edit first.",
    "Tidy": "Remove extra spaces and blank drafts. You see each change first.",
    "Branches": "See tossups that were edited in two places, and merge them.",
    "Buzz goal": "Choose the word before which no player should buzz; the time line shows it.",
    "Sources of the clues": "See where each clue of this tossup comes from, and add a source.",
    "Control arm of the set": "Write about half of its tossups with the machines hidden, to compare.",
    "People": "See who wrote and edited here, say who a name in a packet is, or forget a person.",
    "Forget a person": "Erase the name of a person from everything on this computer.",
    "Import people's buzzes": "Add people's buzzes on the tossups of a set, from files of games.",
    "Export challenge set": "Write accepted tossups with their histories into a folder for researchers.",
    "Withdraw released questions": "Record which questions of a released set no longer count.",
    "Verify challenge set": "Check that a challenge set is complete and unchanged.",
}
"""What a dialog or window is for, by its title."""


class TourStop(msgspec.Struct, frozen=True):
    """A stop of the tour: the name of the ``part`` of the window, a title, and what is said there.

    ``asks``: the reason of the first buzz is in sight.
    """

    part: str
    title: str
    text: str
    asks: bool = False


TOUR = (
    TourStop(
        "draft",
        "Write",
        "Type your tossup here, the hardest clue first, and its answer above. The players guess again after "
        "every word. Everything is saved while you type.",
    ),
    TourStop(
        "time_line",
        "See the bell",
        "Each player has a lane, with one cell for each word. A bell shows where the player buzzes: full if "
        "the guess is right, empty if it is wrong, half full while there is no answer. "
        "The same bell is in the margin of the draft.",
    ),
    TourStop(
        "evidence",
        "Ask why",
        "Click a bell, or press F4. The evidence opens at that buzz. It names the words that gave the answer "
        "away, and the past questions and articles that have them. Esc closes it.",
        asks=True,
    ),
    TourStop(
        "draft",
        "Change it",
        "The shaded words are those to change: rephrase the clue, move it to a later place, or choose "
        "another. F6 opens What if, which tries such changes for you.",
        asks=True,
    ),
    TourStop(
        "time_line",
        "See what your edit did",
        "The label over a lane then shows the buzz before and after, such as 24\N{NO-BREAK SPACE}% → "
        "95\N{NO-BREAK SPACE}%, and a pale bell marks the old place. Repeat this until the buzz is late "
        "enough. F1 finds every other action.",
    ),
)
"""The stops in their order: what a writer does again and again. All take about a minute to read."""

BUZZERS = (
    "Each player has a buzzer. The buzzer turns the player's scores into the chance that its first "
    "guess is right, and decides at which word a buzz is worth the risk. It learned that from past "
    "tossups. Preferences, Players can set one chance for all players instead."
)
