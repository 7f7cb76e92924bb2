/**
 * A capture that nobody recorded: telemetry in the shape that mevedel writes, of a session that a few agents work in, for tests and
 * measurements. In most of it nothing happens at the same time; once an execution finishes while a follow-up starts.
 */
import { rolling } from "./candidates.ts";

const names = ["rev", "docs", "probe", "lint"] as const;

/** `races`: one of the follow-ups has an execution finish during its start. */
export function synthetic(events: number, seed: number, races: boolean): string {
  const roll = rolling(seed, 0);
  const lines: string[] = [];
  let [elapsed, sequence] = [1_000, 1];
  const say = (event: string, properties: string): void => {
    elapsed += 10 + roll(400);
    sequence += 1 + roll(3);
    const time = `2030-01-05T09:${String(Math.trunc(elapsed / 60_000) % 60).padStart(2, "0")}:00.000+0100`;
    lines.push(
      `(:schema-version 1 :time "${time}" :elapsed-ms ${elapsed} :sequence ${sequence} :event ${event} :session-id "2030-01-05T08-59-0a1b2c3d4e5f" :turn 2 :profiler-run-id nil ${properties})`,
    );
  };
  const agent = (name: string): string => `:agent-id "${name}--5f3a" :agent-path "/root/${name}" :agent-type "${name}"`;
  const execution = (owner: string): void => {
    say("execution-started", `:execution-id "x${sequence}" :owner "${owner}"`);
    say("execution-finished", `:execution-id "x${sequence}" :owner "${owner}" :exit-code 0 :termination exited`);
  };
  const seen = new Set<string>();
  // In the last tenth, where nobody finds it by beginning at the beginning.
  const raceAt = Math.trunc(events * 0.9);
  for (let isDue = races; lines.length < events; ) {
    const name = names[roll(names.length)] ?? "rev";
    const retained = seen.has(name);
    const isRace = isDue && retained && lines.length >= raceAt;
    seen.add(name);
    say("agent-dispatch", `${agent(name)} :retained ${retained ? "t" : "nil"} :parent-turn 2`);
    if (isRace) {
      isDue = false;
      execution("/root");
    }
    say("agent-request-sent", `${agent(name)} :retained ${retained ? "t" : "nil"}`);
    for (let more = roll(4); more > 0; more--) {
      const id = `p${sequence}`;
      if (roll(2) === 0) {
        say("permission-enqueued", `:permission-id "${id}" :origin "/root/${name}"`);
        say("permission-resolved", `:permission-id "${id}" :origin "/root/${name}" :outcome allowed`);
      } else execution(`/root/${name}`);
    }
    say("tool-finished", `${agent(name)} :tool "Read" :duration-ms ${roll(90)}`);
    say("agent-settled", `${agent(name)} :outcome ${roll(9) === 0 ? "error" : "completed"} :duration-ms 900`);
    if (roll(3) === 0) say("session-save", `:kind agent-registry :stage finish :span-id "s${sequence}" :duration-ms 3`);
  }
  return `${lines.slice(0, events).join("\n")}\n`;
}
