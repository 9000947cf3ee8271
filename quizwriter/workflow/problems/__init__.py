"""The problems of a tossup: rules, and what they find.

``rule``           what a rule is, what it looks at, and what it finds
``typography``     spaces, punctuation, quotation marks, dashes, brackets
``usage``          contractions, vague words, repetitions, spellings, long sentences
``answer_leak``    the answer in the text
``misspellings``   words that a checker doubts
``past_usage``     what past questions usually have: guides for names, other names in answer lines
``question_form``  what is asked for, "for 10 points", power mark, guides, length
``readiness``      what must hold before a tossup is ready, and what the players say of it
``rules``          all of them, and what they find in a tossup
"""
