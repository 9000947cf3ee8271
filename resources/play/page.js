// The page of a playtester: words appear, a key or the button buzzes, and answers are judged provisionally.
// Texts of others are set as text and never as markup.

import { Game } from "./game.js";
import { Matcher } from "./matcher.js";
import { Presses } from "./presses.js";
import { Words } from "./words.js";

/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);

/** Plays the tossups in `data`. */
export class Page {
  /** @param {any} data @param {() => number} clock */
  constructor(data, clock) {
    this.data = data;
    this.clock = clock;
    this.words = new Words(data.language);
    this.presses = new Presses();
    this.storeName = `quizwriter ${data.sent.id}`;
    this.tab = newId();
    this.kept = this.restored() ?? { id: newId(), name: "", number: 1, speed: 220, games: [] };
    /** @type {number | null} */
    this.pausedAt = null;
    this.skipped = 0; // by the pauses before
    this.timer = 0;
    this.ticker = 0;
    document.title = data.title || "Playtest";
    part("title").textContent = document.title;
    part("name").value = this.kept.name;
    part("speed").value = this.kept.speed;
    this.connect();
    if (this.kept.games.length) part("begin").textContent = "Continue";
    part("results").hidden = !this.kept.games.length;
  }

  connect() {
    const on = (/** @type {string} */ id, /** @type {string} */ what, /** @type {(event: any) => void} */ call) =>
      part(id).addEventListener(what, (/** @type {Event} */ event) => {
        if (what === "submit") event.preventDefault();
        if (this.isHere() && !(what === "click" && this.presses.isDouble(event))) call(event);
      });
    on("start", "submit", () => this.start());
    on("buzz", "click", () => this.buzz());
    on("pause", "click", () => this.pause());
    on("claim", "click", () => this.claim());
    on("on", "click", () => this.readOn());
    on("end", "click", () => this.end());
    on("next", "click", () => this.next());
    on("save", "click", () => this.save());
    on("show", "click", () => this.showResults());
    on("speed", "input", (event) => {
      this.kept.speed = Number(event.target.value);
      if (this.game) this.keep();
    });
    on("after", "input", () => this.keep());
    on("answering", "submit", (event) => {
      const text = part("answer").value;
      if (this.presses.isAnswer(event, text)) this.answer(text);
    });
    addEventListener("storage", () => this.isHere());
    document.addEventListener("visibilitychange", () => {
      const reads = document.hidden && this.game?.phase === "reading" && !this.paused;
      if (reads && this.isHere()) this.pause(); // nobody hears what is read: the phone was locked
    });
    addEventListener("resize", () => this.game && this.show()); // a phone was turned
    document.addEventListener("keydown", (event) => {
      const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (isField || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !this.game || !this.isHere()) return;
      if (event.key === " " && this.game.mayBuzz && !this.paused) {
        event.preventDefault(); // a button that has the keyboard is not pressed, too
        this.buzz();
      } else if (event.key === "p" && this.game.phase === "reading") this.pause();
    });
  }

  /** @param {number} number @param {any[]} moves */
  replayed(number, moves) {
    return Game.replayed(this.data.sent.format, this.data.tossups[number - 1], moves, () => this.now);
  }

  /** The time of the games: no pause is in it. */
  get now() {
    return (this.pausedAt ?? this.clock()) - this.skipped;
  }

  get paused() {
    return this.pausedAt !== null;
  }

  get tossup() {
    return this.data.tossups[this.kept.number - 1];
  }

  /** What is kept of the present tossup. */
  get entry() {
    let found = this.kept.games.find((one) => one.number === this.kept.number);
    if (!found) {
      found = { number: this.kept.number, moves: [], felt: "", unfair: "", comment: "" };
      this.kept.games.push(found);
    }
    return found;
  }

  start() {
    const { speed } = this.kept;
    this.kept = { ...(this.restored() ?? this.kept), name: part("name").value.trim(), speed, tab: this.tab };
    this.keep();
    part("start").hidden = true;
    part("elsewhere").textContent = "";
    this.begin();
  }

  begin() {
    const over = this.kept.number > this.data.tossups.length;
    part("play").hidden = over;
    part("over").hidden = !over;
    part("results").hidden = !over;
    if (over) {
      this.game = null;
      part("score").textContent = `Thank you. You have ${this.score()}. Save the results, and send them to the writer.`;
      part("place").textContent = "";
      part("save").focus();
      return;
    }
    this.matcher = new Matcher(this.words, this.tossup.table);
    this.game = this.replayed(this.kept.number, this.entry.moves);
    this.shown = 0;
    part("text").replaceChildren();
    part("said").textContent = "";
    const entry = this.entry;
    for (const radio of document.getElementsByName("felt")) radio.checked = radio.value === entry.felt;
    part("unfair").value = entry.unfair;
    part("comment").value = entry.comment;
    this.say();
    this.show();
    if (this.game.phase === "reading") this.wait();
    this.focus();
  }

  // -- words and clocks

  wait() {
    clearTimeout(this.timer);
    clearTimeout(this.ticker);
    if (this.paused || !this.game) return;
    if (this.game.phase === "reading" && this.game.word < this.tossup.words) {
      this.timer = setTimeout(() => this.read(), 60000 / this.kept.speed);
    } else if (this.game.due !== null) {
      this.ticker = setTimeout(() => this.tick(), 200);
    }
  }

  read() {
    if (!this.isHere()) return;
    this.game.make("read", { word: this.game.word + 1 });
    if (this.game.word === this.tossup.words && !this.game.mayBuzz) this.end(); // nobody is waited for
    this.show();
    this.wait();
  }

  tick() {
    const left = this.game.due === null ? 0 : this.game.due - this.game.now;
    if (left > 0) {
      part("left").textContent = `${Math.ceil(left / 1000)} s`;
      this.wait();
      return;
    }
    if (!this.isHere()) return;
    this.game.make("time");
    this.decided("Time. ");
  }

  // -- what the player does

  buzz() {
    if (!this.game.mayBuzz || this.paused) return;
    this.game.make("buzz", { word: this.shown });
    this.keep();
    this.show();
    this.wait();
    part("answer").value = "";
    part("answer").focus();
  }

  /** @param {string} text */
  answer(text) {
    const judged = this.matcher.judge(text, this.game.buzz.word);
    this.game.answer(text, judged);
    if (this.game.phase === "prompted") {
      this.keep();
      this.say();
      this.show();
      this.wait();
      part("answer").value = "";
      part("answer").focus();
    } else this.decided("");
  }

  /** @param {string} why */
  decided(why) {
    clearTimeout(this.ticker);
    if (this.game.phase === "decided" && this.game.buzz.said === "accept") this.game.make("end");
    this.keep();
    this.say(why);
    this.show();
    this.focus();
  }

  /** The keyboard is where it is needed next, and what was said is in sight, however large letters are. */
  focus() {
    const reading = this.game.mayBuzz && !this.paused ? "buzz" : "pause";
    const decided = part("on").hidden ? "end" : "on";
    part({ reading, decided, over: "next" }[this.game.phase] ?? "answer").focus();
    part("said").scrollIntoView({ block: "nearest" });
  }

  claim() {
    const said = this.game.buzz.said === "accept" ? "reject" : "accept";
    this.game.make("overrule", { said });
    this.decided("");
  }

  readOn() {
    this.game.make("read on");
    this.keep();
    this.say();
    this.show();
    this.wait();
    this.focus();
  }

  end() {
    this.game.make("end");
    this.decided("");
  }

  pause() {
    const paused = this.pausedAt;
    this.pausedAt = paused === null ? this.clock() : null;
    if (paused !== null) this.skipped += this.clock() - paused;
    this.show();
    this.wait();
  }

  next() {
    this.keep();
    this.game = null; // its log belongs to the tossup that is left
    this.kept.number += 1;
    this.keep();
    this.begin();
  }

  // -- what is shown

  place() {
    return `Tossup ${this.kept.number} of ${this.data.tossups.length} · ${this.score()}`;
  }

  score() {
    const points = this.kept.games.reduce((sum, one) => {
      return sum + this.replayed(one.number, one.moves).points;
    }, 0);
    return `${String(points).replace("-", "−")} points`;
  }

  say(why = "") {
    const { phase, buzz } = this.game;
    if (phase === "prompted") part("said").textContent = `Prompt: ${buzz.prompt || "be more specific."}`;
    else if (buzz && ["accept", "reject"].includes(buzz.said)) {
      part("said").textContent = `${why}${buzz.said === "accept" ? "Right" : "Not right"}, provisionally.`;
    } else part("said").textContent = why;
  }

  show() {
    const { phase, word, buzz, mayBuzz } = this.game;
    const over = phase === "over";
    const text = part("text");
    for (; this.shown < word; this.shown++) text.append(`${this.tossup.shown[this.shown]} `);
    if (over && this.shown < this.tossup.shown.length) {
      const rest = document.createElement("span");
      rest.className = "unheard";
      rest.textContent = this.tossup.shown.slice(this.shown).join(" ");
      text.append(rest);
      this.shown = this.tossup.shown.length;
    }
    const decided = phase === "decided";
    part("place").textContent = this.place();
    if (this.game.due === null || this.paused) part("left").textContent = "";
    part("answering").hidden = !["answering", "prompted"].includes(phase);
    part("buzz").hidden = !mayBuzz || this.paused;
    part("pause").hidden = phase !== "reading";
    part("pause").textContent = this.paused ? "Continue" : "Pause";
    part("claim").hidden = !((decided || over) && buzz !== null);
    part("claim").textContent = buzz?.said === "accept" ? "I was wrong" : "I was right";
    part("on").hidden = !decided || word === this.tossup.words;
    part("end").hidden = !(decided || phase === "reading");
    part("after").hidden = part("results").hidden = !over;
    part("line").textContent = over ? `ANSWER: ${this.tossup.answer}` : "";
    const needed = { reading: mayBuzz ? "buzz" : "end", answering: "answering", prompted: "answering" }[phase];
    if (needed) part(needed).scrollIntoView({ block: "nearest" }); // with the last words above it
  }

  // -- keeping and sending back

  /** Whether the playtest goes on in this tab; one of two that are open would undo what the other keeps. */
  isHere() {
    const found = this.game && !part("unkept").textContent ? this.restored() : null;
    if (!found || found.tab === this.tab) return true;
    this.game = null;
    clearTimeout(this.timer);
    clearTimeout(this.ticker);
    for (const name of ["play", "over", "results"]) part(name).hidden = true;
    part("start").hidden = false;
    part("begin").textContent = "Continue";
    part("elsewhere").textContent = "This playtest was opened again and continues there. To continue here, press the button.";
    part("begin").focus();
    return false;
  }

  keep() {
    if (this.game) {
      const felt = [...document.getElementsByName("felt")].find((one) => one.checked)?.value ?? "";
      const [unfair, comment] = ["unfair", "comment"].map((id) => part(id).value.trim());
      Object.assign(this.entry, { moves: this.game.log, felt, unfair, comment });
    }
    part("paste").hidden = true; // it has an older text
    try {
      localStorage.setItem(this.storeName, JSON.stringify(this.kept));
      part("unkept").textContent = "";
    } catch {
      part("unkept").textContent = "This browser keeps nothing of this page: save the results before you close it.";
    }
  }

  restored() {
    try {
      const found = JSON.parse(localStorage.getItem(this.storeName) ?? "null");
      if (!Array.isArray(found?.games)) return null;
      for (const { number, moves } of found.games) this.replayed(number, moves); // or it cannot be gone on with
      return found;
    } catch {
      return null;
    }
  }

  results() {
    const { id, name, games } = this.kept;
    const played = games.filter((one) => one.moves.length);
    return JSON.stringify({ kind: this.data.kind, id, name, sent: this.data.sent, code: this.data.code, games: played });
  }

  save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.results()], { type: "application/json" }));
    link.download = "playtest-results.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  showResults() {
    part("paste").hidden = false;
    // mail breaks lines at spaces, quotes them with >, makes quotes curly, and may know no letters but these; without q,
    // they begin as those of no older page
    part("paste").value = this.results().replace(/[^!-%(-;=?-pr-~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
    part("paste").select();
  }
}

function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
}

if (globalThis.document) {
  globalThis.playtest = new Page(JSON.parse(part("data").textContent), () => performance.now());
}
