/**
 * Starts a graphical Emacs on a display of its own, and passes lines between this process's standard input and output and the
 * socket over which that Emacs serves. A line that begins with `!` is for here: a key to press, or a picture to take.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const [, , emacs, ...args] = process.argv;
const wanted = ["Xvfb", "xdotool", "import"];
const missing = wanted.filter((program) => spawnSync("which", [program]).status !== 0);
if (missing.length > 0) {
  process.stderr.write(`--display needs ${missing.join(", ")}: packages xvfb, xdotool and imagemagick\n`);
  process.exit(4);
}

/**
 * A number of its own, high up: left to choose, Xvfb takes the first whose lock is free, and behind that may be somebody
 * else's socket. It writes its number once it is ready.
 */
const display = `:${1_000 + (process.pid % 50_000)}`;
const screen = spawn(
  "Xvfb",
  [display, "-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset"],
  {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  },
);
screen.on("exit", () => process.exit(4));
await new Promise((resolve) => screen.stdio[3].once("data", resolve));
const env = { ...process.env, DISPLAY: display };
const leave = (code) => {
  screen.kill("SIGKILL");
  process.exit(code);
};

const server = createServer((socket) => {
  server.close();
  createInterface({ input: process.stdin })
    .on("line", (line) => socket.write(`${line}\n`))
    .on("close", () => socket.end());
  createInterface({ input: socket }).on("line", (line) => {
    if (line.startsWith("!picture ")) execFileSync("import", ["-window", "root", line.slice(9)], { env });
    else if (line.startsWith("!")) execFileSync("xdotool", ["key", "--clearmodifiers", line.slice(1)], { env });
    else process.stdout.write(`${line}\n`);
  });
});
server.listen(0, "127.0.0.1", () => {
  const dashes = args.indexOf("--");
  const port = String(server.address().port);
  // Without a window manager the keyboard is with the window under the pointer, which is in the middle.
  const editor = spawn(
    emacs,
    ["--geometry", "118x38+0+0", ...args.slice(0, dashes + 1), "--port", port, ...args.slice(dashes + 1)],
    {
      ...{ env, stdio: ["ignore", "inherit", "inherit"] },
    },
  );
  editor.on("exit", (code) => leave(code ?? 4));
});
