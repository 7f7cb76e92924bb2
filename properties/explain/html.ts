/** Text as HTML. What has no place in a page at all (controls, marks that turn the reading direction) was made visible before. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);

/** JSON inside a `script`: nothing in it can end the element or begin a comment. */
export const embedded = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
