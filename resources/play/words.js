// The words of an answer, and when two of them are the same: as quizwriter/judging/spoken_words.py and
// same_word.py have it. A test holds both together.

/**
 * @typedef {{text: string, raw: string, number: string, spelled: boolean, initial: boolean}} Word
 * @typedef {{short: Record<string, string>, numbers: Record<string, number>, fractions: Record<string, string>,
 *   greek: Record<string, string>, light: string[], particles: string[], elided: string[], honorifics: string[],
 *   accents: string, unseen: string}} Language
 */

const LETTER = "[\\p{L}\\p{N}]";
const INITIALS = /^\s*(?:\p{L}\.\s?){1,4}(?=\p{L}{2})/u;
const ACCIDENTALS = { "#": "sharp", "\u266f": "sharp", "\u266d": "flat" };
const SCALES = new Set(["hundred", "thousand", "million", "billion"]);
const ROMAN = /^(?:l?x{0,3}|xl)(?:ix|iv|v?i{0,3})$/;
const MUHAMMAD = /^(?:m[ou]h+a?m+[aeiou]t?d|mahomet|mahommed)$/;
const PLAIN = { ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ħ: "h", ŋ: "ng", "√": "sqrt" };
export const MOST_WORDS = 64;

/** Splits answers into words, in one language. */
export class Words {
  /** @param {Language} language */
  constructor(language) {
    this.language = language;
    this.light = new Set(language.light);
    this.particles = new Set(language.particles);
    this.elided = new Set(language.elided);
    this.honorifics = new Set(language.honorifics);
    const within = `(?:${LETTER}|[${language.accents}${language.unseen}])`;
    this.word = new RegExp(
      `\\d+(?:[.,]\\d+)+|(?:${LETTER}|[${language.accents}])${within}*` +
        `(?:['\`\\u2019\\u02bc\\u2018\\u00b4]${within}+)*|[&+%\\u221a\\u266d\\u266f]|(?<=(?:^|[^\\p{L}\\p{N}_])[A-Ga-g])#|(?<!\\S)[-\\u2212\\u2013](?=\\d)`,
      "gu",
    );
  }

  /** @param {string} raw */
  folded(raw) {
    const lower = raw.toLowerCase();
    if (Object.hasOwn(this.language.greek, lower)) return this.language.greek[lower];
    const plain = [...lower.normalize("NFKD")].map((one) => PLAIN[one] ?? one).join("");
    return plain.replace(/[^a-z0-9]+/g, "") || raw;
  }

  /** @param {string} word */
  singular(word) {
    if (Object.hasOwn(this.language.short, word)) return this.language.short[word];
    if (word.length > 4 && word.endsWith("ies")) return word.slice(0, -3) + "y";
    if (word.length > 4 && /(?:sses|xes|zes|ches|shes)$/.test(word)) return word.slice(0, -2);
    if (word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
    return MUHAMMAD.test(word) ? "muhammad" : word;
  }

  /** @param {string} text @returns {Word[]} */
  of(text) {
    const found = [];
    const initials = INITIALS.exec(text)?.[0].length ?? 0;
    for (const match of text.matchAll(this.word)) {
      if (found.length > MOST_WORDS) break;
      if (match.index + match[0].length <= initials) {
        const letter = this.folded(match[0]);
        found.push(word(letter, letter, "", false, true));
      } else found.push(...this.inside(match[0]));
    }
    return together(this.fraction(found));
  }

  /** @param {string} raw @returns {Word[]} */
  inside(raw) {
    if (Object.hasOwn(ACCIDENTALS, raw)) return [word(ACCIDENTALS[raw], ACCIDENTALS[raw])];
    if (/^[-\u2212\u2013]$/.test(raw)) return [word("negative", "negative")];
    const plain = raw.replace(/[\u2019\u02bc\u2018\u00b4`]/g, "'");
    const cut = plain.indexOf("'");
    const head = cut < 0 ? plain : plain.slice(0, cut);
    const tail = cut < 0 ? "" : plain.slice(cut + 1);
    const before = [];
    if (cut >= 0 && tail.toLowerCase() === "s") raw = head;
    else if (cut >= 0 && this.elided.has(head.toLowerCase()) && tail) {
      before.push(word(head.toLowerCase(), head.toLowerCase()));
      raw = tail;
    }
    if (/^\d[\d.,]*[.,][\d.,]*$/.test(raw)) {
      const value = raw.includes(".") ? raw : raw.replaceAll(",", "");
      return [...before, word(value, value, value)];
    }
    const letters = this.folded(raw);
    const digits = /^(\d+)([a-z]+)$/.exec(letters);
    if (digits && !["st", "nd", "rd", "th", "s"].includes(digits[2])) {
      return [...before, word(digits[1], digits[1], value(digits[1])), word(this.singular(digits[2]), digits[2])];
    }
    if (digits) return [...before, word(value(digits[1]), letters, value(digits[1]))];
    if (/^\d+$/.test(letters)) return [...before, word(value(letters), letters, value(letters))];
    if (Object.hasOwn(this.language.numbers, letters)) {
      const number = String(this.language.numbers[letters]);
      return [...before, word(number, letters, number, true)];
    }
    const number = roman(letters);
    if (number) return [...before, word(String(number), letters, String(number))];
    return [...before, word(this.singular(letters), letters)];
  }

  /** @param {Word[]} words */
  fraction(words) {
    const last = words.at(-1);
    if (!last || words.length > 2 || !Object.hasOwn(this.language.fractions, last.raw)) return words;
    const parts = this.language.fractions[last.raw];
    const part = { ...last, text: parts, number: parts, spelled: true };
    if (words.length === 2 && words[0].number) return [words[0], part];
    const whole =
      words.length === 1 ? ["half", "halves", "quarter"].includes(last.raw) : ["a", "an"].includes(words[0].raw);
    return whole ? [{ ...part, text: "1", raw: "1", number: "1" }, part] : words;
  }

  /** Without the words on which nothing depends; all, where none is left. @param {Word[]} words */
  content(words) {
    const found = words.filter((one) => !this.isLight(one));
    return found.length ? found : words;
  }

  /** @param {Word} one */
  isLight(one) {
    return this.light.has(one.text) && !one.initial;
  }

  /** @param {Word[]} words */
  squashed(words) {
    const spelled = words.every((one) => one.raw.length === 1);
    return words
      .filter((one) => spelled || !this.isLight(one))
      .map((one) => (spelled ? one.raw : one.number || one.raw))
      .join("");
  }
}

/** @returns {Word} */
function word(text, raw, number = "", spelled = false, initial = false) {
  return { text, raw, number, spelled, initial };
}

/** @param {string} digits */
function value(digits) {
  return digits.replace(/^0+/, "") || "0";
}

/** @param {string} letters */
function roman(letters) {
  if (letters === "l" || !letters || !ROMAN.test(letters)) return 0;
  const values = { i: 1, v: 5, x: 10, l: 50 };
  let total = 0;
  [...letters].forEach((one, at) => {
    const after = letters[at + 1];
    total += after && values[one] < values[after] ? -values[one] : values[one];
  });
  return total;
}

/** Numbers of several words as one. @param {Word[]} words */
function together(words) {
  const found = [];
  for (let at = 0; at < words.length; ) {
    const scaled = /^\d{1,6}$/.test(words[at].number) && SCALES.has(words[at + 1]?.raw); // "100 million"
    const [end, total] = words[at].spelled || scaled ? numberFrom(words, at) : [at, 0];
    if (end > at + 1) {
      const raw = words.slice(at, end).map((one) => one.raw).join("");
      found.push(word(String(total), raw, String(total)));
    } else found.push(words[at]);
    at = Math.max(end, at + 1);
  }
  return found;
}

/** @param {Word[]} words @param {number} at @returns {[number, number]} */
function numberFrom(words, at) {
  const small = (/** @type {number} */ from) => {
    const number = Number(words[from].number);
    const next = words[from + 1];
    if (number >= 20 && number < 100 && number % 10 === 0 && next?.spelled && +next.number > 0 && +next.number < 10) {
      return [from + 2, number + Number(next.number)];
    }
    return [from + 1, number];
  };
  let total = 0;
  let [end, number] = small(at);
  while (end < words.length && words[end].spelled && "htmb".includes(words[end].raw[0])) {
    const scale = Number(words[end].number);
    if (scale < 100 || number >= scale) break;
    number *= scale;
    end += 1;
    if (scale > 100) [total, number] = [total + number, 0];
    const after = end + (words[end]?.text === "and" && words[end + 1]?.spelled ? 1 : 0);
    if (after < words.length && words[after].spelled && Number(words[after].number) < 100) {
      const [next, more] = small(after);
      end = next;
      number += more;
    }
  }
  if (total + number < 100 && number >= 10 && end < words.length && words[end].spelled) {
    const [last, year] = small(end);
    if (year >= 10 && year < 100) return [last, number * 100 + year];
  }
  return [end, total + number];
}

/** Words as they are, for comparison by letters. @param {Word[]} words */
export function verbatim(words) {
  return words.map((one) => one.number || one.raw).join(" ");
}

// -- whether two words are the same

const SPELLINGS = [
  ["tsch", "ch"], ["tch", "ch"], ["shch", "sh"], ["sch", "sh"], ["kh", "k"], ["gh", "g"], ["ph", "f"],
  ["ck", "k"], ["x", "ks"], ["ae", "a"], ["oy", "oi"], ["ey", "ei"], ["oe", "o"], ["ue", "u"], ["ou", "u"],
  ["oo", "u"], ["w", "v"],
];
const BRITISH = /(?<=[a-z]{2})(?:is(?=e$|ation$|ing$|ed$|er$)|ys(?=e$))|our$|ogue$|(?<=[bt])re$/g;
const AS = { is: "iz", ys: "yz", our: "or", ogue: "og", re: "er" };
const ENDINGS = [["", ["s", "ed", "ing"]], ["e", ["ing", "ed", "es"]], ["y", ["ies", "ied"]]];
const BEFORE = [["endo", "ecto", "exo"], ["hyper", "hypo"], ["inter", "intra"], ["macro", "micro"],
  ["ante", "anti"], ["ana", "cata"], ["homo", "hetero"], ["ab", "ad"], ["ef", "af"]];
const BEHIND = [["ane", "ene", "yne"], ["ate", "ite", "ide"], ["ase", "ose"], ["ol", "al", "yl"]];

/** @param {string} one */
function spelling(one) {
  let found = one.replace(BRITISH, (match) => AS[match]);
  found = found.replace(/^oe(?=[dns])/, "e").replace(/(?<=[dlnt])y(?=[aou])|(?<=[aeiou])y(?=[aeiou])/g, "");
  for (const [from, to] of SPELLINGS) found = found.replaceAll(from, to);
  found = found.replace(/c(?=[aourlt]|$)/g, "k").replace(/q(?!u)/g, "k");
  found = found.replace(/(?:iy|ij|ii|yi|yy|y|i)$/, "i").replaceAll("y", "i");
  return found.replace(/(.)\1+/g, "$1").replace(/(?<=[aeio])v$/, "f");
}

/** @param {string} one @param {string} other */
function isForm(one, other) {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < 3 || long.slice(0, 2) !== short.slice(0, 2) || long.length - short.length > 4) return false;
  if (long === short + "es" && /(?:s|x|z|ch|sh|o)$/.test(short)) return true;
  for (const [dropped, endings] of ENDINGS) {
    if (!short.endsWith(dropped)) continue;
    const stem = short.slice(0, short.length - dropped.length);
    if (long.startsWith(stem) && endings.includes(long.slice(stem.length))) return true;
  }
  const rest = long.slice(short.length);
  return long.startsWith(short) && [short.at(-1) + "ing", short.at(-1) + "ed"].includes(rest);
}

/** @param {string} one @param {string} other */
function isContrast(one, other) {
  const pairs = (groups) => groups.flatMap((group) => group.flatMap((a) => group.filter((b) => b !== a).map((b) => [a, b])));
  return (
    pairs(BEFORE).some(([a, b]) => one.startsWith(a) && other.startsWith(b) && one.slice(a.length) === other.slice(b.length)) ||
    pairs(BEHIND).some(([a, b]) => one.endsWith(a) && other.endsWith(b) && one.slice(0, -a.length) === other.slice(0, -b.length))
  );
}

/** Optimal string alignment (Damerau 1964). @param {string} one @param {string} other */
function distance(one, other) {
  let [before, row] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        next[j] = Math.min(next[j], before[j - 2] + 1);
      }
    }
    [before, row] = [row, next];
  }
  return row[other.length];
}

/** Whether two long words differ in a last vowel alone: madama, madame, madam. @param {string} one @param {string} other */
export function hasOtherEnd(one, other) {
  const bare = one.replace(/[ae]+$/, "");
  return bare.length >= 5 && bare === other.replace(/[ae]+$/, "");
}

export const SLIP = 0.6;

/** What it costs to take `said` for `meant`, null where they are different words.
 * @param {string} said @param {string} meant @param {Record<string, string[]>} apart */
export function wordCost(said, meant, apart) {
  if (said === meant) return 0;
  if (!/^[a-z]+$/.test(said) || !/^[a-z]+$/.test(meant)) return null;
  if (isForm(said, meant)) return 0.1;
  const shorter = Math.min(said.length, meant.length);
  const isApart = Object.hasOwn(apart, meant) && apart[meant].includes(said);
  if (shorter >= 5 && spelling(said) === spelling(meant)) return 0.3;
  const umlaut = (/** @type {string} */ one) => one.replace(/([aou])e/g, "$1");
  if (shorter >= 4 && umlaut(said) === umlaut(meant)) return 0.3;
  const start = (/** @type {string} */ one) => [...one.slice(0, 2)].sort().join("");
  if (said[0] !== meant[0] && start(said) !== start(meant)) return null;
  if (isApart || isContrast(said, meant)) return null;
  const most = shorter < 5 ? 0 : shorter < 8 ? 1 : 2;
  const far = Math.abs(said.length - meant.length) > most ? most + 1 : distance(said, meant);
  if (far <= most) return SLIP + 0.1 * far;
  const sorted = (/** @type {string} */ one) => [...one].sort().join("");
  return meant.length > 5 && said[0] === meant[0] && sorted(said) === sorted(meant) ? SLIP + 0.2 : null;
}
