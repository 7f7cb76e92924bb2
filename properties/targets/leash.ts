/** Keeps what was started from outliving this process, however it ends: by itself, or by a signal that nobody here takes. */

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Answers how to let go. */
export function leash(end: () => void): () => void {
  const release = (): void => {
    process.off("exit", end);
    for (const signal of signals) process.off(signal, caught);
  };
  // A listener keeps the signal from doing what it does; where there is no other one, it is sent again.
  const caught = (signal: NodeJS.Signals): void => {
    end();
    release();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once("exit", end);
  for (const signal of signals) process.on(signal, caught);
  return release;
}
