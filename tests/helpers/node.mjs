// Runs the modules of resources/play without a browser: a JSON value a line in, another out.
import { createInterface } from "node:readline";

const folder = process.argv[2];
const { Words } = await import(`${folder}/words.js`);
const { Matcher } = await import(`${folder}/matcher.js`);
const { Game, IllegalMove } = await import(`${folder}/game.js`);
let words;

const ACTIONS = {
  language: (row) => ((words = new Words(row.language)), null),
  words: (row) => row.texts.map((text) => words.of(text).map((one) => [one.text, one.raw, one.number])),
  judge: (row) => row.typed.map((one) => new Matcher(words, row.table).judge(one, row.heard ?? 1e6)),
  game: (row) => {
    let now = 0;
    const game = new Game(row.format, row.tossup, () => now);
    const taken = row.moves.map((move) => {
      now = move.at_ms;
      try {
        game.take(move);
        return true;
      } catch {
        return false;
      }
    });
    return { taken, log: game.log, phase: game.phase, word: game.word, points: game.points, due: game.due };
  },
  script: (row) => {
    let now = 0;
    const game = new Game(row.format, row.tossup, () => now);
    const matcher = new Matcher(words, row.table);
    for (const step of row.steps) {
      now = step.at_ms;
      try {
        if (step.do === "read") game.make("read", { word: game.word + 1 });
        else if (step.do === "buzz") game.make("buzz", { word: game.word });
        else if (step.do === "answer") game.answer(step.text, matcher.judge(step.text, game.buzz?.word));
        else if (step.do === "overrule") game.make("overrule", { said: game.buzz?.said === "accept" ? "reject" : "accept" });
        else game.make(step.do);
      } catch (trouble) {
        if (!(trouble instanceof IllegalMove)) throw trouble;
      }
    }
    return game.log;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  console.log(JSON.stringify(ACTIONS[row.do](row)));
}
