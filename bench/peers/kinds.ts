/** All peers by name, each loaded when it is asked for, so that a process pays for the one it uses. */
import { ours } from "./ours.ts";
import type { Manner, PeerKind } from "./peer.ts";

type Loaded = { readonly kinds: readonly PeerKind[] };
/** Installed by nobody but its user. */
const emacs = process.env["ROLLCALL_MEVEDEL"] || undefined;
const files: readonly { readonly names: readonly string[]; readonly load: () => Promise<Loaded> }[] = [
  { names: ["files", "journal"], load: () => import("./files.ts") },
  { names: ["table"], load: () => import("./table.ts") },
  { names: ["xstate", "xstate-all"], load: () => import("./xstate.ts") },
  { names: ["langgraph-one", "langgraph-each"], load: () => import("./langgraph.ts") },
  { names: ["sessions"], load: () => import("./sessions.ts") },
  ...(emacs === undefined ? [] : [{ names: ["mevedel"], load: () => import("./mevedel.ts") }]),
];

/** Those that need no package, ours first. */
export const plain: readonly string[] = ["rollcall", "files", "journal", "table"];
export const names: readonly string[] = ["rollcall", ...files.flatMap((file) => file.names)];
/** Those of packages that are installed for the bench. */
export const packaged: readonly string[] = names.filter((name) => !plain.includes(name) && name !== "mevedel");
/** Who is not measured here, and why. */
export const leftOut: readonly string[] =
  emacs === undefined
    ? [
        "mevedel, because ROLLCALL_MEVEDEL names no folder with checkouts of mevedel, gptel, gptel-agent and emacs-websocket",
      ]
    : [];

/** What has to be known to read the numbers of these peers: who is less durable, and who is not among them. */
export async function asidesOf(wanted: readonly string[], isReport: boolean): Promise<readonly string[]> {
  const kinds = await Promise.all(wanted.map((name) => kindNamed(name)));
  const asides = kinds.flatMap(({ name, about, isLessDurable }) =>
    isLessDurable === true ? [`${name}: ${about}`] : [],
  );
  // Whoever chose peers that need nothing has not asked for it.
  const isMissed = isReport || wanted.some((peer) => !plain.includes(peer));
  return [...asides, ...(isMissed ? leftOut.map((each) => `left out: ${each}`) : [])];
}

/** Whatever takes long to be made ready once is made so now, and what is missing is said. */
export async function prepare(wanted: readonly string[]): Promise<void> {
  if (emacs !== undefined && wanted.includes("mevedel")) (await import("./emacs.ts")).imageOf(emacs);
}

export async function kindNamed(name: string, manner: Manner = {}): Promise<PeerKind> {
  if (name === "rollcall") return ours(manner);
  for (const file of files) {
    if (!file.names.includes(name)) continue;
    const kind = (await file.load()).kinds.find((each) => each.name === name);
    if (kind !== undefined) return kind;
  }
  throw new Error(`there is no peer ${name}; there are ${names.join(", ")}`);
}
