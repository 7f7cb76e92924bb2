/**
 * The one error of the checker's own: something it was given cannot be used. Carries the exit code of the command line:
 * 2 for usage, 3 for a story that means nothing any more, 4 for a fault of the world, such as a target that dies.
 */
export class Unusable extends Error {
  readonly exit: 2 | 3 | 4;
  constructor(exit: 2 | 3 | 4, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = "Unusable";
    this.exit = exit;
  }
}
