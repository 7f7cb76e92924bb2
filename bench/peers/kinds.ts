/** All peers by name, each loaded when it is asked for, so that a process pays for the one it uses. */
import { ours } from "./ours.ts";
import type { Manner, PeerKind } from "./peer.ts";

type Loaded = { readonly kinds: readonly PeerKind[] };
const files: readonly { readonly names: readonly string[]; readonly load: () => Promise<Loaded> }[] = [
  { names: ["files", "journal"], load: () => import("./files.ts") },
  { names: ["table"], load: () => import("./table.ts") },
  { names: ["xstate", "xstate-all"], load: () => import("./xstate.ts") },
  { names: ["langgraph-one", "langgraph-each"], load: () => import("./langgraph.ts") },
  { names: ["sessions"], load: () => import("./sessions.ts") },
];

/** Those that need no package, ours first. */
export const plain: readonly string[] = ["rollcall", "files", "journal", "table"];
export const names: readonly string[] = ["rollcall", ...files.flatMap((file) => file.names)];

export async function kindNamed(name: string, manner: Manner = {}): Promise<PeerKind> {
  if (name === "rollcall") return ours(manner);
  for (const file of files) {
    if (!file.names.includes(name)) continue;
    const kind = (await file.load()).kinds.find((each) => each.name === name);
    if (kind !== undefined) return kind;
  }
  throw new Error(`there is no peer ${name}; there are ${names.join(", ")}`);
}
