/** Twins made from public reports (regressions/REPORTS.md), by name: beyond the faults that this kind of registry had. */
import type { Twin } from "../twin.ts";
import * as addresses from "./addresses.ts";
import * as mail from "./mail.ts";
import * as restores from "./restores.ts";
import * as turns from "./turns.ts";

export const reported: { readonly [name: string]: Twin } = { ...addresses, ...turns, ...restores, ...mail };
