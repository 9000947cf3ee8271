"""The panes that a writer looks at while writing."""
