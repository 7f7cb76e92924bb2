/**
 * Ends the process when a trial does not end: a loop of microtasks starves every timer of its own thread, so this is another
 * one. What hung is written down, for the process that is started next.
 */
import { writeFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";

/** A trial takes some ten milliseconds of a processor; what takes so much goes round and round. */
const trialCpuMsMax = 6_000;
/** What takes so long and does nothing waits for something that will never come. */
const trialMsMax = 60_000;
const lookEveryMs = 1_000;

let timer: NodeJS.Timeout | undefined;
/** The file to write, as a trial begins; null as the last one ends. */
parentPort?.on("message", (file: string | null) => {
  clearInterval(timer);
  if (file === null) return;
  const [began, before] = [performance.now(), process.cpuUsage()];
  timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 < trialCpuMsMax && performance.now() - began < trialMsMax) return;
    writeFileSync(file, "");
    process.kill(process.pid, "SIGKILL");
  }, lookEveryMs);
});
