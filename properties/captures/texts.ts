/** What stands for a text of somebody's session: as long as the text where that can be, equal for equal texts, and none of it. */
import { hash } from "../digest.ts";

/** Length and hash as a recording has them; `malformed` where a surrogate stood alone. */
interface Veiled {
  readonly length: number;
  readonly sha256: string;
  readonly malformed?: boolean;
}

/** From so many units on there is room to say what it stands for. */
const sayingMin = 32;
const lone = "\ud800";

export function standIn({ length, sha256, malformed = false }: Veiled): string {
  const units = malformed ? Math.max(0, length - 1) : length;
  const said = units >= sayingMin ? `⟨${length} units ${sha256}⟩` : "";
  const filled = said === "" ? sha256.repeat(Math.ceil(units / Math.max(1, sha256.length))) : said.padEnd(units, "·");
  return `${filled.slice(0, Math.max(units, said.length))}${malformed ? lone : ""}`;
}

/** A text as it is where it was asked for, else what stands for it. */
export const veil = (text: string, texts: boolean): string =>
  texts ? text : standIn({ length: text.length, sha256: hash(text), malformed: !text.isWellFormed() });
