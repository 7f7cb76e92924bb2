/** What was asked for makes no sense: said in one sentence, exit code 2. */
export class UsageError extends Error {}
