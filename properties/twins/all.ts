/** Every faulty twin of the specification, by name. */
import * as archives from "./archives.ts";
import * as ends from "./ends.ts";
import * as mail from "./mail.ts";
import * as residents from "./residents.ts";
import * as starts from "./starts.ts";
import type { Twin } from "./twin.ts";

export const twins: { readonly [name: string]: Twin } = { ...starts, ...ends, ...mail, ...archives, ...residents };
