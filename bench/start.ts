/** A program of its own: lists the agents of an archive and prints how many, as the first thing a process does. */
const [what, file = ""] = process.argv.slice(2);

/** Loaded only by whom it serves: a program that reads JSON does not load the registry. */
async function count(): Promise<number> {
  if (what === "json") {
    const { openJsonFile, rosterOf } = await import("./peers.ts");
    return rosterOf(openJsonFile(`${file}.json`)).length;
  }
  if (what === "rollcall") {
    const { openSession } = await import("../src/index.ts");
    const session = await openSession(file, { roles: {}, provider: { dispatch: () => {} }, create: false });
    const rows = await session.roster();
    await session.close();
    return rows.length - 1;
  }
  return 0;
}

console.log(await count());
