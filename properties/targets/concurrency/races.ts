/**
 * Races as they are made: an await forgotten, an answer given too soon, a check left out because "it cannot have changed".
 * Each is a small edit of the production source, and each has to be seen.
 */
import type { Plant } from "../planted.ts";

interface Race extends Plant {
  /** What the faulty one does. */
  readonly why: string;
  /** Of the stories: by another it is seen as well, but later. */
  readonly seed: number;
}

export const races: readonly Race[] = [
  {
    name: "next_before_commit",
    seed: 2,
    why: "the next command is decided while the commit of the one before is under way",
    edits: [{ file: "registry/shell.ts", from: "if (work !== undefined) await work;", to: "void work;" }],
  },
  {
    name: "answer_before_commit",
    seed: 1,
    why: "the caller is answered, then the commit is written",
    edits: [
      {
        file: "registry/shell.ts",
        from: "  const { order, options } = job;\n  try {",
        to: '  const { order, options } = job;\n  if ("ok" in reply) job.call?.resolve(reply.ok);\n  try {',
      },
    ],
  },
  {
    name: "wake_before_commit",
    seed: 6,
    why: "whoever waits is woken, then the commit is written",
    edits: [
      {
        file: "registry/shell.ts",
        from: "  const { order, options } = job;\n  try {",
        to: '  const { order, options } = job;\n  for (const act of draft.acts.splice(0)) if (act.do === "wake") enact(shell, act, options.tag);\n    else draft.acts.push(act);\n  try {',
      },
    ],
  },
  {
    name: "quit_answers_at_once",
    seed: 2,
    why: "an aborted signal rejects the promise and only then asks for the quit: a start may be admitted and rejected",
    edits: [
      {
        file: "registry/shell.ts",
        from: '    else post(shell, quit(op), tag, { do: "cancel", op });',
        to: '    else {\n      call?.reject(signal?.reason);\n      post(shell, quit(op), tag, { do: "cancel", op });\n    }',
      },
    ],
  },
  {
    name: "quit_forgets_operation",
    seed: 2,
    why: "an aborted signal forgets the operation, so that an answer already given ends it for nobody",
    edits: [
      {
        file: "registry/shell.ts",
        from: '    else post(shell, quit(op), tag, { do: "cancel", op });',
        to: '    else {\n      shell.pending.delete(op);\n      post(shell, quit(op), tag, { do: "cancel", op });\n    }',
      },
    ],
  },
  {
    name: "quit_not_looked_at_again",
    seed: 13,
    why: "a signal aborted while a record is looked at is lost, and the agent starts",
    edits: [
      {
        file: "registry/shell.ts",
        from: "shell.isClosed || isGivenUp(job) ? undefined",
        to: "shell.isClosed ? undefined",
      },
    ],
  },
  {
    name: "close_jumps_the_queue",
    seed: 2,
    why: "a close ends the session while a command is under way",
    edits: [
      {
        file: "registry/session.ts",
        from: "  try {\n    await issue(",
        to: "  if (shell.isPumping) {\n    await after();\n    return;\n  }\n  try {\n    await issue(",
      },
    ],
  },
  {
    name: "handler_clears_latest",
    seed: 10,
    why: "the answer of a handler clears what the latest turn owes, and not its own",
    edits: [
      {
        file: "registry/settle.ts",
        from: "owed: agent.owed.filter((each) => each.turn !== op.turn)",
        to: "owed: agent.owed.filter((each) => each.turn !== agent.turns)",
      },
    ],
  },
  {
    name: "old_provider_speaks",
    seed: 1,
    why: "what the provider of an earlier turn says is taken for the turn under way",
    edits: [
      {
        file: "registry/settle.ts",
        from: "!isAdmitted(agent) || agent.phase.op !== op) return answer",
        to: "!isAdmitted(agent)) return answer",
      },
    ],
  },
  {
    name: "wait_then_given_up",
    seed: 4,
    why: "a wait that is given up ends whoever waits there now",
    edits: [{ file: "registry/wait.ts", from: "?.woken === woken) wake(", to: " !== null) wake(" }],
  },
  {
    name: "abandoned_and_concluded",
    seed: 11,
    why: "a commit that comes back after the session was abandoned is told all the same",
    edits: [
      {
        file: "registry/shell.ts",
        from: "  if (shell.isClosed) return;\n  shell.counted.commits += 1;",
        to: "  shell.counted.commits += 1;",
      },
    ],
  },
  {
    name: "abandoned_and_goes_on",
    seed: 5,
    why: "a callback abandons the session, and those after it are called",
    edits: [
      {
        file: "registry/shell.ts",
        from: '    if (shell.isClosed) return;\n  }\n  if ("fetch"',
        to: '  }\n  if ("fetch"',
      },
    ],
  },
  {
    name: "shown_before_commit",
    seed: 12,
    why: "the root's mail is seen while its commit is under way",
    edits: [
      {
        file: "registry/shell.ts",
        from: "  const { order, options } = job;\n  try {",
        to: "  const { order, options } = job;\n  Object.assign(shell.state, { root: draft.root });\n  try {",
      },
    ],
  },
  {
    name: "history_read_later",
    seed: 1,
    why: "the next command is decided while a history is read",
    edits: [
      {
        file: "registry/shell.ts",
        from: 'if ("fetch" in reply) return answerFetched(shell.archive, call, reply);',
        to: 'if ("fetch" in reply) void answerFetched(shell.archive, call, reply);',
      },
    ],
  },
  {
    name: "time_not_looked_at",
    seed: 1,
    why: "a command issued after a wait ran out is decided as if it had not",
    edits: [
      {
        file: "registry/shell.ts",
        from: "  if (shell.timer !== null && shell.timer.at <= asked) endWaits(shell, asked);\n",
        to: "",
      },
    ],
  },
  {
    name: "abort_not_overtaken",
    seed: 4,
    why: "a finish that overtakes an interrupt leaves it without an answer",
    edits: [
      {
        file: "registry/settle.ts",
        from: 'if (op?.is === "abort") endOp(',
        to: 'if (op?.is === "abort" && op.seen !== "running") endOp(',
      },
    ],
  },
  {
    name: "settlement_forgotten",
    seed: 14,
    why: "a settlement that was not written is not offered with the next commit",
    edits: [{ file: "registry/shell.ts", from: "enqueue(shell, () => offerUnwritten(shell));", to: "{}" }],
  },
];
