// The game of a tossup: the moves of quizwriter/domain/tossup_game.py, of which it is the twin. QuizWriter replays
// what is logged here, and refuses a log that cannot have been.

/**
 * @typedef {{name: string, right: number, neg: number, power: number, superpower: number, answer_ms: number, end_ms: number}} Format
 * @typedef {{words: number, power: number | null, superpower: number | null}} Tossup
 * @typedef {{kind: string, at_ms: number, word?: number, seat?: number, said?: string, text?: string}} Move
 * @typedef {{seat: number, word: number, answers: string[], prompt: string, said: string | null}} Buzzed
 */

const LONGEST_SAID = 200;
const LONGEST_GAME_MS = 86400000;

export class IllegalMove extends Error {}

/** The state and the log of one tossup, played by one person. */
export class Game {
  /** @param {Format} format @param {Tossup} tossup @param {() => number} clock milliseconds */
  constructor(format, tossup, clock) {
    this.format = format;
    this.tossup = tossup;
    this.clock = clock;
    this.began = clock();
    this.phase = "reading";
    this.word = 0;
    this.at = 0;
    /** @type {number | null} */
    this.due = null;
    /** @type {Buzzed | null} */
    this.buzz = null;
    /** @type {Move[]} */
    this.log = [];
  }

  /** The game after `moves`. @param {Format} format @param {Tossup} tossup @param {Move[]} moves @param {() => number} clock */
  static replayed(format, tossup, moves, clock) {
    const game = new Game(format, tossup, () => 0);
    for (const move of moves) game.take(move);
    game.clock = clock;
    game.began = clock() - game.at;
    return game;
  }

  get now() {
    return Math.max(this.at, Math.min(Math.round(this.clock() - this.began), LONGEST_GAME_MS));
  }

  get mayBuzz() {
    return this.phase === "reading" && this.buzz === null;
  }

  get points() {
    if (this.buzz?.said === "accept") return this.worth(this.buzz.word);
    return this.buzz?.said === "reject" && this.buzz.word < this.tossup.words ? this.format.neg : 0;
  }

  /** @param {number} word */
  worth(word) {
    const { superpower, power } = this.tossup;
    if (superpower !== null && this.format.superpower && word <= superpower) return this.format.superpower;
    return power !== null && this.format.power && word <= power ? this.format.power : this.format.right;
  }

  /** @param {Move} move */
  take(move) {
    if (move.at_ms < this.at) throw new IllegalMove("time");
    const refuse = () => {
      throw new IllegalMove(`${move.kind} while ${this.phase}`);
    };
    const due = (/** @type {number} */ ms) => (ms ? move.at_ms + ms : null);
    const answering = ["answering", "prompted"].includes(this.phase);
    switch (move.kind) {
      case "read":
        if (this.phase !== "reading" || !(move.word > this.word && move.word <= this.tossup.words)) refuse();
        this.word = move.word;
        this.due = this.word === this.tossup.words ? due(this.format.end_ms) : null;
        break;
      case "buzz":
        if (!this.mayBuzz || move.word > this.word) refuse();
        this.buzz = { seat: 0, word: move.word, answers: [], prompt: "", said: null };
        [this.phase, this.due] = ["answering", due(this.format.answer_ms)];
        break;
      case "answer":
        if (!answering) refuse();
        this.buzz.answers.push(move.text);
        [this.phase, this.due] = ["judging", null];
        break;
      case "verdict":
        if (!answering && this.phase !== "judging") refuse();
        if (move.said === "prompt" && this.buzz.said === "prompt") refuse();
        this.buzz.said = move.said;
        if (move.said === "prompt") {
          this.buzz.prompt = move.text ?? "";
          [this.phase, this.due] = ["prompted", due(this.format.answer_ms)];
        } else [this.phase, this.due] = ["decided", null];
        break;
      case "time":
        if (this.due === null || move.at_ms < this.due) refuse();
        if (this.phase === "reading") this.phase = "over";
        else {
          this.buzz.said = "reject";
          this.phase = "decided";
        }
        this.due = null;
        break;
      case "overrule":
        if (!["decided", "over"].includes(this.phase) || this.buzz === null || this.buzz.said === move.said) refuse();
        if (!["accept", "reject"].includes(move.said)) refuse();
        this.buzz.said = move.said;
        break;
      case "read on":
        if (this.phase !== "decided" || this.buzz.said === "accept") refuse();
        [this.phase, this.due] = ["reading", this.word === this.tossup.words ? due(this.format.end_ms) : null];
        break;
      case "end":
        if (!["reading", "decided"].includes(this.phase)) refuse();
        [this.phase, this.due] = ["over", null];
        break;
      default:
        refuse();
    }
    this.at = move.at_ms;
    if (move.kind === "read" && this.log.at(-1)?.kind === "read") this.log[this.log.length - 1] = move;
    else this.log.push(move);
  }

  /** @param {string} kind @param {object} [fields] */
  make(kind, fields = {}) {
    this.take({ kind, at_ms: this.now, ...fields });
  }

  /** An answer and what is said to it; a second prompt is a no. @param {string} text @param {{said: string, ask: string}} judged */
  answer(text, judged) {
    this.make("answer", { text: [...text.trim()].slice(0, LONGEST_SAID).join("") });
    const again = judged.said === "prompt" && this.buzz.said === "prompt";
    const said = again ? "reject" : judged.said;
    this.make("verdict", said === "prompt" ? { said, text: [...judged.ask].slice(0, LONGEST_SAID).join("") } : { said });
  }
}
