/**
 * The laws L1 to L41, in order: what must be true of any registry, in every state (S) and across every step (T). Each looks
 * only at what can be seen, so the same ones judge the specification, the production registry and anybody else's.
 */
import * as commits from "./laws/commits.ts";
import * as identity from "./laws/identity.ts";
import type { Check, Law, Sight } from "./laws/law.ts";
import * as mail from "./laws/mail.ts";
import * as residency from "./laws/residency.ts";
import * as restores from "./laws/restores.ts";
import * as results from "./laws/results.ts";
import * as slots from "./laws/slots.ts";
import * as starts from "./laws/starts.ts";
import * as waits from "./laws/waits.ts";

const both =
  (first: Check, second: Check): Check =>
  (ledger, before, now) =>
    first(ledger, before, now) ?? second(ledger, before, now);

const law = (
  number: number,
  kind: Law["kind"],
  sentence: string,
  check: Check,
  needs: readonly Sight[] = [],
  elsewhere: string | null = null,
): Law =>
  elsewhere === null
    ? { number, kind, sentence, checkedHere: true, needs, check }
    : { number, kind, sentence, checkedHere: false, elsewhere, needs, check };

export const laws: readonly Law[] = [
  law(1, "S", "Every path is well formed and every parent is `/root` or present.", identity.paths),
  law(
    2,
    "S",
    "No two records or reservations share a path; ids are unique and constant per path; turn numbers only rise.",
    identity.unique,
    ["open"],
    "properties/targets/identity.test.ts, for ids",
  ),
  law(3, "S", "`active <= capacity`, or no start has begun since capacity was lowered.", slots.room),
  law(
    4,
    "T",
    "`active` rises only by a start, by one, and falls only when one is rolled back or its turn settles.",
    slots.slots,
    ["open", "events"],
  ),
  law(5, "S", "Reservations are not listed, not resolvable, not saved, get no mail.", identity.reserved, ["open"]),
  law(
    6,
    "T",
    "A spawn returns a path only if record and turn are committed; a failed one leaves no residue and the name is free.",
    identity.publication,
    ["open", "messages"],
  ),
  law(7, "T", "After publication failure settles `errored`; identity and path remain.", identity.kept),
  law(8, "S", "An active record has no result, live or archived; outcome and text come together.", results.hidden),
  law(9, "S", "The registry encodes at every gate.", commits.encodes, ["encode"]),
  law(
    10,
    "T",
    "A follow-up that ends before admission, however, leaves activity, result and conversation as before.",
    starts.rolledBack,
    ["open", "messages", "events"],
  ),
  law(11, "T", "How a start ends never changes the mail that arrived during it.", starts.undisturbed, [
    "mail",
    "events",
  ]),
  law(
    12,
    "T",
    "At capacity a follow-up to an idle agent changes nothing; to an active one it adds one mail, no slot, no turn.",
    slots.capacity,
    ["mail"],
  ),
  law(13, "T", "Mail never starts a turn or changes an activity, except by ending a wait.", mail.quiet),
  law(
    14,
    "T",
    "Mail keeps the order in which it came, in the mailbox, through sample, save and restore.",
    both(mail.ordered, restores.reordered),
    ["mail", "events"],
  ),
  law(
    15,
    "T",
    "Mail leaves a mailbox only into the conversation or to the parent, in the same commit; none is lost or doubled.",
    both(mail.conserved, restores.mislaid),
    ["mail", "events", "messages"],
  ),
  law(
    16,
    "S",
    "A result goes from child to spawn parent, a user's mail to `/root`, an execution to its owner or the owner's parent.",
    mail.addressed,
    ["mail"],
  ),
  law(17, "T", "A turn settles once, and its result is queued, owed or handled once.", results.once, [
    "events",
    "owed",
  ]),
  law(
    18,
    "S",
    "The stored result is the full text; the mailed one is within the bound and equal when short; outcomes agree.",
    results.whole,
    ["events", "mail"],
    "src/registry/mailed.test.ts, for the bound",
  ),
  law(
    19,
    "T",
    "A commit that fails changes no archive, mailbox, conversation, result or turn, and ends only what wanted it.",
    commits.failed,
    ["open"],
  ),
  law(20, "T", "Nobody is woken and no handler called before the commit that justifies it.", commits.justified, [
    "events",
  ]),
  law(
    21,
    "T",
    "A handler is called at most once per process; unless it answered, the result is owed or queued, crash or not.",
    results.handled,
    ["events", "owed"],
  ),
  law(22, "S", "One waiter per path, its token on the stack; nobody sleeps on a non-empty mailbox.", waits.asleep, [
    "blockers",
    "mail",
  ]),
  law(23, "T", "A wait ends at most once with a reason.", waits.woken, ["events"]),
  law(
    24,
    "S",
    "Activity is the newest blocker's kind, else `running`; idle means no turn and no blockers; admitted means a turn.",
    waits.activities,
    ["blockers"],
  ),
  law(25, "T", "Releases are idempotent, order-free, dead after the turn.", waits.blocked, ["blockers"]),
  law(
    26,
    "T",
    "An interrupt touches only its target and its parent's mailbox and wait; of an idle agent, or failed, it is nothing.",
    waits.interrupts,
  ),
  law(
    27,
    "T",
    "A config is equal from spawn to the end, through save, restore, role changes, eviction; no two records alias.",
    identity.frozen,
    [],
    "properties/targets/identity.test.ts, for what is shared in memory",
  ),
  {
    ...law(
      28,
      "T",
      "A restored session is the archive with starts rolled back and turns recovered; saving it writes the same meaning.",
      both(commits.agrees(true), restores.restored(true)),
      ["encode"],
    ),
    withoutUndo: both(commits.agrees(false), restores.restored(false)),
  },
  law(
    29,
    "T",
    "Recovery settles each abandoned turn once, keeps mail, is idempotent even if killed, repeats no side effect.",
    restores.recovered,
    ["mail", "events"],
  ),
  law(
    30,
    "T",
    "Exactly the invalid records and their descendants are set aside, each reported, none deleted or changed.",
    restores.setAside,
    ["events"],
  ),
  law(
    31,
    "T",
    "Restore reads no idle conversation; each access hydrates only the one asked for, once for all who ask.",
    residency.lazy,
    ["residency", "open"],
    "properties/residency.test.ts, by counters",
  ),
  law(
    32,
    "S",
    "Roster, config, mail and topology do not depend on residency, compaction, rendering or eviction.",
    residency.independent,
    [],
  ),
  law(
    33,
    "T",
    "A failed hydration leaves no partial resident, calls no provider, disturbs no sibling, can be retried.",
    residency.harmless,
    ["residency", "events"],
  ),
  law(
    34,
    "S",
    "A turn's conversation is writable and not an inspection; an inspection is never saved; its marks survive mode set-up.",
    residency.marked,
    ["residency"],
    "src/registry/hydrate.test.ts, for what a viewer sees",
  ),
  law(
    35,
    "T",
    "A tool reference comes back as the same `[category, name]` or the record is set aside; resolving runs no tool.",
    identity.references,
    ["events"],
    "src/tools.test.ts, for what resolving calls",
  ),
  law(36, "T", "Read-only restore, inspection, roster and reads write nothing and enqueue nothing.", commits.readsOnly),
  law(
    37,
    "T",
    "Block, release, entering `starting` and roll-back commit nothing; a refusal or a late answer changes nothing.",
    commits.idleSteps,
    ["open"],
  ),
  law(38, "T", "A fork starts empty; its source is unchanged.", residency.forked),
  law(
    39,
    "T",
    "What an acknowledged commit wrote survives any later crash; an unacknowledged one is there whole or not at all.",
    commits.durable,
    ["encode"],
    "properties/restore.test.ts, after a crash at any step",
  ),
  law(
    40,
    "T",
    "A second writer is refused; a writer that lost ownership writes nothing more.",
    commits.owned,
    [],
    "src/archive/processes.test.ts, between processes",
  ),
  law(
    41,
    "T",
    "If gates are answered and commits succeed in the end, every turn settles and every wait ends.",
    waits.rests,
    ["events", "open"],
    "model/explore.test.ts, by reachability",
  ),
];
