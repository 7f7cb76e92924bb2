/**
 * Promises given to callers, remembered until they are answered: so that closing a session can answer all of them. What
 * a decision says becomes what a promise rejects with here, and nowhere else.
 */
import type { Archive } from "../archive/archive.ts";
import type { FaultCode, Op } from "../contract.ts";
import { fault, RollcallError } from "../errors.ts";
import { type Fault, type Fetch, fail, type Refused } from "./decision.ts";

/** Every command takes these. */
export interface CallOptions {
  /** Aborting it is the user giving up: what was begun is rolled back, and the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Handed to the archive with the commit, and to `onEvent` with the events. */
  readonly tag?: unknown;
  /** The operation has begun, under this name. */
  readonly onBegin?: ((op: Op) => void) | undefined;
}

export interface Call<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}
/** How to reject each call that is not answered yet. */
export type OpenCalls = Set<(error: unknown) => void>;

/** `closed` is what a session that closes meanwhile answers, if not its refusal. */
export function openCall<Value>(calls: OpenCalls, closed?: Value): Call<Value> {
  let settle = (_: Value) => {};
  let refuse = (_: unknown) => {};
  const promise = new Promise<Value>((resolve, reject) => {
    settle = resolve;
    refuse = reject;
  });
  const reject = (error: unknown) => {
    calls.delete(cutOff);
    refuse(error);
  };
  const resolve = (value: Value) => {
    calls.delete(cutOff);
    settle(value);
  };
  const cutOff = (error: unknown) => {
    if (closed !== undefined) return resolve(closed);
    // Who has stopped listening to a session that closes must not end the process.
    promise.catch(() => {});
    reject(error);
  };
  calls.add(cutOff);
  return { promise, resolve, reject };
}

export function errorOf(reply: Refused | Fault): RollcallError {
  if ("fault" in reply) return fault(reply.fault, reply.at, reply.cause);
  return new RollcallError("refused", reply.refused, reply.at, reply.cause);
}
export function closedError(): RollcallError {
  return new RollcallError("refused", "session_closed", "session");
}
/** What somebody who gave up without saying why is told. */
export function quitReason(signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true ? signal.reason : new DOMException("The operation was cancelled.", "AbortError");
}

const readFaults: readonly FaultCode[] = [
  "conversation_missing",
  "conversation_corrupt",
  "conversation_failed",
  "location_unsafe",
];
const faults: readonly FaultCode[] = [
  ...readFaults,
  "not_written",
  "disk_full",
  "busy",
  "io_failed",
  "read_only_file",
  "record_invalid",
  "owned_elsewhere",
  "ownership_lost",
  "archive_missing",
  "archive_malformed",
  "archive_version",
  "session_invalid",
];
/** What an archive rejected with; anything it does not know how to say is a failure of the disk. */
export function archiveFault(error: unknown): Fault {
  const code = error instanceof RollcallError ? faults.find((each) => each === error.code) : undefined;
  if (code === undefined || !(error instanceof RollcallError)) return fail("io_failed", "archive", error);
  return fail(code, error.at, error.cause);
}
/** Likewise for a conversation at its gate. */
export function readFault(error: unknown, path: string): Fault {
  if (error instanceof RollcallError && error.code === "ownership_lost") return archiveFault(error);
  const code = error instanceof RollcallError ? readFaults.find((each) => each === error.code) : undefined;
  return fail(code ?? "conversation_failed", path, error);
}

/** From the archive, and before the next command is decided. */
export async function answerFetched<Value>(
  archive: Archive,
  call: Call<Value> | null,
  { fetch, then }: Fetch<Value>,
): Promise<void> {
  const { last, ...request } = fetch;
  try {
    const messages = await archive.messages({ ...request, ...(last === null ? {} : { last }) });
    call?.resolve(then(messages));
  } catch (error) {
    call?.reject(errorOf(archiveFault(error)));
  }
}
