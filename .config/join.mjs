// Joins the compiled registry into one file: most of a short process is the loader, which takes as long for each file. The
// package `rollcall` is this file; whatever else is in dist/ imports the modules that it was made of.
import { rolldown } from "rolldown";

const bundle = await rolldown({ input: "dist/src/index.js", platform: "node", external: [/^node:/, "libsql"] });
await bundle.write({ file: "dist/rollcall.js", format: "esm" });
await bundle.close();
