"""Typed answers are accepted, prompted or rejected as a moderator would, by the answer line alone."""

import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.judging import (
    LONGEST_ANSWER,
    Verdict,
    first_possible,
    is_right,
    judge,
    may_be_right,
    with_possible,
)
from quizwriter.judging.known_names import abbreviates

ACCEPT, PROMPT, REJECT = "accept", "prompt", "reject"

DICKINSON = "Emily <b><u>Dickinson</u></b>"
ELIZABETH = (
    "<b><u>Elizabeth I</u></b> [prompt on <u>Elizabeth</u> by asking “which one?”; reject “Elizabeth II”]"
)
PATH = (
    "<b><u>Shining Path</u></b> [or <b><u>Sendero Luminoso</u></b>; prompt on <u>Communist Party</u> of Peru]"
)
OXIDE = "<b><u>nitrous oxide</u></b> [or <b><u>N2O</u></b>; do not accept or prompt on “nitric oxide”]"
TWO = "<b><u>Peru</u></b> AND <b><u>Chile</u></b> [or <b><u>Republic of Chile</u></b>]"
EITHER = "<b><u>Hedda</u></b> <b><u>Gabler</u></b> [accept either underlined part]"
UNTIL = "<b><u>copper</u></b> [accept <b><u>bronze</u></b> until “tin” is read]"
BOTH = "<b><u>Great Britain</u></b> AND <b><u>Egypt</u></b> [prompt on <u>England</u>]"
PLACE = "<b><u>cold war</u></b> [accept “conflict” in place of “war”]"
FORMS = "<b><u>diffusion</u></b> [or word forms]"
PARTS = "<b><u>Ohm</u></b>’s <b><u>law</u></b> [prompt on partial answers]"
ALLUDED = "<b><u>flight</u></b> [accept any answer mentioning <b><u>wings</u></b>; accept equivalents]"

CASES = [
    # lines without markup: transliterations, initials, plurals, slips
    ("Muammar Gaddafi", "Qaddafi", ACCEPT),
    ("Mao Zedong", "Mao Tsetung", ACCEPT),
    ("Sergei Rachmaninoff", "Rachmaninov", ACCEPT),
    ("Deng Xiaoping", "Teng Hsiao-p'ing", ACCEPT),
    ("Albert Einstein", "Einstien", ACCEPT),
    ("J. R. R. Tolkien", "Tolkein", ACCEPT),
    ("T. S. Eliot", "Thomas Stearns Eliot", ACCEPT),
    ("T. S. Eliot", "George Eliot", REJECT),
    ("D. H. Lawrence", "T. E. Lawrence", REJECT),
    ("Johann Sebastian Bach", "JS Bach", ACCEPT),
    ("Johann Sebastian Bach", "JC Bach", REJECT),
    ("Johann Sebastian Bach", "JS", REJECT),
    ("Johannes Brahms", "JB Brahms", REJECT),
    ("Edgar Allan Poe", "Edgar Allen Poe", ACCEPT),
    ("Camille Saint-Saëns", "Saint-Saens", ACCEPT),
    ("Camille Saint-Saëns", "Saint Camille", REJECT),
    ("Leoš Janáček", "Janacek", ACCEPT),
    ("viruses", "virus", ACCEPT),
    ("estrogen", "oestrogen", ACCEPT),
    ("Pieter Bruegel", "Breughel", ACCEPT),
    ("DNA", "deoxyribonucleic acid", ACCEPT),
    ("Ulysses", "Odysseus", REJECT),
    ("Thus Sang the Eel [accept Also Sang the Eel; accept also Eel Song]", "Also Sang the Eel", ACCEPT),
    ("Thus Sang the Eel [accept Also Sang the Eel; accept also Eel Song]", "Eel Song", ACCEPT),
    # initials, species, parts of plays, quarters
    ("C. S. Lewis", "CS Lewis", ACCEPT),
    ("Wolfgang Amadeus Mozart", "W. A. Mozart", ACCEPT),
    ("Wolfgang Amadeus Mozart", "L. Mozart", REJECT),
    ("Vladimir Lenin", "V. I. Lenin", ACCEPT),
    ("Vladimir <b><u>Lenin</u></b>", "VI Lenin", ACCEPT),
    ("Vladimir <b><u>Nabokov</u></b>", "V. I. Lenin", REJECT),
    ("Mahatma Gandhi", "Ghandi", ACCEPT),
    ("Rembrandt van Rijn", "Rembrant", ACCEPT),
    ("<b><u>Drosophila melanogaster</u></b>", "D. melanogaster", ACCEPT),
    ("<b><u>Drosophila melanogaster</u></b>", "E. melanogaster", REJECT),
    ("<b><u>Caenorhabditis elegans</u></b>", "C. briggsae", REJECT),
    ("<b><u>Sodium chloride</u></b>", "S. chloride", REJECT),
    ("Henry IV, Part 1", "1 Henry IV", ACCEPT),
    ("<b><u>Henry IV, Part One</u></b>", "First Part of Henry IV", ACCEPT),
    ("<b><u>1 Henry IV</u></b>", "Henry IV, Part 1", ACCEPT),
    ("Henry IV, Part 1", "2 Henry IV", REJECT),
    ("Henry IV, Part 1", "1 Henry VI", REJECT),
    ("<b><u>3/4</u></b>", "three quarters", ACCEPT),
    ("<b><u>3/4</u></b>", "one quarter", REJECT),
    ("<b><u>1/4</u></b>", "one quarter", ACCEPT),
    ("<b><u>1/4</u></b>", "a quarter", ACCEPT),
    ("1/4", "4", REJECT),
    ("1/2", "half", ACCEPT),
    ("<b><u>1/2</u></b>", "one half", ACCEPT),
    ("a <b><u>half</u></b>", "1/2", ACCEPT),
    ("half", "2", REJECT),
    ("1/2", "12", REJECT),
    ("1/3", "a third", ACCEPT),
    ("<b><u>third</u></b>", "1/3", REJECT),
    ("C. S. Lewis", "CL Lewis", REJECT),
    ("Gabriel García Márquez", "Garcia Marquez", ACCEPT),
    ("John Quincy Adams", "John Adams", PROMPT),
    ("C. S. Lewis", "S. Lewis", PROMPT),
    ("C. S. Lewis", "Sinclair Lewis", PROMPT),
    ("Justinian I", "Justin I", REJECT),
    ("Côte d'Ivoire", "Ivory Coast", ACCEPT),
    ("Fyodor Dostoevsky", "Dostoievski", ACCEPT),
    ("Galileo Galilei", "Galileo", ACCEPT),
    ("C. S. <b><u>Lewis</u></b>", "CL Lewis", REJECT),
    ("E. <b><u>Dickinson</u></b>", "Ed Dickinson", ACCEPT),
    ("<b><u>Entamoeba coli</u></b>", "E. coli", REJECT),
    ("<b><u>Escherichia coli</u></b>", "E. coli", ACCEPT),
    ("E. coli", "Escherichia coli", ACCEPT),
    ("E. coli", "Entamoeba coli", REJECT),
    ("Emily <b><u>Dickinson</u></b> [reject Edward Dickinson]", "E. Dickinson", PROMPT),
    ("Emily <b><u>Dickinson</u></b> [reject Edward Dickinson]", "Edward Dickinson", REJECT),
    # one word in the place of any of several
    ("<b><u>red car</u></b> [accept “auto” in place of “car” or “wagon”]", "red auto", ACCEPT),
    ("<b><u>red car</u></b> [accept “auto” in place of “wagon” or “car”]", "red auto", ACCEPT),
    ("<b><u>red car</u></b> [accept “auto” in place of “wagon” or “cart”]", "red auto", REJECT),
    # required words
    (DICKINSON, "Dickinson", ACCEPT),
    (DICKINSON, "emily dickinson", ACCEPT),
    (DICKINSON, "E. Dickinson", ACCEPT),
    (DICKINSON, "Dickinson, Emily", ACCEPT),
    (DICKINSON, "Emily", REJECT),
    (DICKINSON, "Angie Dickinson", REJECT),
    (DICKINSON, "Emily Brontë", REJECT),
    (DICKINSON, "Dickinsen", ACCEPT),
    (DICKINSON, "Dikinson", ACCEPT),
    (DICKINSON, "Dickenson College", REJECT),
    (DICKINSON, "E", REJECT),
    ("<b><u>Emily Dickinson</u></b>", "Dickinson", REJECT),
    ("*_Emily_* *_Dickinson_*", "dickinson emily", REJECT),
    ("<b><u>Emily Dickinson</u></b>", "Emily Dickinson", ACCEPT),
    ("The <b><u>Waste Land</u></b>", "wasteland", ACCEPT),
    ("The <b><u>Waste Land</u></b>", "waste", REJECT),
    ("<b><u>spring</u></b>s", "spring", ACCEPT),
    ("<b><u>spring</u></b>s", "springs", ACCEPT),
    ("<b><u>spring</u></b>s", "strings", REJECT),
    ("the <b><u>Amazon</u></b> River", "amazon", ACCEPT),
    ("the <b><u>Amazon</u></b> River", "Amazon river", ACCEPT),
    ("the <b><u>Amazon</u></b> River", "river", REJECT),
    ("the <b><u>Amazon</u></b> River", "the", REJECT),
    ("the <b><u>Amazon</u></b> River", "the Amazon basin", REJECT),
    ("<b><u>Battle of Hastings</u></b>", "Hastings", REJECT),
    ("Battle of <b><u>Hastings</u></b>", "Hastings", ACCEPT),
    ("Battle of <b><u>Hastings</u></b>", "siege of Hastings", REJECT),
    ("<b><u>Treaty</u></b> of <b><u>Ghent</u></b>", "Ghent treaty", ACCEPT),
    ("<b><u>Treaty</u></b> of <b><u>Ghent</u></b>", "Ghent", REJECT),
    # articles, ampersands, short forms, hyphens
    ("<b><u>The Trial</u></b>", "Trial", ACCEPT),
    ("<b><u>Trial</u></b>", "a trial", ACCEPT),
    ("<b><u>Crime and Punishment</u></b>", "crime & punishment", ACCEPT),
    ("<b><u>Crime and Punishment</u></b>", "Crime", REJECT),
    ("<b><u>St. Kitts</u></b>", "saint kitts", ACCEPT),
    ("<b><u>Saint Kitts</u></b>", "St Kitts", ACCEPT),
    ("<b><u>Mount Etna</u></b>", "Mt. Etna", ACCEPT),
    ("<b><u>Mrs. Dalloway</u></b>", "mrs dalloway", ACCEPT),
    ("<b><u>Mrs. Dalloway</u></b>", "Mr. Dalloway", REJECT),
    ("<b><u>anti-matter</u></b>", "antimatter", ACCEPT),
    ("<b><u>antimatter</u></b>", "anti matter", ACCEPT),
    ("<b><u>antimatter</u></b>", "matter", REJECT),
    ("<b><u>Jean-Jacques</u></b> Rousseau", "jean jacques", ACCEPT),
    ("<b><u>King’s Gambit</u></b>", "kings gambit", ACCEPT),
    ("<b><u>King’s Gambit</u></b>", "queens gambit", REJECT),
    # numbers
    ("<b><u>Henry VIII</u></b>", "Henry the Eighth", ACCEPT),
    ("<b><u>Henry VIII</u></b>", "henry 8th", ACCEPT),
    ("<b><u>Henry VIII</u></b>", "Henry VII", REJECT),
    ("<b><u>Henry VIII</u></b>", "Henry", REJECT),
    ("<b><u>Henry VIII</u></b>", "King Henry VIII", ACCEPT),
    ("<b><u>Henry IV</u></b>", "Henry VI", REJECT),
    ("<b><u>Apollo 13</u></b>", "Apollo thirteen", ACCEPT),
    ("<b><u>Apollo 13</u></b>", "Apollo 11", REJECT),
    ("<b><u>Symphony No. 9</u></b>", "ninth symphony", ACCEPT),
    ("<b><u>Symphony No. 9</u></b>", "fifth symphony", REJECT),
    ("<b><u>1848</u></b>", "eighteen forty-eight", ACCEPT),
    ("<b><u>1848</u></b>", "1849", REJECT),
    ("<b><u>twenty-one</u></b>", "21", ACCEPT),
    ("<b><u>2001</u></b>", "two thousand one", ACCEPT),
    ("<b><u>2001</u></b>", "two thousand and one", ACCEPT),
    ("<b><u>1,000</u></b>", "one thousand", ACCEPT),
    ("<b><u>one-third</u></b>", "1/3", ACCEPT),
    ("<b><u>one-third</u></b>", "two thirds", REJECT),
    ("<b><u>May 4</u></b>, 1970", "may fourth", ACCEPT),
    ("<b><u>May 4</u></b>, 1970", "May 5", REJECT),
    ("<b><u>1960s</u></b>", "sixties", REJECT),
    ("<b><u>16th</u></b> century", "sixteenth century", ACCEPT),
    ("<b><u>16th</u></b> century", "17th century", REJECT),
    ("<b><u>Three Sisters</u></b>", "3 sisters", ACCEPT),
    ("<b><u>Three Sisters</u></b>", "two sisters", REJECT),
    ("Three Sisters", "3", PROMPT),
    ("<b><u>Malcolm X</u></b>", "malcolm x", ACCEPT),
    # accents and other alphabets
    ("<b><u>Søren Kierkegaard</u></b>", "soren kierkegaard", ACCEPT),
    ("<b><u>Weißensee</u></b>", "weissensee", ACCEPT),
    ("<b><u>Łódź</u></b>", "lodz", ACCEPT),
    ("<b><u>Dvořák</u></b>", "dvorak", ACCEPT),
    ("<b><u>Dvorak</u></b>", "Dvořák", ACCEPT),
    ("<b><u>Müller</u></b>", "mueller", ACCEPT),
    ("<b><u>Besançon</u></b>", "besancon", ACCEPT),
    ("<b><u>\u03b1 particle</u></b>", "alpha particle", ACCEPT),
    ("<b><u>beta decay</u></b>", "β decay", ACCEPT),
    ("<b><u>beta decay</u></b>", "alpha decay", REJECT),
    ("<b><u>Qur’an</u></b>", "koran", ACCEPT),
    ("<b><u>Ḥafez</u></b>", "hafez", ACCEPT),
    # spellings and transliterations
    ("<b><u>Tchaikovsky</u></b>", "chaikovskii", ACCEPT),
    ("<b><u>Dostoevsky</u></b>", "dostoyevsky", ACCEPT),
    ("<b><u>Muhammad</u></b>", "mohammed", ACCEPT),
    ("<b><u>tsar</u></b>", "czar", ACCEPT),
    ("<b><u>Hanukkah</u></b>", "chanukah", ACCEPT),
    ("<b><u>organization</u></b>", "organisation", ACCEPT),
    ("<b><u>color</u></b>", "colour", ACCEPT),
    ("<b><u>theater</u></b>", "theatre", ACCEPT),
    ("<b><u>Kazakhstan</u></b>", "kazakstan", ACCEPT),
    # slips
    ("<b><u>photosynthesis</u></b>", "photosinthesis", ACCEPT),
    ("<b><u>Mississippi</u></b>", "missisipi", ACCEPT),
    ("<b><u>Beethoven</u></b>", "bethoven", ACCEPT),
    ("<b><u>Beethoven</u></b>", "beethovan", ACCEPT),
    ("<b><u>Nietzsche</u></b>", "nietzche", ACCEPT),
    ("<b><u>Gandhi</u></b>", "ghandi", ACCEPT),
    ("<b><u>Einstein</u></b>", "einstien", ACCEPT),
    # what differs little and is something else
    ("<b><u>nitrite</u></b>", "nitrate", REJECT),
    ("<b><u>Austria</u></b>", "Australia", REJECT),
    ("<b><u>Niger</u></b>", "Nigeria", REJECT),
    ("<b><u>Slovakia</u></b>", "Slovenia", REJECT),
    ("<b><u>Iran</u></b>", "Iraq", REJECT),
    ("<b><u>sodium</u></b>", "potassium", REJECT),
    ("<b><u>meiosis</u></b>", "mitosis", REJECT),
    ("<b><u>alkane</u></b>", "alkene", REJECT),
    ("<b><u>Monet</u></b>", "Manet", REJECT),
    ("<b><u>magnesium</u></b>", "manganese", REJECT),
    ("<b><u>Gambia</u></b>", "Zambia", REJECT),
    ("<b><u>Mysore</u></b>", "Kingdom of Mysore", REJECT),
    ("Kingdom of Mysore", "Mysore", PROMPT),
    ("Charles II", "Charles I", REJECT),
    ("<b><u>North Korea</u></b>", "South Korea", REJECT),
    ("<b><u>chloride</u></b>", "sodium chloride", REJECT),
    ("<b><u>Artificial Intelligence</u></b>", "artificial general intelligence", REJECT),
    ("<b><u>Philosophy of History</u></b>", "History of Philosophy", REJECT),
    ("<b><u>On Liberty</u></b>", "Liberty", REJECT),
    ("On the Road", "The Road", PROMPT),
    # plurals and forms
    ("<b><u>bacterium</u></b>", "bacteria", ACCEPT),
    ("<b><u>wolves</u></b>", "wolf", ACCEPT),
    ("<b><u>cities</u></b>", "city", ACCEPT),
    ("<b><u>vertex</u></b>", "vertices", ACCEPT),
    (FORMS, "diffuse", ACCEPT),
    (FORMS, "fusion", REJECT),
    # initials
    ("<b><u>United Arab Emirates</u></b>", "UAE", ACCEPT),
    ("<b><u>United Arab Emirates</u></b>", "U.A.E.", ACCEPT),
    ("<b><u>North Atlantic Treaty Organization</u></b>", "NATO", ACCEPT),
    ("<b><u>North Atlantic Treaty Organization</u></b>", "NAT", REJECT),
    ("<b><u>DNA</u></b>", "D.N.A.", ACCEPT),
    ("<b><u>DNA</u></b>", "RNA", REJECT),
    ("J. R. R. <b><u>Tolkien</u></b>", "JRR Tolkien", ACCEPT),
    ("J. R. R. <b><u>Tolkien</u></b>", "Christopher Tolkien", REJECT),
    ("Johann Sebastian <b><u>Bach</u></b>", "J.S. Bach", ACCEPT),
    ("Johann Sebastian <b><u>Bach</u></b>", "C.P.E. Bach", REJECT),
    # formulas
    (OXIDE, "n2o", ACCEPT),
    (OXIDE, "N₂O", ACCEPT),
    (OXIDE, "nitrous oxide", ACCEPT),
    (OXIDE, "nitric oxide", REJECT),
    (OXIDE, "NO2", REJECT),
    # prompts
    (ELIZABETH, "Elizabeth", PROMPT),
    (ELIZABETH, "Queen Elizabeth I", ACCEPT),
    (ELIZABETH, "Elizabeth the First", ACCEPT),
    (ELIZABETH, "Elizabeth II", REJECT),
    (ELIZABETH, "Elizabeth the second", REJECT),
    (PATH, "sendero luminoso", ACCEPT),
    (PATH, "communist party", PROMPT),
    (PATH, "Communist Party of Peru", PROMPT),
    (PATH, "path", REJECT),
    (PARTS, "Ohm", PROMPT),
    (PARTS, "law", PROMPT),
    (PARTS, "ohms law", ACCEPT),
    (PARTS, "Hooke's law", REJECT),
    ("<b><u>3/4</u></b> [or <b><u>three-fourths</u></b>]", "3/4", ACCEPT),
    ("<b><u>3/4</u></b> [or <b><u>three-fourths</u></b>]", "4/3", REJECT),
    ("<b><u>7</u></b> and <b><u>11</u></b>", "11 and 7", ACCEPT),
    ("<b><u>-1</u></b>", "minus one", ACCEPT),
    ("<b><u>negative one</u></b>", "-1", ACCEPT),
    ("<b><u>negative one</u></b>", "1", REJECT),
    ("<b><u>Pe\u200bru</u></b>", "peru", ACCEPT),
    ("<b><u>Peru</u></b>", "\u200fpe\u00adru\u200b", ACCEPT),
    ("<b><u>Peru</u></b>", "\u2068pe\u180eru\u2069\ufe0f", ACCEPT),
    ("<b><u>Pope John Paul II</u></b>", "John Paul the second", ACCEPT),
    ("<b><u>Pope John Paul II</u></b>", "Pope John Paul", REJECT),
    ("<b><u>Prince Edward</u></b> Island", "Edward Island", REJECT),
    ("<b><u>Van Gogh</u></b>", "Vincent van Gogh", ACCEPT),
    ("<b><u>Van Gogh</u></b>", "Vincent", REJECT),
    ("∞ [or <b><u>infinity</u></b>]", "infinity", ACCEPT),
    ("a <b><u>b12</u></b> [anti-prompt on <u>cobalamin</u> by asking “less specific?”]", "cobalamin", ACCEPT),
    # either, both, in place of
    (EITHER, "Hedda", ACCEPT),
    (EITHER, "Gabler", ACCEPT),
    (EITHER, "Hedda Gabler", ACCEPT),
    (EITHER, "Hedda Tesman", REJECT),
    (TWO, "Peru and Chile", ACCEPT),
    (TWO, "Chile, Peru", ACCEPT),
    (TWO, "Peru AND Chile <History>", ACCEPT),
    (TWO, "Peru", PROMPT),
    (TWO, "Peru and Bolivia", REJECT),
    (TWO, "Bolivia", REJECT),
    (PLACE, "cold conflict", ACCEPT),
    (PLACE, "cold war", ACCEPT),
    (PLACE, "conflict", REJECT),
    (PLACE, "cold", REJECT),
    (ALLUDED, "having wings", ACCEPT),
    (ALLUDED, "feathers", REJECT),
    (UNTIL, "bronze", ACCEPT),
    # names without underlining
    ("Johannes Brahms", "Brahms", ACCEPT),
    ("Johannes Brahms", "brams", ACCEPT),
    ("Johannes Brahms", "Johannes", REJECT),
    ("Johannes Brahms", "Clara Brahms", REJECT),
    ("Ludwig van Beethoven", "Beethoven", ACCEPT),
    ("Ludwig van Beethoven", "van Beethoven", ACCEPT),
    ("John Quincy Adams", "John Adams", PROMPT),
    ("Percy Bysshe Shelley", "Percy Shelley", ACCEPT),
    ("Percy Bysshe Shelley", "Mary Shelley", REJECT),
    ("George H. W. Bush", "George Bush", PROMPT),
    ("Jerome Klapka Jerome", "Jerome", ACCEPT),
    ("Jerome Klapka Jerome", "Jerome K. Jerome", ACCEPT),
    ("Kim Jong-il", "Kim Jong-un", REJECT),
    ("Kim Jong-il", "Kim Jong Il", ACCEPT),
    # numbers of works, with and without "No."
    ("Beethoven's Ninth Symphony", "Beethoven's Symphony No. 9", ACCEPT),
    ("Beethoven's <b><u>Ninth Symphony</u></b>", "Symphony number nine", ACCEPT),
    ("Beethoven's <b><u>Ninth Symphony</u></b>", "Symphony number eight", REJECT),
    ("Symphony No. 9 (Beethoven)", "Beethoven's Ninth Symphony", ACCEPT),
    ("Symphony No. 9 (Beethoven)", "Beethoven's Symphony No. 8", REJECT),
    ("<b><u>Ninth Symphony</u></b>", "Symphony No. 9", ACCEPT),
    ("Dr. No", "Dr. Nine", REJECT),
    ("No Exit", "Exit", PROMPT),
    # one of two things that a line prompts on
    ("gills [prompt on lungs and breathing organs]", "lungs", PROMPT),
    ("gills [accept fish and breathing organs]", "fish", REJECT),
    ("Animal Farm", "Farm", PROMPT),
    # without the word for the kind, where the rest is no other title
    ("Amazonas Territory", "Amazonas", ACCEPT),
    ("the Fehling test [prompt on sugar test]", "Fehling", ACCEPT),
    ("Mount Kinabalu", "Kinabalu", ACCEPT),
    ("Mount Kinabalu", "mount", PROMPT),
    ("Columbia University", "Columbia", PROMPT),
    ("<b><u>Fehling test</u></b>", "Fehling", REJECT),
    # what stands between two semicolons, word for word
    ("rain [accept word forms like raining; accept clear equivalents]", "clear equivalents", ACCEPT),
    ("a [or b] AND c [or d OR e; do not accept f]", "f", REJECT),
    ("Paradise Lost", "Paradise Regained", REJECT),
    ("Republic of Iraq", "Iraq", ACCEPT),
    ("Jane Austen (novelist)", "austen", ACCEPT),
    ("Mercury (planet)", "Mercury (element)", REJECT),
    ("The (Holy) Grail", "the holy grail", ACCEPT),
    # two words said as one, and one said as two
    ("<b><u>old bookcase</u></b>", "old book cases", ACCEPT),
    ("<b><u>old book case</u></b>", "old bookcases", ACCEPT),
    ("Alexandria <b><u>Light House</u></b> Ruins", "Alexandria lighthouse", ACCEPT),
    ("Alexandria <b><u>Light House</u></b> Ruins", "light ruins", REJECT),
    ("Alexandria <b><u>Light House</u></b> Ruins", "lighthouse fire", REJECT),
    ("<b><u>book case</u></b> maker", "maker bookcase", REJECT),
    ("<b><u>Lighthouse Keeper</u></b>", "keeper light house", REJECT),
    ("Madama <b><u>Butterfly</u></b> Opera", "butter fly opera", ACCEPT),
    ("Alpine <b><u>field mice</u></b> hunt", "fieldmice hunt", ACCEPT),
    ("Johann Sebastian Bach", "Johann JS Bach", REJECT),
    ("<b><u>book of case</u></b> law", "bookcase", ACCEPT),
    ("<b><u>book of case</u></b> law", "case bookcase", REJECT),
    # adjectives of countries, and long words that are cut
    ("<b><u>Bolivian Army</u></b>", "Bolivia Army", ACCEPT),
    ("<b><u>Canada Goose</u></b>", "Canadian goose", ACCEPT),
    ("<b><u>Peruvian</u></b>", "Peru", REJECT),
    ("<b><u>Wittgenste Paradox</u></b>", "Witt paradox", ACCEPT),
    ("<b><u>Wittgenst Paradox</u></b>", "Witt paradox", REJECT),
    ("<b><u>Wittgenstein Paradox</u></b>", "Wit paradox", REJECT),
    ("<b><u>Wittgenstein Paradox</u></b>", "Witt", REJECT),
    ("<b><u>killing of a king</u></b> [accept descriptions of regicide]", "regic", ACCEPT),
    ("<b><u>killing of a king</u></b> [accept descriptions of regicide]", "regi", REJECT),
    # initials of given names and of a genus
    ("J. Kennedy", "John Kennedy", ACCEPT),
    ("<b><u>J. Kennedy</u></b>", "John Kennedy", REJECT),
    ("Zorka <b><u>Kennedy</u></b>", "Z Kennedy", ACCEPT),
    ("Zorka Kennedy", "Z Kennedy", REJECT),
    ("Johann <b><u>Zebastian Bach</u></b>", "Johann Zebestian Bach", ACCEPT),
    ("<b><u>Canis lupus</u></b>", "C. lupus", ACCEPT),
    ("<b><u>Canis lupus</u></b>", "Ca lupus", REJECT),
    ("<b><u>Canis lupus</u></b>", "lupus C", REJECT),
    ("<b><u>canis lupus</u></b>", "C. lupus", REJECT),
    ("Gray <b><u>Canis lupus</u></b>", "C. lupus", REJECT),
    ("<b><u>Canis Lupus</u></b>", "C. lupus", REJECT),
    # titles, and what may be said beside a name
    ("<b><u>Emperor Franz Josef I</u></b>", "Franz Josef I", ACCEPT),
    ("<b><u>Emperor Franz Josef</u></b>", "Franz Josef", REJECT),
    ("<b><u>Franz Josef I Emperor</u></b>", "Franz Josef I", REJECT),
    ("<b><u>Isaac Newton</u></b>", "Sir Isaac Newton", ACCEPT),
    ("<b><u>Isaac Newton</u></b>", "Isaac Sir Newton", REJECT),
    ("<b><u>Isaac Newton</u></b>", "Lady Isaac Newton", REJECT),
    ("<b><u>Isaac Newton</u></b>", "Saint Isaac Newton", REJECT),
    ("<b><u>Zorka Newton</u></b>", "Sir Zorka Newton", REJECT),
    ("<b><u>Newton</u></b>", "Sir Newton", REJECT),
    ("<b><u>Zorka IV</u></b>", "King Zorka IV", ACCEPT),
    ("<b><u>Lord Byron</u></b>", "Lord George Byron", REJECT),
    ("<b><u>Peru</u></b>", "Republic of Peru", ACCEPT),
    ("<b><u>China</u></b>", "Republic of China", REJECT),
    ("gills [prompt on lungs]", "gills or lungs", ACCEPT),
    ("red car", "blue car", REJECT),
    ("<b><u>Symphony 9</u></b>", "symphony No. 9", ACCEPT),
    ("<b><u>Symphony</u></b>", "symphony No. 9", REJECT),
    ("<b><u>Kim Jong Un</u></b>", "Kim Jong de Un", ACCEPT),
    ("<b><u>Kim Jong Un</u></b>", "Kim Jong Un de", REJECT),
    ("<b><u>Charles Gaulle</u></b>", "Charles d Gaulle", ACCEPT),
    ("<b><u>Charles Gaulle</u></b>", "Charles y Gaulle", REJECT),
    ("Charles <b><u>Gaulle</u></b>", "de Gaulle", REJECT),
    # the order of words and of numbers
    ("<b><u>house of cards</u></b>", "cards house", ACCEPT),
    ("<b><u>house of cards</u></b>", "cards of house", REJECT),
    ("<b><u>red blue house of cards</u></b>", "cards house blue red", REJECT),
    ("<b><u>king and queen</u></b>", "queen and king", ACCEPT),
    ("<b><u>king and queen</u></b>", "queen king", REJECT),
    ("<b><u>North South East</u></b>", "East South North", REJECT),
    ("<b><u>Hamlet Macbeth</u></b> [accept in any order]", "Macbeth Hamlet", ACCEPT),
    ("<b><u>7, 11</u></b>", "11 7", ACCEPT),
    ("<b><u>7 11</u></b>", "11 7", REJECT),
    ("<b><u>7 of 11 bells</u></b>", "11 of 7 bells", REJECT),
    ("<b><u>bells 7 11</u></b>", "bells 11 7", REJECT),
    ("<b><u>1812 and 1914</u></b>", "1914 and 1812", ACCEPT),
    # names without markup of which a word is missing
    ("Otto von Bismarck", "Otto Bismarck", ACCEPT),
    ("Ludwig van Beethoven", "Ludwig van", PROMPT),
    ("Vasco da Gama", "Gama", ACCEPT),
    ("Vasco da Gama", "Vasco", REJECT),
    ("Kingdom of Spain", "Spain", ACCEPT),
    ("Federal Republic of Germany", "Germany", REJECT),
    ("Alpha Bravo Charlie Delta Echo Foxtrot", "Alpha Bravo Delta Echo Foxtrot", ACCEPT),
    ("Alpha Bravo Charlie Delta Echo", "Alpha Bravo Delta Echo", PROMPT),
    ("Alpha Bravo Charlie Delta Echo Foxtrot", "Alpha Bravo Charlie Delta", PROMPT),
    ("Alpha Bravo Charlie Delta Echo X", "Alpha Bravo Charlie Delta Echo", PROMPT),
    ("Alpha Bravo Charlie Delta Echo Z", "Alpha Bravo Charlie Delta Echo", PROMPT),
    ("Alpha Bravo 7 Delta Echo Foxtrot", "Alpha Bravo Delta Echo Foxtrot", PROMPT),
    ("NMR spectroscopy [accept IR spectroscopy; accept Raman spectroscopy]", "spectroscopy", ACCEPT),
    ("NMR spectroscopy [accept IR spectroscopy]", "spectroscopy", PROMPT),
    ("NMR spectroscopy/IR spectroscopy/Raman spectroscopy", "spectroscopy", PROMPT),
    ("Zorka blot [accept Nora blot; accept Ada blot]", "blot", PROMPT),
    ("Zorka test", "Zorka", ACCEPT),
    ("Lake Zorka", "Zorka", ACCEPT),
    ("Lake Zorka", "big Zorka", REJECT),
    ("Lake Victoria", "Victoria", PROMPT),
    ("Zorka blot", "Zorka", PROMPT),
    ("John Zorka Kenedi", "John Kenedi", ACCEPT),
    ("John Zorka Nora Kenedi", "John Kenedi", ACCEPT),
    ("Johann Zorka Tchaikovsky", "Johann Chaikovskii", ACCEPT),
    ("John Kenedi", "Kenedi", ACCEPT),
    ("Zorka Kenedi", "Kenedi", PROMPT),
    ("Z. Kenedi", "Kenedi", ACCEPT),
    ("john kenedi", "Kenedi", PROMPT),
    ("John Kenedis", "Kenedi", PROMPT),
    ("John Kenedi", "the Kenedi", PROMPT),
    ("John Kenedi, Earl", "Kenedi", REJECT),
    ("Peter Paul, Mary", "Mary", REJECT),
    ("John Kenedi IV", "Kenedi", REJECT),
    ("John B", "B", REJECT),
    ("John Nora Petra Anna Maria Kenedi", "Kenedi", REJECT),
    ("John Kenedi Jr", "Kenedi", ACCEPT),
    ("John Kenedi Sr", "Kenedi", ACCEPT),
    ("John of Kenedi", "Kenedi", PROMPT),
    ("Jack And Jill", "Jill", PROMPT),
    ("Z Kenedi", "Kenedi", PROMPT),
    ("Zorka Petrovka test", "Zorka Petrovka", ACCEPT),
    ("John Wu", "Wu", ACCEPT),
    ("Edgar Allan II", "Edgar Allen II", REJECT),
    ("Gone with the Wind novel", "Gone with the Wind", PROMPT),
    ("John von Kenedi", "von Kenedi", ACCEPT),
    ("John Nora-Kenedi", "Kenedi", ACCEPT),
    ("John Nora Kenedi", "Nora Kenedi", ACCEPT),
    ("John Nora Kenedi", "Kenedi Nora", REJECT),
    ("Zorka Lovelace [accept Zorka King Lovelace]", "Lovelace", ACCEPT),
    ("Zorka Lovelace [accept Petrovka King Lovelace]", "Lovelace", PROMPT),
    ("Zorka Lovelace [accept Zorka Lovelock]", "Lovelace", PROMPT),
    ("Zorka King Lovelace [accept Zorka King Petra Lovelace]", "Lovelace", ACCEPT),
    ("Zorka da Gama", "Zorka Gama", ACCEPT),
    ("Mount Zorka", "Zorkas", ACCEPT),
    ("Haunting experiment", "haunt", ACCEPT),
    ("Red Army Faction [accept Zorka Petrovka gang]", "Zorka Petrovka", ACCEPT),
    ("Zorka Petrovka gang [accept RAF]", "Zorka Petrovka", PROMPT),
    ("John Zorka-Kenedi", "ZorkaKenedi", ACCEPT),
    ("John Zorka Kenedi", "ZorkaKenedi", PROMPT),
    ("Zorka Lovelace [reject Zorka King Lovelace]", "Lovelace", PROMPT),
    # descriptions, of which other words may be said between, and what a clause says word for word
    ("crime [accept descriptions of Henry IV, Part 1]", "1 long Henry IV", ACCEPT),
    ("crime [accept descriptions of killing kings/burning queens]", "burning many queens", ACCEPT),
    ("rain [accept word forms like raining; reject clear equivalents]", "clear equivalents", REJECT),
    ("rain [accept word forms like raining; prompt on clear equivalents]", "clear equivalents", PROMPT),
    # words of which only the beginning is required
    ("<b><u>Dan</u></b>te", "Dan", ACCEPT),
    ("<b><u>Da</u></b>nte", "Da", REJECT),
    ("<b><u>electr</u></b>icity", "electron", ACCEPT),
    ("<b><u>electr</u></b>icity", "electronic", REJECT),
    ("<b><u>cap</u></b>ital", "caption", REJECT),
    # slips in middle names, and costs of a part
    ("Zorka Allan Poe", "Zorka Allen Poe", REJECT),
    ("John Zorka Allen", "John Zorka Allan", REJECT),
    ("blue organization", "organisation", PROMPT),
    ("Zorka <b><u>Wittgenstein</u></b>", "Witt", REJECT),
    ("Emily <b><u>Dickinson</u></b> [prompt on Dickinson]", "Dickinsons", PROMPT),
    # two names that fit almost equally well: what the answer is comes before what is prompted on
    ("<b><u>Mexicogulf</u></b> [prompt on Gulf of Mexico]", "Mexico gulf", ACCEPT),
    ("<b><u>Mexicogulf</u></b> [reject Gulf of Mexico]", "Mexico gulf", REJECT),
    (
        "<b><u>light house painting</u></b> [prompt on <u>lighthouse paint</u> of old Petrovka]",
        "light house paint of Petrovka",
        PROMPT,
    ),
    # a plural that is said as two words is the compound still
    ("<b><u>Old Lighthouse</u></b>", "old light houses", ACCEPT),
    ("<b><u>greenhouse gases</u></b>", "green house gas", ACCEPT),
    ("<b><u>Lighthouse Ox</u></b>", "light house ox", ACCEPT),
    # a number belongs to the word beside it
    ("<b><u>Route 66 Part 2</u></b>", "Route 2 Part 66", REJECT),
    ("<b><u>Henry VI, Part 3</u></b>", "Henry III, Part 6", REJECT),
    ("<b><u>Henry VI, Part 3</u></b>", "Part Three of Henry VI", ACCEPT),
    ("<b><u>1848 and 1849 revolutions</u></b>", "revolutions of 1848 and 1849", ACCEPT),
    ("3/4", "the 3/4", ACCEPT),
    ("1/2", "the 12", REJECT),
    # of a plural no longer word is accepted, and of a required beginning no name that only begins so
    ("<b><u>Dan</u></b>te", "Danzig", REJECT),
    ("<b><u>Dan</u></b>te", "Daniel", REJECT),
    ("<b><u>danc</u></b>ing", "dancers", ACCEPT),
    ("<b><u>Austria</u></b>n", "Austrians", ACCEPT),
    ("<b><u>Chin</u></b>ese", "China", ACCEPT),
    ("<b><u>cat</u></b>s", "cattle", REJECT),
    ("<b><u>box</u></b>es", "boxer", REJECT),
    ("<b><u>ram</u></b>s", "ramp", REJECT),
    ("<b><u>Roman</u></b>s", "Romania", REJECT),
    ("<b><u>German</u></b>s", "Germany", REJECT),
    ("<b><u>Roman</u></b>s", "Roman", ACCEPT),
    ("<b><u>\u03b3 ray</u></b>s", "gamma ray", ACCEPT),
    ("<b><u>\u03b3 ray</u></b>s", "gamma", REJECT),
    # a subtitle is no name of a work whose title is underlined
    ("<b><u>Candide</u></b>, or Optimism", "Candide, or Optimism", ACCEPT),
    ("<b><u>Candide</u></b>, or Optimism", "Optimism", REJECT),
    # a surname that is a country's name, that is badly spelled, or that has a short name before it
    ("Paul Chad", "Chad", PROMPT),
    ("Paul Zorka Chad", "Chad", REJECT),
    ("Johannes Brahmstein", "Brehmstain", REJECT),
    ("John Zorka Kenedi", "John Kenadi", REJECT),
    ("John Wu Kenedi", "Wu Kenedi", ACCEPT),
    ("<b><u>Van</u></b>", "Vincent Van", REJECT),
    ("<b><u>United Kingdom</u></b>", "UK parliament", REJECT),
    # articles of other languages before a title, missing or too much
    ("<b><u>Die Zauberflöte</u></b>", "Zauberflöte", ACCEPT),
    ("<b><u>Winterreise</u></b>", "Die Winterreise", ACCEPT),
    ("<b><u>al-Biruni</u></b>", "Biruni", ACCEPT),
    ("<b><u>L’Étranger</u></b>", "Etranger", ACCEPT),
    ("<b><u>La Mer</u></b>", "Mer", REJECT),
    ("<b><u>La Meer</u></b>", "Meer", REJECT),
    ("<b><u>La Meere</u></b>", "Meere", ACCEPT),
    ("<b><u>El Salvador</u></b>", "Salvador", REJECT),  # a city
    ("<b><u>Zauberflöte die</u></b>", "Zauberflöte", REJECT),
    ("<b><u>Sacre du Printemps</u></b>", "Sacre Printemps", REJECT),
    ("Octavio <b><u>Montes</u></b>", "las Montes", REJECT),
    ("<b><u>Paz</u></b>", "la Paz", REJECT),
    ("<b><u>Winterreise</u></b>", "Winterreise die", REJECT),
    # what stands before a colon, if it is no title of its own
    ("Nudge: Improving Decisions About Health", "Nudge", ACCEPT),
    ("Nudge: Improving Decisions About Health", "Improving", REJECT),
    ("Nudge: Decisions: Health", "Nudge", ACCEPT),
    ("gills [prompt on descriptions of sea breathing and air breathing]", "sea salt breathing", PROMPT),
    ("Star Trek: The Motion Picture", "Star Trek", PROMPT),
    ("lions/tigers/bears/wolves", "wolves", ACCEPT),
    ("Jane Austen of Steventon Rectory (novelist)", "novelist", REJECT),
    (
        "rain (of summer) [accept word forms like raining; accept clear equivalents]",
        "clear equivalents",
        ACCEPT,
    ),
    ("<b><u>Nudge: Improving Decisions</u></b>", "Nudge", REJECT),
    ("the 7:30 express", "7", REJECT),
    # what is short, and what says the middle name
    ("<b><u>George W</u></b>alker <b><u>Bush</u></b>", "George W. Bush", ACCEPT),
    ("<b><u>George W</u></b>alker <b><u>Bush</u></b>", "George H. W. Bush", REJECT),
    ("<b><u>W</u></b>alker", "W", REJECT),
    ("<b><u>John F. Kenedi</u></b>", "John Fitzgerald Kenedi", ACCEPT),
    ("<b><u>John F. Kennedy</u></b>", "John Fitzgerald Kennedy", ACCEPT),
    ("<b><u>John F. Kenedi</u></b>", "John Gerald Kenedi", REJECT),
    ("<b><u>Zorka F. Kenedi</u></b>", "Zorka Fitzgerald Kenedi", REJECT),
    ("<b><u>Roe v. Wade</u></b>", "Roe versus Wade", ACCEPT),
    ("<b><u>Roe v. Wade</u></b>", "roe v wade", ACCEPT),
    ("<b><u>Roe v. Wade</u></b>", "Wade v. Roe", REJECT),
    ("<b><u>Henry V. Part</u></b>", "henry five part", ACCEPT),
    ("<b><u>December</u></b> 7", "Dec. 7", ACCEPT),
    ("<b><u>\u221a2</u></b>", "root two", ACCEPT),
    ("<b><u>\u221a2</u></b>", "2", REJECT),
    ("<b><u>1905</u></b>", "nineteen oh five", ACCEPT),
    ("<b><u>1905</u></b>", "nineteen fifty", REJECT),
    # titles before a name: of office before a surname, any before what is prompted on
    ("Pierre <b><u>Curie</u></b>", "Madame Curie", REJECT),
    ("Marie <b><u>Curie</u></b>", "Curie Madame", REJECT),
    ("Marie <b><u>Curie</u></b>", "King Curie", REJECT),
    ("Marie <b><u>Curie</u></b> Sklodowska", "Madame Curie", REJECT),
    ("<b><u>Zorka</u></b>", "Madame Zorka", REJECT),
    ("<b><u>John F. Kenedi</u></b> [prompt on <u>Kenedi</u>]", "King Kenedi", PROMPT),
    ("<b><u>John F. Kenedi</u></b> [prompt on <u>Kenedi</u>]", "Kenedi king", REJECT),
    ("<b><u>John F. Kenedi</u></b> [prompt on <u>Kenedi</u>]", "Saint Kenedi", PROMPT),
    ("Franklin <b><u>Roosevelt</u></b> [prompt on <u>Roosevelt</u>]", "President Roosevelt", PROMPT),
    ("<b><u>Democratic Republic of the Congo</u></b> [prompt on <u>Congo</u>]", "DR Congo", ACCEPT),
    ("<b><u>Ku Klux Klan</u></b>", "Klu Klux Klan", ACCEPT),
    # "of" may come or go, where the order says the same
    ("<b><u>Gulliver’s Travels</u></b>", "The Travels of Gulliver", ACCEPT),
    ("<b><u>Gulliver’s Travels</u></b>", "Travels Gulliver", REJECT),
    # a required beginning of a word: verbs, peoples, slips of plurals
    ("<b><u>Dan</u></b>te", "Danish", REJECT),
    ("<b><u>Ital</u></b>y", "Italian", ACCEPT),
    ("<b><u>pass</u></b>ing", "passion", REJECT),
    ("<b><u>pass</u></b>ing", "passed", ACCEPT),
    ("<b><u>migrat</u></b>ing", "migration", ACCEPT),
    ("<b><u>cat</u></b>s", "cat", ACCEPT),
    ("<b><u>photons</u></b>", "protons", REJECT),
    ("<b><u>sacrifice</u></b> [or word forms]", "sacrificial", ACCEPT),
    # a word with "-ing" that means another thing does so alone, and not beside others
    ("skiing", "ski", REJECT),
    ("jet skiing", "jet ski", ACCEPT),
    # a part of what is described, with nothing else
    ("Emma [accept descriptions of a red house by the sea]", "red house", PROMPT),
    # wrong information, nonsense and hostile text
    ("<b><u>Peru</u></b>", "Peru or Chile", REJECT),
    ("<b><u>Peru</u></b>", "not Peru", REJECT),
    ("<b><u>Peru</u></b>", "", REJECT),
    ("<b><u>Peru</u></b>", "?!", REJECT),
    ("<b><u>Peru</u></b>", "<b>Peru</b>", ACCEPT),
    ("", "Peru", REJECT),
    ("<b><u>Peru</u></b>", "peru " * 60, REJECT),
]


@pytest.mark.parametrize(("line", "typed", "verdict"), CASES)
def test_the_verdict_is_that_of_a_moderator(line, typed, verdict):
    assert judge(line, typed).verdict.value == verdict


OF_LINE, PROMPTED, REFUSED = (
    "It is an answer of the line.",
    "The line prompts on it.",
    "The line says not to accept it.",
)
PART = "It is a part of the answer, and the line says what to do with parts."
ALL = "All answers that the line asks for are given."
NOT_ALL = "Not all of the answers that the line asks for are given."
NONE = "It is none of the answers of the line."
WORD_FOR_WORD = "It is what the line says, word for word."
NO_PARTS = "<b><u>Ohm</u></b>’s <b><u>law</u></b> [do not accept partial answers]"
LIKE = "rain [accept word forms like raining; accept clear equivalents]"
TIN = "*_copper_* [accept *_bronze_* after “tin” is read; prompt on brass once “zinc” is read]"
ASKING, ASKED = (
    "gills [prompt on lungs or organs by asking “what organ?”]",
    "lungs or organs by asking what organ",
)
JUDGEMENTS = [
    # line, typed; verdict, what to ask, clause, name, reason
    (DICKINSON, "Dickinson", ACCEPT, "", "main", "Emily Dickinson", OF_LINE),
    (DICKINSON, "Emily", REJECT, "", None, "", NONE),
    (ELIZABETH, "Elizabeth", PROMPT, "which one?", "prompt", "Elizabeth", PROMPTED),
    (ELIZABETH, "Elizabeth II", REJECT, "", "reject", "Elizabeth II", REFUSED),
    (PATH, "Communist Party", PROMPT, "", "prompt", "Communist Party of Peru", PROMPTED),
    (PATH, "sendero luminoso", ACCEPT, "", "accept", "Sendero Luminoso", OF_LINE),
    (TWO, "Chile & Peru", ACCEPT, "", None, "", ALL),
    (TWO, "Republic of Chile with Peru", ACCEPT, "", None, "", ALL),
    (TWO, "Peru", PROMPT, "", None, "", "One of the answers is missing."),
    (TWO, "Peru, Bolivia", REJECT, "", None, "", NOT_ALL),
    (TWO, "Peru, Peru", REJECT, "", None, "", NOT_ALL),
    (EITHER, "Gabler", ACCEPT, "", "main", "Hedda Gabler", "The line accepts either part."),
    (PARTS, "law", PROMPT, "", "prompt", "Ohm’s law", PART),
    (NO_PARTS, "law", REJECT, "", "reject", "Ohm’s law", PART),
    (
        ALLUDED, "feathers", REJECT, "", None, "",
        "It is none of the answers that the line names; it also takes equivalents, for people to decide.",
    ),
    (
        "a <b><u>b12</u></b> [anti-prompt on <u>cobalamin</u> by asking “less specific?”]", "cobalamin",
        ACCEPT, "less specific?", "anti-prompt", "cobalamin", "It is more specific than what is asked for.",
    ),
    ("gills [prompt on lungs and organs]", "lungs", PROMPT, "", "prompt", "lungs ", PROMPTED),
    ("gills [prompt on lungs and organs]", "organs", PROMPT, "", "prompt", " organs", PROMPTED),
    ("a [reject descriptions of cut hair]", "cut my hair", REJECT, "", "reject", "cut hair", REFUSED),
    (
        "rain [prompt on falling water drops]", "water drops",
        PROMPT, "", "prompt", "falling water drops", "It is a part of what the line prompts on.",
    ),
    (
        "Emily <b><u>Dickinson</u></b> [reject Edward Dickinson]", "E. Dickinson",
        PROMPT, "", "main", "Emily Dickinson",
        "It is short for an answer of the line and for one that the line rejects.",
    ),
    ("Ada Mary King", "Ada King", PROMPT, "", "main", "Ada Mary King", "It is a part of the answer."),
    (
        "blue green organisation [accept blue green organization]", "green organization",
        PROMPT, "", "accept", "blue green organization", "It is a part of the answer.",
    ),
    ("<b><u>insulin</u></b> [reject glucagon]", "glucagin", REJECT, "", None, "", NONE),
    (LIKE, "clear equivalents", ACCEPT, "", None, "", WORD_FOR_WORD),
    (ASKING, ASKED, PROMPT, "what organ?", "prompt", ASKED, WORD_FOR_WORD),
    ("gills [accept fins or legs]", "fins or legs", ACCEPT, "", "accept", "fins or legs", WORD_FOR_WORD),
    ("old *_sea horse_* [or *_sea_*]", "sea horses", ACCEPT, "", "main", "old sea horse", OF_LINE),
    ("Emily Dickinson", "Dickinson,, Emily", REJECT, "", None, "", NONE),
    ("<b><u>Peru</u></b>", "", REJECT, "", None, "", "Nothing was answered."),
    ("<b><u>Peru</u></b>", "peru " * 65, REJECT, "", None, "", "The answer is too long."),
    ("<b><u>Peru</u></b>", "of " * 63 + "peru", ACCEPT, "", "main", "Peru", OF_LINE),
    ("<b><u>Peru</u></b>", "p" * 1_001, REJECT, "", None, "", "The answer is too long to be one."),
    ("Emily Dickinson", "Dickinson, Emily", ACCEPT, "", "main", "Emily Dickinson", OF_LINE),
    ("Emily Dickinson", "Dickinson, Emily, poet", REJECT, "", None, "", NONE),
    ("red/green", "green", ACCEPT, "", "main", "green", OF_LINE),
    ("Nudge: Improving Decisions", "Nudge", ACCEPT, "", "main", "Nudge", OF_LINE),
    ("lions/tigers/bears", "tigers", ACCEPT, "", "main", "tigers", OF_LINE),
    ("9/11", "11", REJECT, "", None, "", NONE),
    ("ox/cow", "cow", PROMPT, "", "main", "ox/cow", "It is a part of the answer."),
    (PLACE, "cold conflict", ACCEPT, "", "accept", "conflict", OF_LINE),
    ("cold war [prompt on “row” in place of “war”]", "cold row", PROMPT, "", "prompt", "row", PROMPTED),
    ("cold war [accept “hot” in place of “warm” or “cold”]", "hot war", ACCEPT, "", "accept", "hot", OF_LINE),
]  # fmt: skip


@pytest.mark.parametrize("case", JUDGEMENTS)
def test_a_judgement_says_what_to_ask_which_clause_decided_and_why(case):
    line, typed, *told = case
    found = judge(line, typed)
    clause = None if found.clause is None else found.clause.directive.value
    assert [found.verdict.value, found.ask, clause, found.name, found.reason] == told


@pytest.mark.parametrize(
    ("typed", "heard", "verdict"),
    [
        ("bronze", "There is tin in it.", ACCEPT), ("bronze", "There is zinc in it.", REJECT),
        ("brass", "There is zinc in it.", PROMPT), ("brass", "There is tin in it.", REJECT),
        ("bronze", "A tincture is old.", REJECT), ("bronze", "The tin is old.", ACCEPT),
    ],
)  # fmt: skip
def test_a_condition_holds_after_or_once_something_was_read(typed, heard, verdict):
    assert judge(TIN, typed, heard=heard).verdict.value == verdict


def test_a_condition_holds_for_each_of_several_answers():
    line = "<b><u>Peru</u></b> AND <b><u>copper</u></b> [accept bronze until tin is read]"
    assert judge(line, "Peru and bronze", heard="It has zinc.").verdict is Verdict.ACCEPT
    assert judge(line, "Peru and bronze", heard="It has tin.").verdict is Verdict.REJECT


@pytest.mark.parametrize(
    ("one", "other", "short"),
    [("j", "john", True), ("john", "j", True), ("s", "schtz", True), ("s", "schz", False), ("c", "cl", False),
     ("e", "ed", True), ("j", "nora", False), ("j", "j2hn", False)],
)  # fmt: skip
def test_a_letter_is_short_for_a_name_and_not_for_other_initials(one, other, short):
    assert abbreviates(one, other) is short


def test_the_words_of_the_page_count_only_where_the_answer_has_one():
    line = "<b><u>Brahms</u></b>"
    assert is_right(Answer(line, Page("Johannes_Brahms")), "Johannes Brahms", is_page=False)
    assert not is_right(Answer(line), "Johannes Brahms", is_page=False)
    assert not is_right(Answer(line), "XXXX Brahms", is_page=False)


def test_a_prompt_says_what_to_ask_and_which_clause_decided():
    found = judge(ELIZABETH, "Elizabeth")
    assert (found.ask, found.clause.directive.value, found.name) == ("which one?", "prompt", "Elizabeth")
    assert judge(PATH, "Communist Party").ask == ""


def test_a_rejected_answer_says_so_by_its_clause_and_another_has_none():
    assert judge(OXIDE, "nitric oxide").clause.directive.value == "reject"
    assert judge(OXIDE, "helium").clause is None


def test_what_was_read_ends_what_was_accepted_until_then():
    assert judge(UNTIL, "bronze", heard="It is mixed with zinc.").verdict is Verdict.ACCEPT
    assert judge(UNTIL, "bronze", heard="It is mixed with tin.").verdict is Verdict.REJECT
    assert judge(UNTIL, "copper", heard="It is mixed with tin.").verdict is Verdict.ACCEPT
    named = "<b><u>copper</u></b> [accept <b><u>Emily Kenedi</u></b> until “tin” is read]"
    assert judge(named, "Kenedi, Emily", heard="It is mixed with zinc.").verdict is Verdict.ACCEPT
    assert judge(named, "Kenedi, Emily", heard="It is mixed with tin.").verdict is Verdict.REJECT


@pytest.mark.parametrize("words", [0, 63, 64, 65, 120, 400])
def test_what_was_read_counts_however_much_was_read_before_it(words):
    heard = f"{'so ' * words}mixed with tin in the end."
    assert judge(UNTIL, "bronze", heard=heard).verdict is Verdict.REJECT
    assert judge(TIN, "bronze", heard=heard).verdict is Verdict.ACCEPT


@pytest.mark.parametrize(
    ("line", "said", "verdict"),
    [
        ("<b><u>C# minor</u></b>", "C minor", REJECT), ("<b><u>C# minor</u></b>", "C sharp minor", ACCEPT),
        ("<b><u>C minor</u></b>", "C♯ minor", REJECT), ("<b><u>A-flat</u></b> major", "A♭ major", ACCEPT),
        ("<b><u>A major</u></b> [reject “A-flat major”]", "A♭ major", REJECT),
        ("<b><u>100 million</u></b>", "one hundred million", ACCEPT),
        ("<b><u>100 million</u></b>", "100", REJECT),
        ("<b><u>100 million</u></b>", "100,000,000", ACCEPT), ("<b><u>3 hundred</u></b>", "300", ACCEPT),
        (f"<b><u>{'9' * 5_000} million</u></b>", "9", REJECT),
        ("<b><u>isotope</u></b>s", "isotones", REJECT), ("<b><u>nucleotide</u></b>", "nucleoside", REJECT),
        (BOTH, "England and Egypt", PROMPT),
        (BOTH, "England and Peru", REJECT),
        (BOTH, "Egypt and Britain", REJECT),
        (BOTH, "Egypt and Great Britain and England", REJECT),
    ],
)  # fmt: skip
def test_signs_scales_and_prompts_of_several_answers(line, said, verdict):
    assert judge(line, said).verdict.value == verdict


def test_the_page_adds_names_that_the_line_leaves_out():
    assert judge("<b><u>Brahms</u></b>", "Johannes Brahms").verdict is Verdict.REJECT
    assert judge("<b><u>Brahms</u></b>", "Johannes Brahms", page="Johannes_Brahms").verdict is Verdict.ACCEPT
    assert judge("<b><u>Zorka</u></b>", "V. I. Zorka").verdict is Verdict.REJECT
    assert judge("<b><u>Zorka</u></b>", "V. I. Zorka", page="V._I._Zorka").verdict is Verdict.ACCEPT


def test_an_answer_that_is_too_long_is_rejected_unread():
    assert judge("<b><u>a</u></b>", "a" * (LONGEST_ANSWER + 1)).verdict is Verdict.REJECT


def test_a_line_of_hundreds_of_names_is_judged_by_the_first_of_them():
    line = f"rain [accept {' or '.join(f'kit{number:03}n' for number in range(300))}]"
    assert judge(line, "rain").verdict is Verdict.ACCEPT
    assert judge(line, "kit007n").verdict is Verdict.ACCEPT
    assert judge(line, "kit300n").verdict is Verdict.REJECT


def test_a_name_that_is_all_signs_has_no_words_to_be_said():
    assert judge("lithium AND **_/sodium", "z").verdict is Verdict.REJECT


def test_a_page_is_right_by_its_title_and_words_by_the_line():
    answer = Answer("the Kingdom of <b><u>Mysore</u></b> [accept Maisuru]", Page("Kingdom_of_Mysore"))

    assert is_right(answer, "Mysore", is_page=False)
    assert not is_right(answer, "Mysore", is_page=True)  # the page of the city
    assert is_right(answer, "Maisuru", is_page=True)
    assert not is_right(answer, "Madras", is_page=False)


def test_words_are_right_until_something_is_read():
    answer = Answer(UNTIL)

    assert is_right(answer, "bronze", is_page=False, heard="this metal")
    assert not is_right(answer, "bronze", is_page=False, heard="this metal and tin")


@pytest.mark.parametrize("said", ["Madame Butterfly", "madam butterfly", "Madama Buterfly"])
def test_the_last_vowel_of_a_long_word_in_a_name_may_be_another(said):
    assert judge("Madama <u>Butterfly</u>", said).verdict is Verdict.ACCEPT


@pytest.mark.parametrize(("line", "said"), [("Madama", "Madame"), ("Mira Nair", "Mire Nair")])
def test_a_last_vowel_tells_short_and_single_words_apart(line, said):
    assert judge(line, said).verdict is not Verdict.ACCEPT


@pytest.mark.parametrize(
    ("line", "own", "page", "possible"),
    [
        ("<b>raven</b>s [or <b>crow</b>s]", "Corvus", "Raven", True),
        (
            "<b>cross section</b> [or scattering cross section]",
            "Cross_section_(physics)",
            "Cross_Section",
            True,
        ),
        ("The <b>Federal Reserve</b> System [or the Fed]", "Federal_Reserve_System", "Federal_Reserve", True),
        ("<b>complex number</b>s", "Complex_Numbers", "Complex_number", True),
        ("<b>Romeo</b>", "Romeo", "Romeo_and_Juliet", False),
        ("<b>complex number</b>s", "Complex_Numbers", "Real_number", False),
    ],
)
def test_a_page_may_be_right_unless_its_title_is_rejected(line, own, page, possible):
    assert may_be_right(Answer(line, Page(own)), page) is possible


def test_the_first_possible_guess_is_the_first_that_the_line_does_not_reject():
    rows = ((Guess(Page("Owl"), 1.0),), (), (Guess(Page("Raven"), 1.0), Guess(Page("Owl"), 0.5)))
    tossup = Tossup("Odin owns two.", Answer("ravens [or crows]", Page("Corvidae")))
    play = Playthrough("ir", tossup, (1, 2, 3), rows)

    assert first_possible(play) == with_possible(play).possible == 3
    assert first_possible(replace(play, rows=rows[:2], heard=(1, 2))) is None
    assert first_possible(replace(play, tossup=Tossup("Odin owns two."))) is None
