"""What is known of names beside the line: other names of the same thing, countries, given names."""

from __future__ import annotations

from quizwriter.judging.spoken_words import listed, spoken_words, words_of

_SAME = """
    usa | us | united states | united states america | america
    united kingdom | uk
    ussr | soviet union
    world war 1 | great war | 1 world war | ww1 | wwi | ww 1
    world war 2 | 2 world war | ww2 | wwii | ww 2
    grandmother | grandma | granny | grandmom
    grandfather | grandpa | granddad
    mother | mom | mum | mommy | mama
    father | dad | daddy | papa
    solomon | sulayman | suleiman | sulaiman | shlomo
    abraham | ibrahim | avraham
    moses | musa | moshe
    joseph | yusuf | yosef
    noah | nuh
    jonah | yunus
    ishmael | ismail
    isaac | ishaq | yitzhak
    gabriel | jibril
    czar | king russia
    confucius | kongzi | kong fuzi
    mencius | mengzi
    laozi | lao tzu | lao tse
    zhuangzi | chuang tzu
    sun tzu | sunzi
    mao zedong | mao tse tung
    chiang kai shek | jiang jieshi
    zhou enlai | chou en lai
    sun yat sen | sun zhongshan
    genghis khan | chinggis khan | jenghis khan
    gaddafi | qaddafi | kadafi | khadafy | gadhafi | qadhafi
    hanukkah | chanukah | hanukah | chanukkah
    beijing | peking
    mumbai | bombay
    kolkata | calcutta
    chennai | madras
    myanmar | burma
    czechia | czech republic
    ivory coast | cote ivoire
    ulysses | odysseus
    jfk | john kennedy | john f kennedy
    fdr | franklin roosevelt | franklin d roosevelt
    mlk | martin luther king | martin luther king junior
    lbj | lyndon johnson | lyndon b johnson
"""

SAME_NAMES: dict[str, int] = {
    " ".join(word.text for word in spoken_words(name) if not word.light): number
    for number, names in enumerate(_SAME.strip().splitlines())
    for name in names.split("|")
}
"""Whole names, as the normal forms of their words, with the number of the thing that they name."""

_REPUBLICS = listed(
    """
    afghanistan albania algeria angola argentina armenia austria azerbaijan bangladesh belarus benin
    bolivia botswana brazil bulgaria burundi cameroon chad chile colombia croatia cuba cyprus djibouti
    ecuador egypt estonia ethiopia fiji finland france gabon gambia germany ghana greece guatemala
    guinea guyana haiti honduras hungary iceland india indonesia iran iraq italy kazakhstan kenya
    kyrgyzstan latvia lebanon liberia lithuania madagascar malawi maldives mali malta mauritania
    mauritius mexico moldova mongolia mozambique namibia nepal nicaragua niger nigeria pakistan palau
    panama paraguay peru philippine poland portugal romania rwanda senegal serbia seychelle singapore
    slovakia slovenia somalia sudan suriname syria tajikistan tanzania togo tunisia turkey turkmenistan
    uganda ukraine uruguay uzbekistan vanuatu venezuela vietnam yemen zambia zimbabwe
    """
)
_KINGDOMS = listed(
    """
    bahrain belgium bhutan cambodia denmark eswatini lesotho morocco norway spain sweden thailand tonga
    """
)
OFFICIAL_NAMES = {
    **dict.fromkeys(_REPUBLICS, frozenset({"republic"})),
    **dict.fromkeys(_KINGDOMS, frozenset({"kingdom"})),
}
"""Countries of today, and the word that their official name adds. Those are left out of which another state
of the official name is asked for, such as the Republic of China or the Republic of Ireland."""

HONORIFICS = words_of(
    """
    sir dame lord lady king queen emperor empress pope prince princess czar saint president general
    mister missus doctor professor father captain chancellor kaiser sultan caliph shah duke count baron
    """
)

CLASS_NOUNS = words_of(
    """
    group gang faction organization band
    """
)
"""What may be left off a name in a line that lost its underlining: the Baader-Meinhof group."""

TECHNIQUES = ("scopy", "graphy", "metry")
"""How the names of techniques end, which lines that lost their underlining ask for without the adjective."""

GIVEN_NAMES = words_of(
    """
    aaron abraham abu adam adolf agatha ahmed al alain alan albert alberto albrecht aldous alec
    aleksandr alessandro alex alexander alexandre alexei alfonso alfred alice allan allen alvin amedeo
    amy ana anatole andre andrea andreas andrei andrew andy ang angela anita ann anna anne annie ansel
    anthony antoine anton antonin antonio arnold arthur astrid august auguste augusto barbara barry bela
    ben benito benjamin bernard bernhard bertolt bertrand betty bill billy bob bobby boris brian bruce
    bruno camille carl carlo carlos caroline carrie catherine cesar charles charlie charlotte chinua
    christian christina christine christoph christopher clara clarence claude claudio clive colin cormac
    craig dan dante daniel dave david dean denis dennis derek diane dick diego dmitri dmitry dominique
    don donald doris dorothy douglas duke dylan ed eddie edgar edith edmond edmund edna edouard edvard
    edward edwin eleanor elena elfriede elias elie eliza elizabeth ella ellen emile emilia emily emma
    emmanuel enrico erich erik ernest ernst erwin eudora eugene eva evelyn ezra federico felix ferdinand
    fernando flannery florence frances francesco francis francisco franciscus francois frank franklin
    franz fred frederic frederick friedrich fritz fyodor gabriel gabriela gabriele galileo gary gene
    geoffrey georg george georges gerald gerard gerhard gertrude giacomo gilbert giorgio giovanni
    giuseppe glenn gordon gottfried graham gregor gregory grace guillaume gunter gustav gustave guy
    hannah hans harold harper harriet harry harvey hector heinrich helen henri henrik henry herbert
    herman hermann hieronymus hillary homer honore horace howard hubert hugh hugo ian igor ilya imre
    ingmar ira irving isaac isabel isabella italo ivan jack jackson jacob jacques jacques-louis james
    jan jane janet jason jasper jawaharlal jay jean jeff jennifer jeremy jerome jerry jessica jesse jim
    jimmy jo joan joao joe johan johann johannes john jonathan jorge jose josef joseph josephine joshua
    joyce juan judith jules julia julian julio julius jun justin karel karen karl kate katherine kazimir
    kazuo ken kenneth kevin kim konstantin kurt langston larry laura laurence lawrence lech lee leo leon
    leonard leonardo leonhard leonid leopold leslie lewis linda linus lionel lisa lorenzo lou louis
    louisa louise lucian lucy ludwig luigi luis luther lyndon mae malcolm manuel marc marcel marcus
    margaret maria marianne marie mario mark martha martin marvin mary matthew maurice max maximilien
    maya mel michael michel miguel mikhail miles milton mohandas murasaki nadine nancy naomi napoleon
    narendra natalie nathaniel neil nelson niccolo nicholas nicolas niels nikita nikola nikolai noam
    norman octavio oliver orson oscar oswald otto pablo pat patricia patrick paul pearl pedro percy
    peter phil philip philippe phillis pierre pietro piet pieter pyotr rachel rainer ralph ray raymond
    rebecca rene richard rita robert roberto roger roland ronald rosa rosalind ross roy rudolf rudyard
    russell ruth sally salman salvador sam samuel sandro sarah scott sean sergei seymour shirley sidney
    sigmund simon simone sinclair sofia sophia spike stanley stefan stephen steve steven sue susan
    sylvia tadeusz ted tennessee terry theodor theodore thomas thornton tim timothy toni tony tycho
    umberto upton ursula vaclav vasco vera victor vincent vincenzo virginia vivian vladimir wallace walt
    walter warren wassily werner wilfred wilhelm will willa willem william winston wolfgang woodrow
    yasunari yuri zadie zora
    """
)
"""Given names, in plain letters: where one begins a name without underlining, the surname alone is enough."""

COMMON_NOUNS = words_of(
    """
    academy act affair age agreement airport alliance army assembly authority award band bank basin
    battle bay bill book boy bridge building canal case castle cathedral cave cell center chapel church
    circle city civilization club code college comedy commission committee company concerto conference
    congress convention council county court crisis cross cycle day disease doctrine drama dynasty
    effect empire equation expedition experiment fall family farm festival field film fire forest fort
    foundation front gallery game garden gate girl group gulf hall harbor heart hill hospital house
    incident institute island journal king kingdom lake land language law league letter library light
    line love man march market massacre method mill mission model monument mosque mountain museum music
    nation night novel number office opera orchestra order painting palace paradox park parliament party
    pass peak peninsula people place plain plan plateau play point pole port portrait prison prize process
    program project publishing quartet queen question race railroad rebellion reef reform region
    republic resort revolt revolution ring river road rock room rule scale school sea series show
    society sonata song space square stadium star state station statue store story strait street studio
    style summit symphony syndrome synthesis system tale tea temple test theater theatre theorem theory
    time tower town treaty tree trial tribe trilogy trio tunnel union university arrow beard berlin
    bishop brown burgundy clay cyrus david diamond education finch french gall gideon glass indiana
    jeans jesus jordan justice kansas kent knight lamb london marsh mars milk moses poet pomegranate
    prince rank sand science snow solomon sunday swan texas thomas troy umar wales waltz york florida
    valley village wall war water wave way week white woman wood work world
    """
)
"""Last words of names that are no surnames, or that alone mean something else that is asked for."""

DISTINCT_FORMS = words_of(
    """
    angling backpacking batting bearing blasted booting bouldering boxing branching camping canoeing
    canyoning casting cooking curling drinking dyeing earring engineering fishing forging gardening
    gassed grazing housing imprinting ironing jining kayaking lied lighting looting machining manning
    marketing meaning painting parachuting parenting parking plating poisoning pruning renting sailing
    salting scapegoating scarring scheduling sequencing setting skateboarding skiing sledding smelting
    snowboarding soldering spamming stacking steaming stocking swinging ussuri weathering whaling wired
    writing
    """
)
"""Words that alone name another thing than the word of which they are a form: curling and a curl."""
