/** A host for these archives: opens them as a program would, with a provider whose turns end when the bench says so. */
import { type DispatchRequest, openSession, type Session, type Store } from "../src/index.ts";
import { host } from "./content.ts";

export interface Hosted {
  readonly session: Session;
  /** Ends every turn that was started, takes the root's mail and closes: the archive is at rest again. */
  leave(): Promise<void>;
}

export async function hosted(store: Store, mode: "read" | "write"): Promise<Hosted> {
  const running: DispatchRequest[] = [];
  const provider = { dispatch: (request: DispatchRequest) => void running.push(request) };
  const session = await openSession(store, { ...host, provider, mode, create: false });
  const leave = async () => {
    await Promise.all(running.map(({ finish }) => finish("completed", "done")));
    if (running.length > 0) await session.root.sample();
    await session.close();
  };
  return { session, leave };
}
