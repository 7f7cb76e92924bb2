/**
 * Production with one source of chance pinned: the port that it comes through is ours again, whatever a twin has put there, and
 * what code can reach around the ports is the same in every telling.
 */
import type { Archive, Row } from "../../src/archive/archive.ts";
import type { Store } from "../../src/index.ts";
import type { OpenTarget, Source, Target } from "../target.ts";
import { pinnedAmbient } from "./ambient.ts";
import type { Ports } from "./stage.ts";

const sources: readonly Source[] = ["clock", "ids", "iteration order", "unawaited work"];

/** A kind of target that can be opened with each source pinned. */
export function pinnable(open: (ports: Ports) => Target, ports: Ports): OpenTarget {
  return (pinned) => (pinned === undefined ? { ...open(ports), pins: sources } : pinnedTo(pinned, open, ports));
}

function pinnedTo(source: Source, open: (ports: Ports) => Target, ports: Ports): Target {
  const ambient = pinnedAmbient(source);
  const { clock, ids, order, ...others } = ports;
  const target = open({
    ...others,
    ...(clock === undefined || source === "clock" ? {} : { clock }),
    ...(ids === undefined || source === "ids" ? {} : { ids }),
    ...(source === "iteration order" ? { order: sorted } : order === undefined ? {} : { order }),
    ...(source === "unawaited work" ? { settle: ambient.settle } : {}),
  });
  return {
    ...target,
    reset: async (scope) => {
      ambient.reset();
      await target.reset(scope);
    },
    close: async () => {
      ambient.restore();
      await target.close();
    },
  };
}

const pathOf = (row: Row): string => ("record" in row ? row.record.path : row.path);
const byPath = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1));

/** Rows in the order of their paths, whatever the order in which they are found. */
function sorted(store: Store): Store {
  const ordered = (archive: Archive): Archive => ({
    ...archive,
    head: async () => {
      const head = await archive.head();
      return { ...head, urgent: byPath(head.urgent) };
    },
    rows: async (paths) => byPath(await archive.rows(paths)),
    scan: async (prefix, after, count) => byPath(await archive.scan(prefix, after, count)),
  });
  return { open: async (request) => ordered(await store.open(request)) };
}
