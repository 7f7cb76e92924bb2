/**
 * Ends the process when a trial does not end: a loop of microtasks starves every timer of its own thread, so this is another
 * one. What hung is written down, for the process that is started next.
 */
import { writeFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/** A trial takes some ten milliseconds; what takes so long waits for something that will never come. */
const trialMsMax = 8_000;

let timer: NodeJS.Timeout | undefined;
/** The file to write, as a trial begins; null as the last one ends. */
parentPort?.on("message", (file: string | null) => {
  clearTimeout(timer);
  if (file === null) return;
  timer = setTimeout(() => {
    writeFileSync(file, "");
    process.kill(process.pid, "SIGKILL");
  }, trialMsMax);
});
