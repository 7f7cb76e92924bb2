// Compiled, not run: all doors of the package have types, in a project that knows nothing of ours.

import type * as registry from "rollcall";
import type * as check from "rollcall/check";
import type * as conformance from "rollcall/vitest";

export type Names = keyof typeof registry | keyof typeof check | keyof typeof conformance;
