/**
 * Texts of a user's session as lengths and hashes. A text is known by where it stands (a step's `text`, the third of a
 * mail, …); a string anywhere else stays only if it looks like a word or a path, so that a target that answers in strange
 * shapes does not give a text away.
 */
import type { Step } from "../../src/contract.ts";
import { hash } from "../digest.ts";
import type { Explanation } from "./explanation.ts";

/** How a text of a step stands once it is hashed; what shows texts leaves the quotes out for it. */
export const standIn: RegExp = /^⟨\d+ units? [0-9a-f]{16}⟩$/u;

const hashedText = (text: string): string =>
  standIn.test(text) ? text : `⟨${text.length} unit${text.length === 1 ? "" : "s"} ${hash(text)}⟩`;

const hashed = (text: string): { readonly length: number; readonly sha256: string } => ({
  length: text.length,
  sha256: hash(text),
});

const word = /^[A-Za-z0-9_./#@:-]{1,80}$/;
const mailKinds: readonly unknown[] = ["mail", "user", "execution"];
const outcomes: readonly unknown[] = ["completed", "errored", "interrupted"];
const messageKinds: readonly unknown[] = ["task", "partial", "mail", "note"];

/** Which places of a tuple hold texts, by what it looks like. */
function textsOf(list: readonly unknown[]): readonly number[] {
  if (list.length === 3 && mailKinds.includes(list[0])) return [2];
  if (list.length === 4 && messageKinds.includes(list[0]) && typeof list[1] === "number") return [3];
  if (list.length === 4 && outcomes.includes(list[0])) return [1, 3];
  if (list.length === 3 && typeof list[0] === "number" && outcomes.includes(list[1])) return [2];
  return [];
}

/** Anything that a side shows: replies, views, encodings, archives. */
function inside(value: unknown): unknown {
  if (typeof value === "string") return word.test(value) ? value : hashed(value);
  if (Array.isArray(value)) {
    const texts = textsOf(value);
    return value.map((each, index) =>
      texts.includes(index) && typeof each === "string" ? hashed(each) : inside(each),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inside(member)]));
}

/** What people and the world say in a step. Names and roles stay: they are addresses. */
function ofStep(step: Step): Step {
  const withText = "text" in step ? { ...step, text: hashedText(step.text) } : step;
  if (withText.do === "change_role") return { ...withText, config: hashedText(JSON.stringify(withText.config)) };
  if (withText.do === "together") return { ...withText, steps: withText.steps.map(ofStep) };
  if (withText.do === "wait" && typeof withText.callback === "object")
    return { ...withText, callback: { then: ofStep(withText.callback.then) } };
  return withText;
}

function textsIn(step: Step): readonly string[] {
  const own = "text" in step ? [step.text] : [];
  if (step.do === "together") return [...own, ...step.steps.flatMap(textsIn)];
  if (step.do === "wait" && typeof step.callback === "object") return [...own, ...textsIn(step.callback.then)];
  return own;
}

/** Sentences of laws, and what a target threw, may quote a text: each is cut out wherever it stands by itself. */
function scrub(sentence: string, texts: readonly string[]): string {
  let clean = sentence;
  for (const text of texts) {
    const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const pattern = text.length < 8 ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
    clean = clean
      .replace(new RegExp(pattern, "gu"), hashedText(text))
      .split(JSON.stringify(text).slice(1, -1))
      .join(hashedText(text));
  }
  return clean;
}

export function redacted(explanation: Explanation): Explanation {
  const steps = explanation.told.map(({ step }) => step);
  const texts = [...new Set(steps.flatMap(textsIn))]
    .filter((text) => text !== "" && !standIn.test(text))
    .sort((one, other) => other.length - one.length);
  const { failing, parting } = explanation;
  const unlike = <Place extends { readonly model: unknown; readonly target: unknown }>(place: Place): Place => ({
    ...place,
    model: inside(place.model),
    target: inside(place.target),
  });
  const clean = (sentence: string): string => scrub(sentence, texts);
  return {
    ...explanation,
    title: clean(explanation.title),
    // Other texts that were tried are ours, not the user's, and stay.
    told: explanation.told.map((told) => ({ ...told, step: ofStep(told.step) })),
    frames: inside(explanation.frames) as Explanation["frames"], // a text became its hash, which views allow
    failing:
      failing === null
        ? null
        : {
            ...failing,
            laws: failing.laws.map((law) => ({ ...law, what: clean(law.what) })),
            unlike: failing.unlike.map(unlike),
            thrown: failing.thrown === null ? null : clean(failing.thrown),
          },
    parting: parting === null ? null : { ...parting, unlike: parting.unlike === null ? null : unlike(parting.unlike) },
    hashed: true,
  };
}
