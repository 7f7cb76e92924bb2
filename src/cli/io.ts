/** What a verb is given of the world, so that it can be run in a test: nothing below `main` touches the process. */
export interface Io {
  /** Written as it is: lines bring their own end. */
  out(text: string): void;
  err(text: string): void;
  /** Whether a person looks on: progress is shown to people only. */
  readonly tty: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Resolves to the exit code. */
export type Verb = (args: readonly string[], io: Io) => Promise<number>;

export const exit = { held: 0, broken: 1, usage: 2, stale: 3, fault: 4, bug: 70 } as const;

/** What every `--help` ends with. */
export const exitHelp = `Exit codes
  0   it held, also when the budget was spent
  1   a difference, a broken law, a goal not reached, a surviving twin
  2   wrong usage
  3   not deterministic, or a stale trace
  4   a fault of the world: damage found, a bad target, another owner
  70  a bug of rollcall
`;

/** Texts come from sessions: what would steer a terminal is shown, not sent. Line ends and tabs stay. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, (each) => {
    return `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** "1 agent", "2 agents". */
export function numbered(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
