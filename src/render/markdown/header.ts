import { visible } from '../untrusted.ts';

export interface HeaderFields {
  readonly project: string | null;
  readonly environment: string | null;
  readonly digest: string | null;
}

/**
 * The hidden first line, by which a comment is found again and updated in place:
 * `<!-- tradeform:plan project=core environment=production digest=1f… -->`; `-` stands for what there is not.
 */
export function hiddenHeader(command: string, { project, environment, digest }: HeaderFields): string {
  const fields = { project, environment, digest };
  const written = Object.entries(fields).map(
    ([key, value]) => `${key}=${value === null ? '-' : encoded(value)}`,
  );
  return `<!-- tradeform:${command} ${written.join(' ')} -->`;
}

/** Percent-encoded, so that no value has a space, ends the comment, or looks like none. */
function encoded(value: string): string {
  const text = encodeURIComponent(visible(value)).replace(/[!'()*]/g, percent);
  return text.replace(/^-|-(?=-)|-$/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
