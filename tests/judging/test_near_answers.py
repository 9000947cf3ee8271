"""Answers that are near each other and are not the same: neither is accepted for the other."""

import pytest

from quizwriter.judging import Verdict, judge
from quizwriter.judging.same_word import is_contrast

_NEAR = """
    sodium chloride | sodium chlorate; sulfate | sulfite; sulfide | sulfate; potassium | phosphorus
    chloride | chlorate; chlorite | chlorate; phosphate | phosphite; carbonate | carbide
    carbonate | bicarbonate; ferrous | ferric; cuprous | cupric; methane | methanol; ethanol | ethanal
    butane | butene; acetate | acetone; amine | amide; amide | imide; ester | ether; aldehyde | ketone
    fructose | glucose; ribose | deoxyribose; adenine | adenosine; guanine | guanidine
    cytosine | cysteine; glutamine | glutamate; aspartate | asparagine; leucine | isoleucine
    prophase | anaphase; metaphase | telophase; endocytosis | exocytosis; hypotonic | hypertonic
    hyperbola | hypobola; hypothermia | hyperthermia; afferent | efferent; abduction | adduction
    ilium | ileum; artery | arteriole; vein | vena cava; ureter | urethra; Slovenia | Slavonia
    Guyana | French Guiana; Congo | Republic of the Congo
    Democratic Republic of the Congo | Republic of the Congo; Mali | Malawi; Mali | Maldives
    Malta | Malawi; Gabon | Gambia; Chad | Chile; Georgia | South Georgia; North Dakota | South Dakota
    Kansas | Arkansas; Symphony No. 5 | Symphony No. 9
    Beethoven's Fifth Symphony | Beethoven's Ninth Symphony; Symphony No. 40 | Symphony No. 41
    Violin Concerto | Viola Concerto; First World War | Second World War; First Crusade | Fourth Crusade
    Fourth Crusade | Third Crusade; Henry VI, Part 3 | Henry VI, Part 2; Louis XV | Louis XVI
    Louis XIII | Louis XIV; Henry VII | Henry VIII; Henry II | Henry III
    Henry III of England | Henry III of France; Edward III | Edward IV; Richard I | Richard III
    George III | George IV; William II | William III; Frederick William I | Frederick William II
    Frederick the Great | Frederick William; Catherine I | Catherine II; Peter the Great | Peter III
    Alexander II | Alexander III; Philip II of Spain | Philip II of Macedon
    Pope John XXIII | Pope John XXII; Pope John Paul I | Pope John Paul II; Pope Pius IX | Pope Pius XI
    Pope Pius XII | Pope Pius XI; Pope Leo X | Pope Leo XIII; Pope Gregory I | Pope Gregory VII
    Pope Innocent III | Pope Innocent IV; Pope Boniface VIII | Pope Boniface IX
    Pope Urban II | Pope Urban VI; Darius I | Darius III; Thutmose III | Thutmose II
    Amenhotep III | Amenhotep IV; Ptolemy I | Ptolemy XIII; Napoleon I | Napoleon III
    Battle of Bull Run | Battle of Bunker Hill; Battle of Poitiers | Battle of Tours
    Battle of Crécy | Battle of Agincourt; Battle of Lexington | Battle of Saratoga
    Battle of Leyte Gulf | Battle of Midway; Battle of Ypres | Second Battle of Ypres
    Battle of Plataea | Battle of Mycale; Battle of Trenton | Battle of Princeton
    Battle of Blenheim | Battle of Ramillies; Zeus | Jupiter; Hera | Juno; Ares | Mars; Aphrodite | Venus
    Hermes | Mercury; Athena | Minerva; Poseidon | Neptune; Cronus | Saturn; Odin | Woden; Eros | Cupid
    Artemis | Diana; Dionysus | Bacchus; Heracles | Hercules; Odysseus | Ulysses
    Iphigenia in Aulis | Iphigenia in Tauris; Iphigénie en Aulide | Iphigénie en Tauride
    Orpheus in the Underworld | Orpheus and Eurydice; Oedipus Rex | Oedipus at Colonus
    Prometheus Bound | Prometheus Unbound; The Barber of Seville | The Marriage of Figaro
    The Merry Widow | The Merry Wives of Windsor; Songs of Innocence | Songs of Experience
    The Iliad | The Odyssey; Faust, Part One | Faust, Part Two; Manon | Manon Lescaut
    La Bohème | La traviata; Turandot | Tancredi; Otello | Othello; Falstaff | Fidelio
    Macbeth | Lady Macbeth of Mtsensk; Lohengrin | Parsifal; The Merchant of Venice | Death in Venice
    Homage to Catalonia | Homage to Clio; Pride and Prejudice | Sense and Sensibility
    The Red and the Black | The Red Badge of Courage; Vanity Fair | Vanity of Human Wishes; Rhine | Rhône
    Mekong | Ganges; White Nile | Blue Nile; Nile | Blue Nile; Red River | Yellow River
    Black Sea | Red Sea; Lake Victoria | Lake Volta; Lake Erie | Lake Eyre; fermion | fermium
    meson | muon; boson | baryon; concave | convex; latitude | longitude; stalactite | stalagmite
    igneous | ingenious; weathering | erosion; monocot | dicot; angiosperm | gymnosperm
    gymnosperms | angiosperms; prokaryote | eukaryote; T cell | B cell; xylem | phloem
    Type 1 diabetes | Type 2 diabetes; first derivative | second derivative; sine | cosine
    tangent | cotangent; median | medium; first law of thermodynamics | second law of thermodynamics
    Newton's first law | Newton's third law; First Amendment | Second Amendment
    Claude Monet | Édouard Manet; Édouard Manet | Monet; Thomas Hobbes | Thomas Hooker
    Benjamin Harrison | William Henry Harrison; Theodore Roosevelt | Franklin Roosevelt
    Franklin Roosevelt | Eleanor Roosevelt; Johann Strauss | Richard Strauss
    Hans Holbein the Younger | Hans Holbein the Elder
    Pieter Brueghel the Elder | Pieter Brueghel the Younger; Tarquinius Superbus | Tarquinius Priscus
    Scipio Africanus | Scipio Aemilianus; Fra Angelico | Fra Filippo Lippi
    William Wordsworth | Dorothy Wordsworth; Ming Dynasty | Qing Dynasty; Qin Dynasty | Qing Dynasty
    Song Dynasty | Tang Dynasty; Zhou Dynasty | Shang Dynasty
    Treaty of Paris (1763) | Treaty of Paris (1783); Treaty of Utrecht | Union of Utrecht
    Gulf of Aden | Gulf of Oman; Straits of Malacca | Straits of Hormuz; 8 | 9; twelve | twenty
    three | thirteen; seven | seventy
    Kim Jong-il | Kim Jong-un; Kim Il-sung | Kim Jong-il; silicon | silicone; insulin | inulin
    Shaanxi | Shanxi; Hamburg | Homburg; forces | forceps; glasses | glass; customs | custom
    spectacles | spectacle; The Shining | Shine; Acts | acting; Haakon VII | Haakon VI
    Sancho III | Sancho IV; Béla III | Béla IV; Christian IV | Christian X; Cambyses I | Cambyses II
    Shapur I | Shapur II; Pope Julius II | Pope Julius III; chromium | cerium; nickel | niobium
    sulfuric acid | sulfurous acid; nitric acid | nitrous acid; nitric oxide | nitrous oxide
    lactose | lactase; glucagon | glycogen; keratin | carotene; troponin | tropomyosin
    Kuwait | Kuwait City; Jersey | New Jersey; Granada | Grenada; Rio Grande do Sul | Rio Grande
    Salzburg | Strasbourg; Perth, Scotland | Perth, Australia
    Alessandro Scarlatti | Domenico Scarlatti; Kingsley Amis | Martin Amis
    Pierre Trudeau | Justin Trudeau; Irène Joliot-Curie | Marie Curie; Solaris | Polaris
    Psycho | Psyche; The Possessed | The Dispossessed; Novum Organum | Organon
    corpus callosum | corpus luteum; foramen ovale | foramen magnum; ius sanguinis | ius soli
    modus ponens | modus tollens; mens rea | actus reus; Homo erectus | Homo habilis; Henan | Hunan
    Hubei | Hebei; Guangdong | Guangxi; Emperor Wu of Han | Emperor Wen of Han; al-Kindi | al-Ghazali
    Bhima | Bhishma; Symphony No. 7 (Bruckner) | Symphony No. 8 (Bruckner)
    Henry IV | Henry V; Louis XIV | Louis XV; Louis XVI | Louis XIV; Charles V | Charles VI
    George III | George II; Edward I | Edward II; Richard II | Richard III; Philip II | Philip IV
    Napoleon III | Napoleon; Pius IX | Pius XI; Leo X | Leo XIII; Catherine the Great | Peter the Great
    Ramses II | Ramses III; Frederick I | Frederick II; James I | James II; Ivan III | Ivan IV
    Alexander I | Alexander II; Nicholas I | Nicholas II; Mary I | Mary II; Elizabeth I | Elizabeth II
    William I | William II; Wilhelm I | Wilhelm II; Gustav II | Gustav III; sodium | sulfur
    tin | tungsten; iron | iodine; chlorine | fluorine; bromine | boron; magnesium | manganese
    rhodium | rhenium; radium | radon; silicon | silver; thallium | thulium; niobium | nobelium
    indium | iridium; palladium | platinum; strontium | scandium; hafnium | holmium; cerium | cesium
    argon | krypton; yttrium | ytterbium; Battle of Waterloo | Battle of Wagram
    Battle of Marathon | Battle of Salamis; First Battle of Bull Run | Second Battle of Bull Run
    First Battle of the Marne | Second Battle of the Marne; Battle of Saratoga | Battle of Sarajevo
    First Punic War | Second Punic War; Battle of Lexington | Battle of Lepanto
    First Battle of Ypres | Third Battle of Ypres; Second Boer War | First Boer War
    Battle of Jena | Battle of Jutland; First Opium War | Second Opium War
    Treaty of Paris | Treaty of Versailles; Kingdom of Kongo | Republic of the Congo
    Congo River | Democratic Republic of the Congo; Mali Empire | Mali; Ghana Empire | Ghana
    New York City | New York; Mexico City | Mexico; Kuwait City | Kuwait; Guatemala | Guatemala City
    Kansas City | Kansas; Georgia Tech | Georgia; Washington, D.C. | Washington
    South Korea | North Korea; West Virginia | Virginia; Equatorial Guinea | Guinea
    Guinea-Bissau | Guinea; Papua New Guinea | Guinea; South Sudan | Sudan
    Dominica | Dominican Republic; Niger | Nigeria; Charlotte Brontë | Emily Brontë
    Emily Brontë | Anne Brontë; Henry James | William James; Jacob Grimm | Wilhelm Grimm
    Orville Wright | Wilbur Wright; Heinrich Mann | Thomas Mann; Aldous Huxley | Julian Huxley
    George Gershwin | Ira Gershwin; Johann Sebastian Bach | Carl Philipp Emanuel Bach
    Johann Strauss II | Richard Strauss; Johann Strauss I | Johann Strauss II
    Serena Williams | Venus Williams; Dante Gabriel Rossetti | Christina Rossetti
    Pliny the Elder | Pliny the Younger; Alexandre Dumas père | Alexandre Dumas fils
    Theodore Roosevelt | Franklin Delano Roosevelt; George H. W. Bush | George W. Bush
    John Adams | John Quincy Adams; Robert Browning | Elizabeth Barrett Browning
    Percy Shelley | Mary Shelley; Cato the Elder | Cato the Younger; Hamlet | William Shakespeare
    Emma | Jane Austen; Ulysses | James Joyce; Walden | Henry David Thoreau; Guernica | Pablo Picasso
    Iliad | Odyssey; Paradise Lost | Paradise Regained; The Trial | The Castle; Faust | Doctor Faustus
    Das Rheingold | Die Walküre; Rigoletto | Il Trovatore; Don Giovanni | Don Carlos
    Swan Lake | The Nutcracker; Piano Concerto No. 1 | Piano Concerto No. 2
    Symphony No. 5 | Symphony No. 6; Eroica Symphony | Pathétique Symphony
    The Starry Night | Starry Night Over the Rhône; Henry IV, Part 1 | Henry IV, Part 2
    Rabbit, Run | Rabbit Is Rich; Tropic of Cancer | Tropic of Capricorn; King Lear | King John
    The Prince | The Princess; Utopia | Dystopia; Bleak House | Animal House
    Sons and Lovers | Fathers and Sons; Brave New World | New World; mitosis | meiosis; anode | cathode
    anabolism | catabolism; mitochondria | chondrite; nitrite | nitrate; ethane | ethene
    ethanol | methanol; methane | ethane; propane | propene; benzene | benzyne; alkane | alkene
    alkene | alkyne; aldose | ketose; glucose | galactose; purine | pyridine; pyrimidine | pyridine
    DNA | RNA; mRNA | tRNA; uracil | cytosine; thymine | thiamine; adrenaline | noradrenaline
    endotherm | ectotherm; hypothesis | synthesis; torque | torsion; fission | fusion; boson | fermion
    First Law of Thermodynamics | Second Law of Thermodynamics; electron | positron; proton | photon
    neutron | neutrino; muon | gluon; World War I | World War II; 1848 | 1849; 1812 | War of 1812
    1984 | 1948; Apollo 11 | Apollo 13; Article I | Article II; First Amendment | Fourth Amendment
    Fourteenth Amendment | Fifteenth Amendment; Type I error | Type II error; Catch-22 | Catch-23
    Ares | Aries; Cronus | Chronos; Uranus | Uranium; Medea | Medusa; Circe | Ceres; Hestia | Hecate
    Thor | Thoth; Loki | Baldr; Vishnu | Shiva; Sita | Sati; Isis | Osiris; Horus | Hathor
    Romulus | Remus; Castor | Pollux; Perseus | Theseus; Chiron | Charon; Slovakia | Slovenia
    Austria | Australia; Iran | Iraq; Paraguay | Uruguay; Mauritania | Mauritius; Gambia | Zambia
    Latvia | Lithuania; Budapest | Bucharest; Belgrade | Belgium; Tripoli | Tivoli; Sumer | Sumatra
    Java | Jawa Barat; Tigris | Tiber; Oder | Order; Volta | Volga; Manet | Monet; Matisse | Masaccio
    Bernini | Bellini; Rossini | Puccini; Hume | Hulme; Locke | Blocke; Marx | Mars; Kant | Kent
    John Locke | John Stuart Mill; Thomas Hobbes | Thomas More; Thomas Mann | Thomas Moran
    Samuel Johnson | Samuel Adams; Ben Jonson | Samuel Johnson; Andrew Johnson | Lyndon Johnson
    Andrew Johnson | Andrew Jackson; Jesse Jackson | Andrew Jackson; Oliver Cromwell | Thomas Cromwell
    Tennessee Williams | William Carlos Williams; T. E. Lawrence | D. H. Lawrence
    T. S. Eliot | George Eliot; Upton Sinclair | Sinclair Lewis; C. S. Lewis | Sinclair Lewis
    Wallace Stevens | Wallace Stegner; William Golding | William Gibson; Arthur Miller | Henry Miller
    Roger Bacon | Francis Bacon; Claudius Ptolemy | Claudius; Lake Victoria | Queen Victoria
    Lake Michigan | Michigan; Rio Grande | Rio de Janeiro; Jordan River | Jordan; Amazon River | Amazon
    Orange River | William of Orange; Princeton University | Princeton, New Jersey
    Columbia University | Columbia River; British Columbia | Columbia; Gulf of Mexico | Mexico
    Sea of Japan | Japan; Bay of Bengal | Bengal; Mount Olympus | Mount Etna
    Mount Everest | Mount McKinley; Fort Sumter | Fort Ticonderoga; Boston Tea Party | Boston Massacre
"""
PAIRS = [
    tuple(name.strip() for name in pair.split("|"))
    for line in _NEAR.strip().splitlines()
    for pair in line.split(";")
]


@pytest.mark.parametrize(
    ("form", "pairs"),
    [
        ("{}", PAIRS),
        ("<b><u>{}</u></b>", PAIRS[::5]),
        ("{} [accept equivalents; prompt on partial answers]", PAIRS[1::5]),
    ],
)
def test_no_near_answer_is_accepted(form, pairs):
    """Rulers by number, elements, battles, cities and kingdoms, siblings, works and their authors."""
    assert len(PAIRS) > 200
    wrong = [
        (line, given)
        for pair in pairs
        for line, given in (pair, pair[::-1])
        if judge(form.format(line), given, page=line.replace(" ", "_")).verdict is Verdict.ACCEPT
    ]
    assert wrong == []


def test_terms_that_set_one_thing_against_another_are_no_slips_of_each_other():
    for one, other in (("ethane", "ethene"), ("ectotherm", "endotherm"), ("hypoxia", "hyperoxia")):
        assert is_contrast(one, other) == is_contrast(other, one)
    assert is_contrast("ethane", "ethene")
    assert is_contrast("intranet", "internet")
    assert not is_contrast("ethane", "methane")
    assert not is_contrast("ethane", "ethane")
    assert not is_contrast("endoderm", "mesoderm")
    assert not is_contrast("mesoderm", "endoderm")
    assert not is_contrast("ethane", "ethyl")
    assert judge("Charlemagne", "Charlemange").verdict is Verdict.ACCEPT  # a slip stays one
