/**
 * Races as they are made: an await forgotten, an answer given too soon, a check left out because "it cannot have changed".
 * Each is a small edit of the production source, and each has to be seen.
 */
import type { Plant } from "../planted.ts";

export const races: readonly (Plant & {
  readonly why: string /** By which it is seen early. */;
  readonly seed: number;
})[] = [
  {
    name: "next_before_commit",
    seed: 7,
    why: "the next command is decided while the commit of the one before is under way",
    edits: [{ file: "registry/shell.ts", from: "if (work !== undefined) await work;", to: "void work;" }],
  },
  {
    name: "answer_before_commit",
    seed: 7,
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
    seed: 7,
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
    seed: 7,
    why: "an aborted signal rejects the promise and only then asks for the quit: a start may be admitted and rejected",
    edits: [
      {
        file: "registry/shell.ts",
        from: "    else post(shell, quit(op), tag);",
        to: "    else {\n      call?.reject(signal?.reason);\n      post(shell, quit(op), tag);\n    }",
      },
    ],
  },
  {
    name: "quit_forgets_operation",
    seed: 7,
    why: "an aborted signal forgets the operation, so that an answer already given ends it for nobody",
    edits: [
      {
        file: "registry/shell.ts",
        from: "    else post(shell, quit(op), tag);",
        to: "    else {\n      shell.pending.delete(op);\n      post(shell, quit(op), tag);\n    }",
      },
    ],
  },
  {
    name: "quit_not_looked_at_again",
    seed: 7,
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
    seed: 8,
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
    seed: 8,
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
    seed: 7,
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
    seed: 17,
    why: "a wait that is given up ends whoever waits there now",
    edits: [{ file: "registry/wait.ts", from: "?.woken === woken) wake(", to: " !== null) wake(" }],
  },
];
