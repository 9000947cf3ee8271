// Presses that nobody means, after an answer: the second half of a double press, and Enter that is held down. They
// would answer a prompt that was not read yet, or go on from a verdict that nobody saw.

const DOUBLE_MS = 400;

export class Presses {
  constructor() {
    this.answered = -DOUBLE_MS;
    const held = (/** @type {KeyboardEvent} */ event) => {
      const isWriting = event.target instanceof HTMLTextAreaElement;
      if (event.repeat && event.key === "Enter" && !isWriting) event.preventDefault();
    };
    document.addEventListener("keydown", held, true);
  }

  /** Whether `text` was meant as an answer. @param {Event} event @param {string} text */
  isAnswer(event, text) {
    const meant = text.trim() !== "" || !this.isDouble(event);
    if (meant) this.answered = event.timeStamp;
    return meant;
  }

  /** Whether a press belongs to the answer just before; on a button, a first one of a pointer never does. @param {any} event */
  isDouble(event) {
    return event.detail !== 1 && event.timeStamp - this.answered < DOUBLE_MS;
  }
}
