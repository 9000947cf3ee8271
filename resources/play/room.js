// The page of a room: the words that were read, one button to buzz, and an answer for who was first. The server says
// what happens; texts of others are set as text and never as markup.

/**
 * @typedef {{name: string, word: number, answer: string, said: string | null, points: number}} ShownBuzz
 * @typedef {{number: number, of: number, phase: string, word: number, may: number[], seat: number | null, ask: string,
 *   left_ms: number | null, paused: boolean, buzzes: ShownBuzz[], score: [string, number][], adviser: string}} View
 * @typedef {{guess: string, chance: number}} Advice
 */

import { Presses } from "./presses.js";

/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);

const STORE = "quizwriter room";
const OTHER_ROOM = 4004;
const HOST_CLOSED = 1012;
const CLOSED = {
  [HOST_CLOSED]: "The host closed the room. If it opens again, you have your seat back.",
  4001: "This seat was taken over in another tab or on another device.",
  4002: "The host took this seat away.",
  4003: "The room is full, or this phone was too slow.",
  [OTHER_ROOM]: "This is another room now. Join it with its code.",
};
const HOST_MS = 2000;
const SILENT_MS = 7000; // a room says something every two seconds
const LOST = "The connection is lost. It is tried again.";

/** Plays in the room that served this page. */
export class Room {
  /** @param {{title: string}} data @param {(address: string) => WebSocket} connect */
  constructor(data, connect) {
    this.connect = connect;
    this.presses = new Presses();
    /** @type {View | null} */
    this.answered = null; // what was on the screen then: until the host says more, there is nothing to answer
    this.seat = -1;
    this.token = this.restored();
    this.name = "";
    this.typed = true;
    this.number = 0;
    this.words = 0;
    this.onScreen = 0; // words of which a frame was painted
    this.paints = false;
    /** @type {View | null} */
    this.view = null;
    /** @type {number | null} */
    this.lock = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Advice | null} what a machine guesses, for this team only */
    this.advice = null;
    this.replaced = ""; // what was typed before the guess was taken
    this.again = 0;
    this.end = ""; // why there is nothing to connect to, as the host said
    this.heard = 0;
    this.due = 0; // when the host's clock is up, by the page's
    this.ticker = 0;
    document.title = data.title || "Room";
    part("title").textContent = document.title;
    part("code").value = /^#\d+$/.test(location.hash) ? location.hash.slice(1) : ""; // of the QR code
    part("start").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.join();
    });
    part("buzz").addEventListener("pointerdown", () => this.buzz());
    part("buzz").addEventListener("click", () => this.buzz());
    part("answering").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = part("answer").value;
      if (this.answered === this.view || !this.presses.isAnswer(event, text)) return;
      this.answered = this.view;
      this.send({ answer: text.slice(0, 200) });
      this.write("");
      this.show();
    });
    part("answer").addEventListener("input", () => this.show());
    part("ask").addEventListener("click", () => this.ask());
    document.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLInputElement || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && this.mayBuzz) {
        event.preventDefault(); // a button that has the keyboard is not pressed, too
        this.buzz();
      }
    });
    addEventListener("resize", () => this.show()); // a phone was turned
    setInterval(() => this.watch(), 1000);
    if (this.token) this.open();
  }

  get mayBuzz() {
    return this.view !== null && !this.view.paused && this.lock === null && this.view.may.includes(this.seat);
  }

  join() {
    const [code, name, team] = ["code", "name", "team"].map((id) => part(id).value.trim());
    part("refused").textContent = "";
    this.open({ join: { code: code.replace(/\s/g, "").slice(0, 20), name, team } });
  }

  /** @param {object} [first] what is said as soon as the socket is open */
  open(first) {
    clearTimeout(this.again);
    this.socket?.close();
    const seat = this.token && !first ? `?seat=${encodeURIComponent(this.token)}` : "";
    const socket = this.connect(`ws://${location.host}/room${seat}`);
    this.socket = socket;
    this.heard = performance.now();
    socket.addEventListener("open", () => {
      if (first) socket.send(JSON.stringify(first));
    });
    socket.addEventListener("message", (event) => {
      this.heard = performance.now();
      if (this.socket === socket) this.take(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket === socket) this.closed(event.code);
    });
  }

  /** A phone that changed the network, or woke up, is not told that its connection is cut. */
  watch() {
    if (this.socket === null || performance.now() - this.heard < SILENT_MS) return;
    this.socket.close();
    this.closed(0);
  }

  /** @param {number} code */
  closed(code) {
    [this.socket, this.view, this.lock, this.advice] = [null, null, null, null];
    this.show();
    const hadSeat = this.seat >= 0;
    if (code === OTHER_ROOM || (code in CLOSED && !hadSeat)) {
      this.forget();
      this.seat = -1;
      part("start").hidden = false;
      part("play").hidden = true;
    }
    this.end = CLOSED[code] ?? this.end;
    if (this.token && (code === HOST_CLOSED || !(code in CLOSED))) this.comeBack();
    if (this.seat >= 0) part("said").textContent = this.end || LOST;
    else if (hadSeat || code !== OTHER_ROOM) part("refused").textContent ||= CLOSED[code] ?? "The room does not answer.";
  }

  /** Open the socket once the host answers; Firefox makes who opens it in vain wait, up to a minute each time. */
  comeBack() {
    this.again = setTimeout(() => {
      const asked = new AbortController(); // phones of before 2022 have no AbortSignal.timeout
      const late = new Promise((end) => setTimeout(end, HOST_MS)); // many ask, and who has a seat is let in first
      Promise.race([fetch("/", { signal: asked.signal }), late])
        .then(
          () => this.socket === null && this.open(),
          () => this.socket === null && this.comeBack(),
        )
        .finally(() => asked.abort());
    }, 1000);
  }

  /** @param {any} message */
  take(message) {
    if (message.refused) {
      part("refused").textContent = message.refused;
      part("code").select();
      this.token = "";
      return;
    }
    if (message.token) {
      [this.seat, this.token, this.name, this.typed] = [message.seat, message.token, message.name, message.typed];
      this.keep();
      this.end = "";
      part("refused").textContent = "";
      part("start").hidden = true;
      part("play").hidden = false;
      part("buzz").focus();
    }
    if (message.begin !== undefined) {
      this.number = message.begin;
      [this.words, this.onScreen, this.view, this.lock, this.advice] = [0, 0, null, null, null];
      part("text").replaceChildren();
    }
    if (message.words) {
      part("text").append(message.words.map((/** @type {string} */ one) => `${one} `).join(""));
      this.words = message.from + message.words.length;
      this.paint();
    }
    if (message.view) {
      this.view = message.view;
      this.due = performance.now() + message.view.left_ms;
      this.lock = null;
      if (message.view.seat === null) this.advice = null; // the next who buzzes asks anew
      if (message.view.seat !== this.seat) this.write(""); // what came too late is not the next answer
    }
    if (message.advice) this.advice = message.advice;
    if (message.lock !== undefined) this.lock = message.lock;
    this.show();
  }

  /** Say what is on the screen once a frame is painted; a phone that was locked says it once, for all words. */
  paint() {
    if (this.paints) return;
    this.paints = true;
    requestAnimationFrame(() => {
      this.paints = false;
      this.onScreen = this.words;
      this.send({ ack: this.words });
    });
  }

  buzz() {
    if (!this.mayBuzz) return;
    this.send({ buzz: true });
    this.lock = this.seat; // nobody presses twice; the room says who was first
    this.show();
  }

  /** Ask the machine, write what it said, or go back to what was typed: whoever presses twice has not answered. */
  ask() {
    if (this.advice === null) this.send({ ask: true });
    else {
      if (this.mayGoBack) this.write(this.replaced);
      else this.write(this.advice.guess, part("answer").value);
      this.show();
    }
    part("answer").focus();
  }

  get mayGoBack() {
    const guess = this.advice?.guess;
    return !["", guess].includes(this.replaced) && part("answer").value === guess;
  }

  /** @param {string} text @param {string} [replaced] */
  write(text, replaced = "") {
    part("answer").value = text;
    this.replaced = replaced;
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify({ ...message, number: this.number }));
  }

  // -- what is shown

  /** The seconds that are left for an answer or a buzz. */
  count() {
    clearTimeout(this.ticker);
    const counts = this.view !== null && this.view.left_ms !== null;
    part("left").textContent = counts ? `${Math.max(0, Math.ceil((this.due - performance.now()) / 1000))} s` : "";
    if (counts) this.ticker = setTimeout(() => this.count(), 200);
  }

  show() {
    const view = this.view;
    this.count();
    const mine = view !== null && view.seat === this.seat && ["answering", "prompted"].includes(view.phase);
    const wasHidden = part("answering").hidden;
    part("answering").hidden = !(mine && this.typed);
    part("buzz").hidden = mine && this.typed;
    const adviser = view?.adviser ?? "";
    part("ask").hidden = !adviser;
    const take = this.advice && (this.mayGoBack ? `Back to “${this.replaced}”` : `Take “${this.advice.guess}”`);
    part("ask").textContent = take ?? `Ask ${adviser}`;
    const said = this.advice && `${adviser}: ${this.advice.guess}, ${this.advice.chance} %.`; // the team sees it
    part("advice").textContent = said ?? "";
    part("buzz").ariaDisabled = String(!this.mayBuzz); // one that is disabled would swallow the keys
    part("buzz").textContent = mine || this.lock === this.seat ? "You buzzed" : "Buzz";
    if (wasHidden && mine && this.typed) part("answer").focus();
    else if (!wasHidden && !mine) part("buzz").focus();
    if (view === null) {
      if (this.socket !== null && this.seat >= 0) part("said").textContent = "It begins soon.";
      part("place").textContent = this.name;
      return;
    }
    part("place").textContent = `${this.name} · Tossup ${view.number} of ${view.of}`;
    part("said").textContent = this.sentence(view);
    part("scores").tBodies[0].replaceChildren(
      ...view.score.map(([name, points]) => {
        const row = document.createElement("tr");
        for (const text of [name, String(points).replace("-", "−")]) row.insertCell().textContent = text;
        return row;
      }),
    );
    const needed = mine && this.typed ? "answering" : view.phase === "reading" ? "buzz" : "";
    if (needed) part(needed).scrollIntoView({ block: "nearest" }); // with the last words above it
  }

  /** @param {View} view */
  sentence(view) {
    if (view.paused) return "Paused.";
    const last = view.buzzes.at(-1);
    const mine = view.seat === this.seat;
    if (view.phase === "prompted" && last) {
      if (!this.typed) return `${mine ? "You are" : `${last.name} is`} prompted.`; // aloud
      return `${mine ? "Prompt" : `${last.name}, prompt`}: ${view.ask || "be more specific."}`;
    }
    if (mine && last) return this.typed ? "You buzzed." : "Say your answer.";
    if (view.seat !== null && last) return `${last.name} buzzed.`;
    if (this.lock !== null) return this.lock === this.seat ? "You buzzed." : "Somebody buzzed.";
    if (last && last.said && view.phase !== "reading") {
      const said = last.said === "accept" ? "right" : "not right";
      const worth = last.points ? ` ${last.points > 0 ? "+" : "−"}${Math.abs(last.points)}.` : "";
      return `${last.name}: ${last.answer ? `${last.answer}, ` : ""}${said}.${worth}`;
    }
    return view.phase === "over" ? "The tossup is over." : "";
  }

  // -- the seat, kept so that a phone that was lost comes back to it

  keep() {
    try {
      localStorage.setItem(STORE, this.token);
    } catch {
      // a browser that keeps nothing: a lost phone joins anew
    }
  }

  forget() {
    this.token = "";
    this.keep();
  }

  restored() {
    try {
      return localStorage.getItem(STORE) ?? "";
    } catch {
      return "";
    }
  }
}

if (globalThis.document) {
  globalThis.room = new Room(JSON.parse(part("data").textContent), (address) => new WebSocket(address));
}
