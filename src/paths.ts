/**
 * The grammar of paths, as registry and archive both use it. It stands a second time in model/ on purpose: a test of
 * the checker compares the two.
 */
import type { Path } from "./contract.ts";

export const rootPath = "/root";
const segment = /^[a-z0-9_]{1,64}$/;
const depthMax = 32;

/** Whether this may be the name of a new agent. Whether the path is then short enough is `isPath`'s to say. */
export function isName(text: string): boolean {
  return text !== "root" && segment.test(text);
}

export function isPath(text: string): boolean {
  if (text === rootPath) return true;
  if (!text.startsWith(`${rootPath}/`)) return false;
  const names = text.slice(rootPath.length + 1).split("/");
  return names.length <= depthMax && names.every(isName);
}

/** Of a path below the root. */
export function parentOf(path: Path): Path {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Those between the root and a path, outermost first; neither of the two. */
export function ancestorsOf(path: Path): readonly Path[] {
  const names = path.split("/").slice(2, -1);
  return names.map((_, index) => [rootPath, ...names.slice(0, index + 1)].join("/"));
}
