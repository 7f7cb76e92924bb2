/**
 * One moment as HTML: both sides, what changed since the moment before, and what is unlike. It runs in Node, for the page as
 * it is first seen, and in the browser, where its own text is put: so it uses nothing but its arguments.
 */
import type { Group, Sheets } from "./sheets.ts";

export function panelOf({ pool, frames, target }: Sheets, at: number): string {
  const sections = ["Answer", "Session", "What a commit would write", "In the archive"];
  const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
  const item = (kind: string, text: string): string => `<bdi class="${kind}">${escaped(text)}</bdi>`;
  const less = (list: readonly string[], taken: readonly string[]): readonly string[] => {
    const left = [...taken];
    return list.filter((each) => {
      const found = left.indexOf(each);
      if (found >= 0) left.splice(found, 1);
      return found < 0;
    });
  };
  const groupsOf = (
    numbers: readonly number[] | null | undefined,
  ): ReadonlyMap<string, Map<string, readonly string[]>> => {
    const groups = (numbers ?? []).flatMap((each): Group[] => {
      const group = pool[each];
      return group === undefined ? [] : [group];
    });
    return new Map(groups.map(([name, fields]) => [name, new Map(fields)]));
  };
  /** Items of one side: what is new, what is gone, and the rest. */
  const items = (now: readonly string[], before: readonly string[] | null, other: readonly string[] | null): string => {
    const fresh = before === null ? [] : less(now, before);
    const gone = before === null ? [] : less(before, now);
    const only = other === null ? [] : less(now, other);
    const shown = now.map((each) =>
      item(
        `item${now.length > 1 ? " one" : ""}${fresh.includes(each) ? " fresh" : ""}${only.includes(each) ? " only" : ""}`,
        each,
      ),
    );
    const lost = gone.map((each) => `<s>${item("item gone", each)}</s>`);
    const nothing = now.length === 0 ? ['<span class="item nothing">nothing</span>'] : [];
    return [...lost, ...shown, ...nothing].join(" ");
  };

  const frame = frames[at];
  if (frame === undefined) return "";
  let seen = false;
  const html = sections.map((title, section) => {
    const numbers = frame.model[section] ?? [];
    const others = frame.target?.[section] ?? null;
    const earlier = at === 0 || section === 0 ? null : (frames[at - 1]?.model[section] ?? []);
    const [own, foreign, old] = [groupsOf(numbers), groupsOf(others), groupsOf(earlier)];
    const names = [...new Set([...own.keys(), ...foreign.keys(), ...old.keys()])];
    if (names.length === 0) return "";
    let count = 0;
    let differing = 0;
    const groups = names.map((name) => {
      const [mine, theirs, was] = [own.get(name), foreign.get(name), old.get(name)];
      const keys = [...new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? []), ...(was?.keys() ?? [])])];
      let touched = false;
      const rows = keys.map((key) => {
        const now = mine?.get(key) ?? [];
        const before = earlier === null ? null : (was?.get(key) ?? []);
        const other = others === null ? null : (theirs?.get(key) ?? []);
        const changed = before !== null && before.join("\n") !== now.join("\n");
        const unlike = other !== null && other.join("\n") !== now.join("\n");
        touched ||= changed || unlike;
        count += changed ? 1 : 0;
        differing += unlike ? 1 : 0;
        const model = `<dd class="model">${unlike ? '<span class="who">model</span> ' : ""}${items(now, before, unlike ? other : null)}</dd>`;
        const side =
          other === null || !unlike
            ? ""
            : `<dd class="target"><span class="who">${escaped(target)}</span> ${items(other, null, now)}</dd>`;
        return `<div class="field${changed ? " changed" : ""}${unlike ? " unlike" : ""}"><dt>${escaped(key)}</dt>${model}${side}</div>`;
      });
      const head = mine?.get("activity")?.[0] ?? (mine === undefined ? "not there" : "");
      const list = `<dl>${rows.join("")}</dl>`;
      if (name === "") return list;
      const sign = touched ? "" : ' <span class="quiet">unchanged</span>';
      return `<details${touched || at === 0 ? " open" : ""}><summary><b>${escaped(name)}</b> ${escaped(head)}${sign}</summary>${list}</details>`;
    });
    const says = [
      differing === 0 ? "" : `<span class="badge unlike">${differing} unlike</span>`,
      count === 0 ? "" : `<span class="badge changed">${count} changed</span>`,
    ].join(" ");
    // What would be written mostly repeats what is seen.
    const quiet = section > 1 && (differing === 0 || seen);
    seen ||= differing > 0;
    return `<details class="section"${quiet ? "" : " open"}><summary><h3>${title}</h3> ${says}</summary>${groups.join("")}</details>`;
  });
  return html.join("");
}
