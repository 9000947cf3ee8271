"""One sentence for each action of the main window, by its name."""

from __future__ import annotations

TIPS = {
    # File
    "New tossup": "Begin an empty tossup. The tossup that is open is saved.",
    "Open from the list": "Go to the list on the left, and search in it.",
    "Duplicate this tossup": "Make a copy of this tossup, and open the copy.",
    "Move this tossup to the bin": "Take this tossup out of all lists. It can be put back from the bin.",
    "Bin": "See the tossups that were thrown away, and put them back.",
    "Import questions": "Make drafts of question files and packets. You see each question first.",
    "Open bundle": "Choose the folder of a bundle, whose players then play.",
    "Add packets": "Add packets to the evidence of the players.",
    "Get more evidence": "Download public questions and texts. The dialog says first what it fetches.",
    "Send to editor": "Write tossups into a pack, a file that you can send to somebody.",
    "Receive": "Merge the packs that somebody sent you.",
    "Restore from backup": "See the backups of your tossups, and go back to one of them.",
    "Profile": "Enter the name that others see beside your edits and comments.",
    "Export my profile": "Write your profile with its key to a file, to use it on another computer.",
    "Import a profile": "Use the profile that you exported on another computer.",
    "Preferences": "Choose fonts, colours, players, lengths, keys and backups.",
    "Quit": "Save everything, and close QuizWriter.",
    # Edit
    "Undo": "Take back the last edit.",
    "Redo": "Make the edit again that you took back.",
    "Cut": "Move the selected text to the clipboard.",
    "Copy": "Copy the selected text to the clipboard.",
    "Paste": "Insert the text of the clipboard.",
    "Select all": "Select the whole text of the field that has the keyboard.",
    "Find": "Find words in this tossup.",
    "Find and replace": "Find words in this tossup, and put others in their place.",
    "Find next": "Go to the next place where the words stand.",
    "Find previous": "Go to the place before where the words stand.",
    "Find and replace in a set": "Replace words in all tossups of a set. You see every edit first.",
    "Tidy": "Take away spaces that nobody reads, and blank drafts. You see it first.",
    "Insert the power mark": "Put the power mark (*) at the cursor.",
    "Copy the draft with its answer": "Copy the whole tossup with its answer line to the clipboard.",
    # View
    "Larger text": "Make the letters of the draft larger.",
    "Smaller text": "Make the letters of the draft smaller.",
    "Theme: light": "Dark letters on light paper, in all windows.",
    "Theme: dark": "Light letters on dark paper, in all windows.",
    "Theme: as the system": "Light or dark, as the system is now.",
    "Theme: high contrast": "Black and white with strong colours, light or dark as the system is.",
    "Hide or show the list": "The list of tossups on the left.",
    "Hide or show the guesses and evidence": "The guesses, the evidence and the comments on the right.",
    "Draft and time line only": "Hide everything beside the draft, or bring it back.",
    # Go
    "To the answer": "Put the keyboard into the answer field.",
    "To the draft": "Put the keyboard into the draft.",
    "To the evidence": "Show the evidence, and put the keyboard into it.",
    "To the time line": "Put the keyboard into the time line. The arrow keys then step along the words.",
    "One word back": "Look at the guesses one word earlier.",
    "One word forward": "Look at the guesses one word later.",
    "Back to the last word": "Look at the guesses after the whole draft.",
    "Evidence for guess 1": "Show why the players think of the first guess.",
    "Evidence for guess 2": "Show why the players think of the second guess.",
    "Evidence for guess 3": "Show why the players think of the third guess.",
    "Evidence for guess 4": "Show why the players think of the fourth guess.",
    "Evidence for guess 5": "Show why the players think of the fifth guess.",
    "Evidence for the true answer": "Show what speaks for the answer of this tossup.",
    "Read about this page on Wikipedia": "Open the article on this page in your browser.",
    # Review
    "Ready": "Check the tossup, and mark it as ready for an editor.",
    "Change the status": "Open the menu with the next steps that this tossup can take.",
    "Choose a category": "Choose the category and the set of this tossup.",
    "Categories of the set": "Edit the list of categories that this set uses.",
    "Take back the last change": "Undo the last change of a status, a category or a set.",
    "Comment on the selection": "Write a comment on the selected words.",
    "Suggest other words": "Suggest words in place of the selected ones.",
    "Sources of the clues": "See where each clue of this tossup comes from, and add a source.",
    "Cite the evidence for this sentence": "Note the passage of the evidence as the source of this sentence.",
    "Show or hide comments": "The comments on this tossup, on the right.",
    "Tag tossups": "Tag what makes each tossup hard, one tossup after the other.",
    "Queue": "See all tossups as a table that can be filtered and sorted.",
    "Log of all sets": "See who changed which status, category or tag, and when.",
    "Progress of writers and sets": "See how many tossups each writer and each set has.",
    "Allow it": "Record that this tossup may be released in a challenge set.",
    "Do not allow it": "Record that this tossup may not be released.",
    "Never, even if others allow it": "Record that this tossup is never released, whatever others say.",
    "Export challenge set": "Write accepted tossups with their histories into a folder for researchers.",
    "Verify challenge set": "Check that a challenge set is whole and unchanged.",
    "Withdraw released questions": "Record which questions of a released set count no more.",
    "Branches": "See tossups that were edited in two places, and join them.",
    "History": "See every version of this tossup, and what the players guessed then.",
    # Help
    "Keys and actions": "Find every action by its name, and see its keys.",
    "Search all actions": "Find an action by its name, and do it.",
    "What is this?": "Explain the part of the window that has the keyboard.",
    "What is this? with the mouse": "Explain the part of the window that you click on next.",
    "Tour": "See on the example set what each part of the window is for. It takes two minutes.",
    "The players": "Read what each player is and how it thinks.",
    "Glossary": "Look up a word of QuizWriter or of quizbowl.",
    "Open the example set": "Open 23 tossups that the players have never seen.",
}  # fmt: skip
"""The sentences by the names of the actions; for players, see :func:`action_tip`."""

_PATTERNS = {
    "Player: ": "Switch this player on or off.",
    "Move ": "Show this player before the one above it.",
    "Reading speed: ": "Say with this speed how long it takes to read the draft aloud.",
    "Tossups: ": "Group the list of tossups in this way.",
}


def action_tip(name: str) -> str:
    """What the action called ``name`` does, in one sentence; empty if nobody wrote it."""
    patterns = (tip for start, tip in _PATTERNS.items() if name.startswith(start))
    return TIPS.get(name) or next(patterns, "")
