// What a user writes to have an implementation of theirs judged by their own vitest; here it is the specification's.
import { targetNamed } from "rollcall/check";
import { conformance } from "rollcall/vitest";

conformance(await targetNamed("model"), { runs: 20 });
