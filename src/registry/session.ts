/**
 * A session as a host holds it. What is decided is decided elsewhere; here calls are put into the queue, and the session
 * is closed or abandoned.
 */

import { isConfig } from "../config.ts";
import type { AsideCode, Counters, Path, Step, View } from "../contract.ts";
import { fault } from "../errors.ts";
import { isPath, rootPath } from "../paths.ts";
import { agentAt } from "./agent.ts";
import type { ForkOptions, Place, Session } from "./api.ts";
import { answer, commit, type Decide } from "./decision.ts";
import { sizeOf } from "./group.ts";
import { changeRole, roster, setCapacity } from "./look.ts";
import { lookAtAll, verifyAll } from "./looking.ts";
import { execution, steer } from "./mail.ts";
import { finish, finishStart } from "./settle.ts";
import { issue, type Shell, shut } from "./shell.ts";
import { quit } from "./start.ts";
import { pathOfToken, release } from "./turn.ts";
import { beginViewing, encodedOf, type Viewing, viewOf } from "./view.ts";

/** Opens a session beside this one; given by open.ts, which knows what this one was opened with. */
export type OpenChild = (place: Place, capacity: number, options: ForkOptions) => Promise<Session>;

export function sessionOver(shell: Shell, openChild: OpenChild): Session {
  const viewing = beginViewing();
  const { state } = shell;
  const close: Session["close"] = (options) => closeSession(shell, options);
  return {
    root: agentAt(shell, rootPath),
    agent: (path) => agentAt(shell, path),
    roster: (prefix = "", options) => {
      const look = () => (prefix === "" || isPath(prefix) ? lookAtAll(shell, prefix, options?.tag) : null);
      return issue(shell, { decide: roster(prefix), look, says: { do: "roster", prefix } }, options);
    },
    release: (token, options) =>
      issue(
        shell,
        { decide: release(token), needs: [pathOfToken(token)], closed: "late", says: { do: "release", token } },
        options,
      ),
    cancel: (op, options) => issue(shell, { decide: quit(op), closed: "late", says: { do: "cancel", op } }, options),
    finish: (path, turn, outcome, text, options) => {
      const says: Step = { do: "finish", path, turn, outcome, text };
      return issue(shell, { decide: finish(says), needs: [path], isSettlement: true, says }, options);
    },
    finishStart: (op, outcome, text, options) => {
      const says: Step = { do: "finish", op, outcome, text };
      return issue(shell, { decide: finishStart(op, outcome, text), says }, options);
    },
    execution: (owner, text, options) => {
      const says: Step = { do: "execution", owner, text };
      return issue(shell, { decide: execution(owner, text), needs: [owner], joins: sizeOf(text), says }, options);
    },
    steer: (text, options) =>
      issue(shell, { decide: steer(text), joins: sizeOf(text), says: { do: "steer", text } }, options),
    changeRole: (role, config, options) => {
      const says = () => ({ do: "change_role", role, config: isConfig(config) ? { ...config } : null }) as const;
      return issue(shell, { decide: changeRole(role, config), says }, options);
    },
    setCapacity: (capacity, options) =>
      issue(shell, { decide: setCapacity(capacity), says: { do: "set_capacity", capacity } }, options),
    save: (options) => issue(shell, { decide: save(viewing), isFlush: true, says: { do: "save" } }, options),
    verify: (options) => {
      const found = new Map<Path, AsideCode>();
      const look = () => verifyAll(shell, found, options?.tag);
      return issue(shell, { decide: verify(found), look, says: { do: "verify" } }, options);
    },
    fork: async (place, options = {}) => {
      const capacity = await issue<number>(
        shell,
        { decide: (draft) => answer(draft.capacity), says: { do: "fork" } },
        options,
      );
      return viewOfChild(await openChild(place, capacity, options), options);
    },
    view: () => (shell.isClosed ? { mode: "closed" } : viewOf(viewing, state)),
    encode: () => encodedOf(viewing, state),
    counters: () => countersOf(shell),
    on: (listener) => {
      shell.listeners.add(listener);
      return () => shell.listeners.delete(listener);
    },
    close,
    abandon: () => {
      if (shell.isClosed) return;
      shell.recorder?.leave(true);
      shut(shell);
      shell.archive.abandon();
    },
    [Symbol.asyncDispose]: async () => {
      if (!shell.isClosed) await close();
    },
  };
}

/** What is pending goes along with an empty commit: that is also how a lost ownership is noticed. L9 */
function save(viewing: Viewing): Decide<undefined> {
  return (draft) => {
    if (draft.state.setting.mode === "read") return { reply: { refused: "read_only", at: "session" } };
    const encoded = encodedOf(viewing, draft.state);
    return "fault" in encoded ? { reply: encoded } : commit(undefined);
  };
}
function verify(found: ReadonlyMap<Path, AsideCode>): Decide<readonly (readonly [Path, AsideCode])[]> {
  return ({ state }) =>
    answer([...new Map([...found, ...state.aside])].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function viewOfChild(child: Session, { onOpen }: ForkOptions): Promise<View> {
  const view = child.view();
  if (onOpen === undefined) await child.close();
  else onOpen(child);
  return view;
}

async function closeSession(shell: Shell, options: Parameters<Session["close"]>[0] = {}): Promise<void> {
  const { timeoutMs, ...rest } = options;
  let isLate = false;
  let released: Promise<void> = Promise.resolve();
  const cancel =
    timeoutMs === undefined
      ? () => {}
      : shell.clock.after(timeoutMs, () => {
          isLate = true;
          shell.recorder?.leave(true);
          shut(shell);
          shell.archive.abandon();
        });
  const after = async () => {
    shut(shell);
    released = shell.archive.close();
    // Told to whoever closes; the queue goes on.
    await released.catch(() => {});
    shell.recorder?.leave(false);
  };
  const isWriting = shell.state.setting.mode === "write";
  try {
    await issue(
      shell,
      {
        decide: () => (isWriting ? commit("done") : answer("done")),
        ...{ isFlush: isWriting, after, says: { do: "close" } as const },
      },
      rest,
    );
    await released;
  } catch (error) {
    throw isLate ? fault("busy", "archive", error) : error;
  } finally {
    cancel();
  }
}

function countersOf(shell: Shell): Counters {
  const { hydrated, provider, commits } = shell.counted;
  return {
    conversationsHydrated: hydrated,
    providerCalls: provider,
    commits,
    bytesWritten: shell.archive.bytesWritten(),
    toolRuns: 0,
  };
}
