/** Whether two plain values are equal; quick when they are the same object, as unchanged parts of the model's views are. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i += 1) if (!same(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  let more = 0;
  for (const key in a) {
    if (!same(a[key], b[key])) return false;
    more += 1;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}

const isObject = (given: unknown): given is { readonly [key: string]: unknown } =>
  typeof given === "object" && given !== null;

/** A value for a person to read, in a law's complaint. Not on the path of a law that holds. */
export function said(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
