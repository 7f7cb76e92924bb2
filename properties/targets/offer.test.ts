/**
 * The other side of the line protocol answers each request in order, and what came together in one write. False would be an answer
 * that is kept back until more is asked, or a write for each answer, which costs more than the answer does.
 */
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { offer } from "./offer.ts";
import { served } from "./served.ts";

test("requests that came together are answered together, each in its turn, and none is kept back", async () => {
  const input = new PassThrough();
  const writes: string[] = [];
  const waiting: (() => void)[] = [];
  const output = new Writable({
    write: (chunk, _, done) => {
      writes.push(String(chunk));
      waiting.shift()?.();
      done();
    },
  });
  const answered = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const ended = offer(await served("memory", undefined), input, output);
  const first = answered();
  input.write('{"id":1,"hello":{"protocol":1}}\n{"id":2,"nothing":true}\n{"id":3,"hello":{"protocol":1}}\n');
  await first;
  const second = answered();
  input.write('{"id":4,"hello":{"protocol":1}}\n');
  await second;
  input.end();
  await ended;
  const ids = writes.map((text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id),
  );
  expect(ids).toEqual([[1, 2, 3], [4]]);
});
