"""The panes that a writer looks at while writing: draft, answer field, guesses, evidence, time line, list.

A pane shows what it is given and says what the writer did, by signals. It calls no service and no engine.
"""
