/** Another process inside a write to an archive, as its writer sees it: another connection that holds the lock of writing. */
import { type Database, openDatabase } from "../../../src/archive/binding.ts";

/** Answers how to let go. Nothing was written by then. */
export function holdWrite(file: string): () => void {
  const db: Database = openDatabase(file, "rw");
  db.exec("BEGIN IMMEDIATE");
  return () => {
    db.exec("ROLLBACK");
    db.close();
  };
}
