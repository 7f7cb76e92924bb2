/** The protocol as JSON Schema, for whoever writes a target in another language: made from what the checker itself reads by. */
import { z } from "zod";
import { replyAt, scope, step, stepForms } from "../schema.ts";
import { appliedAt, counted, done, failed, greeted, protocolVersion, requests } from "./protocol.ts";
import { encoded, storedView, view } from "./sights.ts";

const named: readonly (readonly [name: string, schema: z.ZodType])[] = [
  ["Step", step],
  ["Reply", replyAt("house")],
  ["Scope", scope],
  ["View", view],
  ["Stored", storedView],
  ["Encoded", encoded],
];

type Schema = { [key: string]: unknown };

/** Any JSON is the one shape without a name of its own. */
const anyJson = "Json";
const parts = new Map<string, Schema>();

/** Shapes that have a name are referred to by it, but for the one at the top. */
function converted(schema: z.ZodType, top: string | null = null): Schema {
  const made: Schema = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const found = named.find(([name, each]) => Object.is(each, zodSchema) && name !== top);
      if (found === undefined) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.$ref = `#/$defs/${found[0]}`;
    },
  });
  const { $schema: _, $defs = {}, ...rest } = made;
  const local: { readonly [key: string]: Schema } = Object($defs);
  // References to the top of what is converted, and to its parts, hold only there.
  const renamed = (schema: Schema): Schema => {
    const said = JSON.stringify(schema).replaceAll(/"#(?:\/\$defs\/(__schema\d+))?"/g, (_all, key?: string) => {
      const alias = key === undefined ? `#/$defs/${top}` : local[key]?.["$ref"];
      return JSON.stringify(alias ?? `#/$defs/${anyJson}`);
    });
    const read: Schema = JSON.parse(said);
    return read;
  };
  for (const part of Object.values(local).filter((each) => each["$ref"] === undefined)) {
    const shape = renamed(part);
    parts.set(JSON.stringify(shape), shape);
  }
  return renamed(rest);
}

/** A JSON Schema cannot say that two objects are one, so each outcome is told with the events it may have. */
const definitions: Schema = {
  ...Object.fromEntries(named.map(([name, schema]) => [name, converted(schema, name)])),
  Step: { anyOf: stepForms.map((each) => converted(each)) },
};
const answers: readonly Schema[] = [greeted, done, appliedAt("house"), counted, failed].map((each) =>
  answered(converted(each)),
);
const asked: readonly Schema[] = Object.values(requests).map((each) => converted(each));
const [json, ...others] = parts.values();
if (json === undefined || others.length > 0) throw new Error("a shape of the protocol lacks a name");

export const protocolSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: `Rollcall's target protocol, version ${protocolVersion}`,
  description:
    "One JSON object a line: requests to a target, and its answers, which also carry the id of their request.",
  $defs: {
    ...definitions,
    [anyJson]: json,
    Request: { anyOf: asked },
    Answer: { anyOf: answers },
  },
  anyOf: [{ $ref: "#/$defs/Request" }, { $ref: "#/$defs/Answer" }],
};

function answered(schema: Schema): Schema {
  const { properties, required } = schema;
  return {
    ...schema,
    properties: { id: { type: "number" }, ...Object(properties) },
    required: ["id", ...(Array.isArray(required) ? required : [])],
  };
}
