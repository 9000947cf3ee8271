// The provisional verdict on an answer: looked up in the table that QuizWriter computed for the answer line.

import { MOST_WORDS, SLIP, hasOtherEnd, verbatim, wordCost } from "./words.js";

/**
 * @typedef {import("./words.js").Word} Word
 * @typedef {{forms: Record<string, string[]>, verbatim: Record<string, string[]>, squashed: Record<string, string[]>,
 *   known: string[], raws: Record<string, string[]>}} FormTable
 * @typedef {{stages: {word: number, answers: FormTable[]}[], asks: string[], apart: Record<string, string[]>}} VerdictTable
 * @typedef {{said: "accept" | "prompt" | "reject", ask: string}} Judgement
 */

const SAID = { a: "accept", p: "prompt", r: "reject" };
const REJECT = { said: "reject", ask: "" };
const LONGEST_ANSWER = 1000;
const MOST_PARTS = 6;

/** Judges answers by the table of one line. */
export class Matcher {
  /** @param {import("./words.js").Words} words @param {VerdictTable} table */
  constructor(words, table) {
    this.words = words;
    this.table = table;
    this.stages = table.stages.map((stage) => ({ word: stage.word, answers: stage.answers.map(prepared) }));
  }

  /** What is said to `typed` after `heard` words. @param {string} typed @param {number} heard @returns {Judgement} */
  judge(typed, heard) {
    if (typed.length > LONGEST_ANSWER) return REJECT;
    typed = typed.replace(/<[^<>]*>/g, " ");
    const said = this.words.of(typed);
    if (!said.length || said.length > MOST_WORDS || !this.stages.length) return REJECT;
    const stage = this.stages.findLast((one) => one.word <= heard) ?? this.stages[0];
    if (stage.answers.length > 1) return this.all(typed, stage.answers);
    const found = this.one(said, stage.answers[0]);
    const parts = typed.split(",");
    if (found.said === "accept" || parts.length !== 2) return found;
    const turned = this.one(this.words.of(`${parts[1]} ${parts[0]}`), stage.answers[0]); // "Dickinson, Emily"
    return turned.said === "accept" ? turned : found;
  }

  /** Where a line asks for several answers at once. @param {string} typed @param {Prepared[]} answers */
  all(typed, answers) {
    const parts = typed.split(/\band\b|\bwith\b|[&,;/+]/i).map((part) => this.words.of(part));
    const left = [...answers];
    const prompts = [];
    let wrong = false;
    for (const part of parts.filter((one) => one.length).slice(0, MOST_PARTS)) {
      const right = left.findIndex((answer) => this.one(part, answer).said === "accept");
      if (right >= 0) {
        left.splice(right, 1);
        continue;
      }
      const prompt = answers.map((answer) => this.one(part, answer)).find((one) => one.said === "prompt");
      if (prompt) prompts.push(prompt);
      else wrong = true;
    }
    wrong ||= prompts.length > left.length;
    if (!wrong && prompts.length) return prompts[0];
    if (!wrong && !left.length) return { said: "accept", ask: "" };
    return !wrong && left.length < answers.length ? { said: "prompt", ask: "" } : REJECT;
  }

  /** @param {Word[]} said @param {Prepared} answer @returns {Judgement} */
  one(said, answer) {
    if (!said.length) return REJECT;
    const content = this.words.content(said);
    const key = content.map((one) => one.text).join(" ");
    const code =
      answer.verbatim.get(verbatim(said)) ??
      answer.byForm.get(key) ??
      this.joined(said, answer) ??
      this.nearest(content, answer);
    return code ? this.told(code) : REJECT;
  }

  /** What is said to words that were written apart, or as one. @param {Word[]} said @param {Prepared} answer */
  joined(said, answer) {
    const isFragment = (/** @type {Word} */ one) =>
      one.raw.length === 2 && !one.number && !this.words.isLight(one) && !this.words.particles.has(one.raw) && !/^m[ct]$/.test(one.raw);
    if (said.some(isFragment)) return undefined;
    const letters = this.words.squashed(said);
    const found = answer.squashed.get(letters);
    const mayBePlural = said.length > 1 && letters.length > 4 && said.at(-1)?.raw !== "s"; // "Mexico s" is no plural
    return found || !mayBePlural ? found : answer.byForm.get(this.words.singular(letters));
  }

  /** @param {string} code @returns {Judgement} */
  told(code) {
    const ask = /^p(\d+)/.exec(code);
    return { said: SAID[code[0]], ask: ask ? this.table.asks[Number(ask[1])] : "" };
  }

  /** The code of the form that is meant with slips and words besides. @param {Word[]} content @param {Prepared} answer */
  nearest(content, answer) {
    let best = null;
    for (const form of answer.forms) {
      const cost = this.cost(content, form, answer);
      if (cost === null) continue;
      const rank = Math.round(cost * 10) - "pa r".indexOf(form.code[0]) / 10 + cost / 1000;
      if (best === null || rank < best.rank) best = { rank, code: form.code };
    }
    return best?.code;
  }

  /** @param {Word[]} content @param {{words: string[], code: string, slips: boolean, more: boolean, begun: number, titled: boolean, anything: boolean}} form @param {Prepared} answer */
  cost(content, form, answer) {
    const extra = content.length - form.words.length;
    if (extra < 0 || extra > 8) return null;
    let [worst, at] = [0, 0];
    const besides = [];
    for (const said of content) {
      const meant = form.words[at];
      const cost = meant === undefined ? null : this.pair(said, meant, answer, form);
      if (cost === null) besides.push(said);
      else {
        worst = Math.max(worst, cost);
        at += 1;
      }
    }
    if (at < form.words.length || (worst >= SLIP && !form.slips)) return null;
    if (form.code[0] === "r" && (worst >= SLIP || besides.length)) return null;
    const allowed = besides.every((one) => {
      if (form.anything || one.text === "or") return true;
      if (this.words.particles.has(one.text) && !one.number) return form.words.length > 1 && one !== content.at(-1);
      if (form.more && !one.number && (answer.known.has(one.text) || answer.known.has(one.raw))) return true;
      return form.titled && one === content[0] && this.words.honorifics.has(one.text);
    });
    return allowed ? worst + besides.length / 100 : null;
  }

  /** @param {Word} said @param {string} meant @param {Prepared} answer @param {{begun: number, words: string[]}} form */
  pair(said, meant, answer, { begun, words }) {
    if (said.number || /^\d/.test(meant)) return said.text === meant ? 0 : null;
    let cost = wordCost(said.text, meant, this.table.apart);
    for (const raw of cost === null ? (answer.raws.get(meant) ?? [meant]) : []) {
      cost ??= wordCost(said.raw, raw, this.table.apart);
      if (words.length > 1 && hasOtherEnd(said.raw, raw)) cost ??= 0.3;
    }
    const isBegun = begun && meant.length > 5 && said.raw.length >= begun && meant.startsWith(said.raw);
    return cost ?? (isBegun ? 0.4 : null);
  }
}

/** @typedef {ReturnType<typeof prepared>} Prepared */

/** @param {FormTable} table */
function prepared(table) {
  const turned = (/** @type {Record<string, string[]>} */ codes) =>
    new Map(Object.entries(codes).flatMap(([code, forms]) => forms.map((form) => [form, code])));
  const byForm = turned(table.forms);
  const forms = [...byForm].map(([form, code]) => ({
    words: form.split(" "),
    code,
    slips: code.includes("s"),
    more: code.includes("x"),
    begun: code.includes("b") ? 4 : code.includes("c") ? 5 : 0,
    titled: code.includes("h"),
    anything: code.includes("y"),
  }));
  return { byForm, forms, verbatim: turned(table.verbatim), squashed: turned(table.squashed), known: new Set(table.known), raws: new Map(Object.entries(table.raws)) };
}
