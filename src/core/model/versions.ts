/** The versions of a task or template: a create makes the first one, and every other write makes the next one. */
interface Versioned {
  readonly version: number;
}

export const FIRST_VERSION = 1;

/** Nothing was written to the resource since its create. */
export function isFirstVersion({ version }: Versioned): boolean {
  return version === FIRST_VERSION;
}

export function versionAfter({ version }: Versioned, writes: number): number {
  return version + writes;
}

/** How many writes lie between two states of one resource, whoever made them. */
export function writesBetween(before: Versioned, after: Versioned): number {
  return after.version - before.version;
}
