/** The form in which results are mailed, for the property that generates texts for it. */
import { mailedText } from "../../src/registry/mailed.ts";

export function mailedForm(text: string, location: string): string {
  return mailedText(text, location);
}
