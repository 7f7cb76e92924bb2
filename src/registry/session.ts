/**
 * A session as a host holds it. What is decided is decided elsewhere; here calls are put into the queue, and the session
 * is closed or abandoned.
 */
import type { AsideCode, Path, View } from "../contract.ts";
import { fault } from "../errors.ts";
import { isPath, rootPath } from "../paths.ts";
import { agentAt } from "./agent.ts";
import type { ForkOptions, Place, Session } from "./api.ts";
import { answer, commit, type Decide } from "./decision.ts";
import { changeRole, roster, setCapacity } from "./look.ts";
import { lookAtAll, verifyAll } from "./looking.ts";
import { execution, steer } from "./mail.ts";
import { finish, finishStart } from "./settle.ts";
import { countersOf, issue, type Shell, shut } from "./shell.ts";
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
      return issue(shell, { decide: roster(prefix), look }, options);
    },
    release: (token, options) =>
      issue(shell, { decide: release(token), needs: [pathOfToken(token)], closed: "late" }, options),
    cancel: (op, options) => issue(shell, { decide: quit(op), closed: "late" }, options),
    finish: (path, turn, outcome, text, options) =>
      issue(shell, { decide: finish({ path, turn, outcome, text }), needs: [path], isSettlement: true }, options),
    finishStart: (op, outcome, text, options) => issue(shell, { decide: finishStart(op, outcome, text) }, options),
    execution: (owner, text, options) => issue(shell, { decide: execution(owner, text), needs: [owner] }, options),
    steer: (text, options) => issue(shell, { decide: steer(text) }, options),
    changeRole: (role, config, options) => issue(shell, { decide: changeRole(role, config) }, options),
    setCapacity: (capacity, options) => issue(shell, { decide: setCapacity(capacity) }, options),
    save: (options) => issue(shell, { decide: save(viewing), isFlush: true }, options),
    verify: (options) => {
      const found = new Map<Path, AsideCode>();
      const look = () => verifyAll(shell, found, options?.tag);
      return issue(shell, { decide: verify(found), look }, options);
    },
    fork: async (place, options = {}) => {
      const capacity = await issue<number>(shell, { decide: (draft) => answer(draft.capacity) }, options);
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
          shut(shell);
          shell.archive.abandon();
        });
  const after = async () => {
    shut(shell);
    released = shell.archive.close();
    // Told to whoever closes; the queue goes on.
    await released.catch(() => {});
  };
  const isWriting = shell.state.setting.mode === "write";
  try {
    await issue(
      shell,
      { decide: () => (isWriting ? commit("done") : answer("done")), isFlush: isWriting, after },
      rest,
    );
    await released;
  } catch (error) {
    throw isLate ? fault("busy", "archive", error) : error;
  } finally {
    cancel();
  }
}
