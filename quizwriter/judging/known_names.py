"""What is known of names beside the line: other names of the same thing, countries, given names."""

from __future__ import annotations

from quizwriter.domain.answer_line.words import words_of
from quizwriter.judging.spoken_words import listed, spoken_words

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
    gaddafi | qaddafi | kadafi | khadafy | gadhafi | qadhafi | khadafi | gadafi | qadafi
    mahatma gandhi | mohandas gandhi | mohandas karamchand gandhi | mahatma ghandi | ghandi
    lenin | vladimir lenin | vladimir ilyich lenin | v. i. lenin | v i lenin | vi lenin
    rembrandt | rembrandt van rijn | rembrandt harmenszoon van rijn | rembrant | rembrant van rijn
    e. coli | escherichia coli
    osama bin laden | usama bin laden | osama bin ladin | usama bin ladin
    deng xiaoping | teng hsiao ping
    lin biao | lin piao
    yuan shikai | yuan shih kai
    hong xiuquan | hung hsiu chuan
    zheng he | cheng ho
    zhu xi | chu hsi
    li bai | li po | li bo
    du fu | tu fu
    cao xueqin | tsao hsueh chin
    cixi | tzu hsi
    kangxi | kang hsi
    qianlong | chien lung
    kuomintang | guomindang
    daodejing | tao te ching | dao de jing
    daoism | taoism
    nanjing | nanking
    chongqing | chungking
    tianjin | tientsin
    sichuan | szechuan | szechwan
    kyiv | kiev
    odessa | odesa
    kharkiv | kharkov
    lviv | lvov
    yangon | rangoon
    avicenna | ibn sina
    averroes | ibn rushd
    alhazen | ibn al haytham
    saladin | salah ad din | salah al din
    bruegel | brueghel | breughel
    dna | deoxyribonucleic acid
    rna | ribonucleic acid
    atp | adenosine triphosphate
    hanukkah | chanukah | hanukah | chanukkah
    beijing | peking
    mumbai | bombay
    kolkata | calcutta
    chennai | madras
    myanmar | burma
    czechia | czech republic
    ivory coast | cote ivoire | cote d'ivoire
    dostoevsky | dostoyevsky | dostoevski | dostoyevski | dostoievski | dostoievsky
    velazquez | velasquez | diego velazquez | diego velasquez
    immanuel kant | emmanuel kant
    galileo | galileo galilei
    jfk | john kennedy | john f kennedy
    fdr | franklin roosevelt | franklin d roosevelt
    mlk | martin luther king | martin luther king junior
    lbj | lyndon johnson | lyndon b johnson
    ku klux klan | klu klux klan
    democratic republic congo | drc | dr congo
"""

SAME_NAMES: dict[str, int] = {
    " ".join(word.text for word in spoken_words(name) if not word.light): number
    for number, names in enumerate(_SAME.strip().splitlines())
    for name in names.split("|")
}
"""Whole names, as the normal forms of their words, with the number of the thing that they name."""

SAME_LETTERS: dict[str, int] = {name.replace(" ", ""): number for name, number in SAME_NAMES.items()}
"""The same names without spaces: Tse-tung and Tsetung."""

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
    president senator general admiral colonel captain chancellor doctor professor mister madame
    sir dame lord lady king queen emperor empress pope prince princess czar saint missus father kaiser
    sultan caliph shah duke count baron
    """
)

CLASS_NOUNS = words_of(
    """
    group gang faction organization band
    """
)
"""What may be left off a name in a line that lost its underlining: the Baader-Meinhof group."""

KIND_BEHIND = words_of(
    """
    accord acid act algorithm altarpiece amendment amplifier analyzer approximation argument art award
    ballet binding bond boson boundary caliphate campaign catalyst cathedral cell century chapel circuit
    civilization clan clause comet commission compound confederacy conference conjecture conspiracy
    controversy coordinate county creed criterion culture curve cycle dating datum decay desert diagram
    disease disorder distribution doctrine domain drop dynasty effect emperor empire energy engine epoch
    equation era expedition experiment fallacy family flask fluid force formula function gas gland graph
    group hormone hypothesis inscription institute ion island khanate knot lake language law lobe magazine
    material matrix mechanic mechanism media meter method mimicry model motif motor movement music
    mutation nerve novel nucleus number offering operator orbital painting paradox party pathway peninsula
    period phase plateau play plot polarization poll polymerase polynomial position principle prize
    problem procedure process product program programming project property protein province purchase quark
    radiation rate ratio reaction reagent relation relationship report rifle river rock rocket rule scale
    scandal schism school search sequence sery shogunate signal sort spectrum square stage standard
    strategy strip suite sultanate symphony syndrome synthesis system technique temperature temple
    territory test theorem theory thesis tissue track transform transistor transmission transport treaty
    tree tribe twin unit university vector velocity virus
    """
)
"""What may be left off the end of a name in a line without underlining, where the rest names nothing else: at
least one underlined line in eight leaves it off."""

KIND_BEFORE = words_of(
    """
    caliph cardinal county fort hurricane lake lord mount operation opus pope project river vitamin
    """
)
"""What may be left off the beginning of such a name."""

TECHNIQUES = ("scopy", "graphy", "metry")
"""How the names of techniques end, which lines that lost their underlining ask for without the adjective."""

RULERS = frozenset({"pope", "king", "emperor", "czar"})
"""Titles of rulers with a number, who are known without the title."""

NOBLE = frozenset({"van", "von", "de", "da", "bin"})
"""What a surname begins with: Van Gogh."""

SPECIES = ("a", "ae", "ans", "ens", "er", "i", "is", "rex", "um", "us")
"""How the Latin names of species end."""

GIVEN_NAMES = words_of(
    """
    aaron abraham abu adam adolf agatha ahmed aime al alain alan albert alberto albrecht aldous alec
    aleksandr alessandro alex alexander alexandre alexei alfonso alfred alice allan allen alvin amedeo amy
    ana anatole andre andrea andreas andrei andrew andy ang angela angelica anita ann anna anne annie
    ansel anthony antoine anton antonin antonio aphra arnold arthur arundhati arvo astrid athol audre
    august auguste augusto barack barbara barry bela ben benito benjamin benvenuto bernard bernhard
    bertolt bertrand betty bill billie billy bob bobby boris bret brian bridget bruce bruno camille carl
    carlo carlos caroline carrie caryl catherine cesar charles charlie charlotte chinua christian
    christina christine christoph christopher clara clarence claude claudio clive colin constantin cormac
    craig dan daniel dante dave david dean denis dennis derek diane dick diego dino dmitri dmitry
    dominique don donald doris dorothy douglas duke dylan ed eddie edgar edith edmond edmund edna edouard
    edvard edward edwin eero eleanor elena elfriede elias elie eliza elizabeth ella ellen elsa elvis emile
    emilia emily emma emmanuel emmett enrico erich erik ernest ernst erwin eudora eugene eva evelyn ezra
    federico felix ferdinand fernando flann flannery florence frances francesco francis francisco
    franciscus francois frank franklin franz fred freddie frederic frederick frida friedrich fritz fyodor
    gabriel gabriela gabriele galileo gary gene geoffrey georg george georges gerald gerard gerhard
    gertrude getulio giacomo gil gilbert giorgio giovanni giuseppe glenn gordon gottfried grace graham
    gregor gregory grover guillaume gunter gustav gustave guy gwendolyn hannah hans harold harper harriet
    harry haruki harvey hector heinrich helen henri henrik henry herbert herman hermann hieronymous
    hieronymus hillary homer honore horace howard hubert hugh hugo humphrey ian igor ilya imre ingmar ira
    irving isaac isabel isabella isak italo ivan jack jackie jackson jacob jacques jacques-louis james jan
    jane janet jared jason jasper jawaharlal jay jean jeff jennifer jeremy jerome jerry jesse jessica
    jhumpa jim jimmy jo joan joao joe johan johann johannes john jonathan jorge jose josef joseph
    josephine joshua joyce juan judith jules julia julian julio julius jun junichiro justin kahlil kamala
    kanye karel karen karl kate katharine katherine katsushika kay kazimir kazuo ken kenneth kenzaburo
    kevin kim kobo konstantin kurt langston larry laura laurence lawrence lech lee leigh leo leon leonard
    leonardo leonhard leonid leopold leslie lewis lillian linda linus lionel lisa lorenzo lou louis louisa
    louise lucian lucy ludwig luigi luis luther lyndon lynn mae malcolm manuel marc marcel marcus margaret
    maria marianne marie marilyn mario mark martha martin marvin mary mathew matt matthew maurice max
    maximilien maya mel melissa michael michel miguel mikhail miles milton mohandas murasaki nadine naguib
    nancy naomi napoleon narendra natalie nathaniel neil nelson niccolo nicholas nicki nicolae nicolas
    niels nikita nikola nikolai noam noel norman octavio oliver orhan ornette orson oscar oswald otto
    pablo pat patricia patrick paul pearl pedro percy pete peter phil philip philippe phillip phillis
    phoebe pierre piet pieter pietro porfirio pyotr rabindranath rachel rainer ralph randall ray raymond
    rebecca rene richard rita roald robert roberto roger roland ronald rosa rosalind ross roy ruben rudolf
    rudyard russell ruth ryunosuke sally salman salvador sam samuel sandro sarah scott seamus sean sergei
    seymour shinzo shirley sidney sigmund simon simone sinclair slobodan sofia sophia spike spiro stanley
    stefan stephane stephen steve steven sue susan sylvia tadeusz ted tennessee terry theodor theodore
    thomas thornton tim timothy toni tony truman tycho umberto upton ursula vaclav vasco vera victor
    vilfredo vincent vincenzo virginia vivian vladimir wallace walt walter warren wassily werner wilfred
    wilhelm will willa willem william winnie winston wole wolfgang woodrow yasunari yukio yuri yusef zadie
    zora
    aime akira alban aldo alexandra alessandra amadeo amelia amos andrzej angelo anders aristide armand
    artemisia artie asher augustus ayn barnett bartolome basil benazir benedict benjamin berthe bertha bjorn
    boutros bruce burt byron calvin carmen carol carson cecil celine cesare chaim chester chet christopher
    clement cole connie cornelius dag damien darius deborah della desmond dieterich dietrich dizzy djuna
    dorothea dwight dziga edouard edsger edwidge egon elias elinor elisabeth elmore emil emmy enid enrique
    ephraim ernesto esther ethel eudora evgeny fanny fela fernand florian fredric fridtjof fritz gaetano
    garrett gaspard gennady george giambattista gian giordano girolamo gioachino giuseppina glenn goran greta
    gunnar gustavo guglielmo halldor hart hayao hedy heitor henryk herta hideki hilary hosni huey ignacio
    ilse ingrid isamu isadora isaiah ivo jacopo jasmin jawaharlal jefferson jean-paul jens jeremiah joachim
    johan jon jorg joris josefa josiah julie junot jurgen karel karen karl karlheinz kate katherine
    katsushika kazimir kazuo kim konrad krzysztof kurt laura leonard leos leroy leslie levi lillian lorraine
    louisa lucian lucretia luther mahatma maurice mauricio maxim maya merce merle milan milos modest mohandas
    muammar muriel nella nelle nelly nelson nelly nikolaus nina ogden olaf olga olivier osip osvaldo otis
    otto-hahn ottorino patsy pearl percival philippa piero pierre-auguste qasem quentin ravi ray reinhold
    rigoberta robinson rodrigo rogier romain romare roman ronnie rosalyn ruhollah sandra saul sebastian
    selma sergey shimon sidonie sigrid sojourner sonia soren stendhal sukarno sun-ra svante svetlana
    tadao tchicaya ted terrence thelonious theodora thorstein thurgood tito tobias tom tomas tommaso
    toussaint tristan ulrich ursula vaslav verner vidkun vilhelm viktor vita vivien vyacheslav wanda wendell
    wernher wilhelmina wislawa witold wyndham xavier yasser yehuda yitzhak yo-yo yoko yuan yves zaha zoltan
    """
)
"""Given names, in plain letters: where one begins a name without underlining, the surname alone is enough."""


def abbreviates(one: str, other: str) -> bool:
    """Whether one of two words is the initial of the other: "J" of "John", but not "C" of "CL"."""
    initial, name = sorted((one, other), key=len)
    if len(initial) != 1 or not name.startswith(initial) or not name.isalpha():
        return False
    if len(name) == 2:
        return name in GIVEN_NAMES
    return len(name) > 4 or any(letter in "aeiouy" for letter in name)


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
    acting angling backpacking batting bearing blasted booting bouldering boxing branching camping
    canoeing canyoning casting cooking curling customs drinking dyeing earring engineering fishing
    forging gardening gassed glasses grazing housing imprinting ironing jining kayaking lied lighting
    looting machining manning marketing meaning painting parachuting parenting parking plating poisoning
    pruning renting sailing salting scapegoating scarring scheduling sequencing setting shining
    skateboarding skiing sledding smelting snowboarding soldering spamming spectacles stacking steaming
    stocking swinging ussuri weathering whaling wired writing
    """
)
"""Words that alone name another thing than the word of which they are a form: curling and a curl."""
