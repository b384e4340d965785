import { hiddenHeader } from '../../src/render/markdown/header.ts';

/** What a comment or an issue of ours is about: one of each command, project and environment, as headers spell them. */
export interface CommentSubject {
  readonly command: string;
  /** `-` where the project file could not be read. */
  readonly project: string;
  /** `-` where there is none. */
  readonly environment: string;
}

export function commentSubject(
  command: string,
  project: string | null,
  environment: string | null,
): CommentSubject {
  const written = headerOf(hiddenHeader(command, { project, environment, digest: null }));
  return { command, project: written?.project ?? '-', environment: written?.environment ?? '-' };
}

export interface Header extends CommentSubject {
  /** Undefined where there was no plan. */
  readonly digest: string | undefined;
}

const HEADER =
  /^<!-- tradeform:([a-z]+) project=([^\s<>]+) environment=([^\s<>]+) digest=([0-9a-f]{64}|-) -->(?:\r?\n|$)/;
/** Whatever begins like one, so that no second one stays behind a header of ours. */
const ANY_HEADER = /^<!-- tradeform:[^\n]*(?:\n|$)/;

/** The hidden first line of a body; undefined where the body begins otherwise. */
export function headerOf(body: string): Header | undefined {
  const match = HEADER.exec(body);
  if (match === null) return undefined;
  const [, command = '', project = '', environment = '', digest] = match;
  return { command, project, environment, digest: digest === '-' ? undefined : digest };
}

/** The Markdown with this header as its first line, instead of the one it may have. */
export function withHeader(
  markdown: string,
  { command, project, environment }: CommentSubject,
  digest: string | undefined,
): string {
  const line = `<!-- tradeform:${command} project=${project} environment=${environment} digest=${digest ?? '-'} -->`;
  return `${line}\n${markdown.replace(ANY_HEADER, '')}`;
}

const SINCE = /^[^\n]*\n<!-- tradeform:since (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z) -->(?:\r?\n|$)/;

/** The body with a hidden second line that says since when its issue tells of drift. */
export function withSince(body: string, since: string | undefined): string {
  const end = body.indexOf('\n') + 1;
  return since === undefined
    ? body
    : `${body.slice(0, end)}<!-- tradeform:since ${since} -->\n${body.slice(end)}`;
}

/** ISO 8601; undefined where the body does not say it. */
export function sinceOf(body: string): string | undefined {
  return SINCE.exec(body.replaceAll('\r\n', '\n'))?.[1];
}

export function sameSubject(a: CommentSubject, b: CommentSubject): boolean {
  return a.command === b.command && a.project === b.project && a.environment === b.environment;
}
