import { headerLine, headerOf, hiddenHeader, type WrittenHeader } from '../../src/render/markdown/header.ts';

/** The subject of a comment or an issue: one for each command, project and environment, spelled as in headers. */
export type CommentSubject = Omit<WrittenHeader, 'digest'>;

export function commentSubject(
  command: string,
  project: string | null,
  environment: string | null,
): CommentSubject {
  const written = headerOf(hiddenHeader(command, { project, environment, digest: null }));
  return { command, project: written?.project ?? '-', environment: written?.environment ?? '-' };
}

/** Everything that looks like a header, so that no second one remains after the new header. */
const ANY_HEADER = /^<!-- tradeform:[^\n]*(?:\n|$)/;

/** The Markdown with this header as its first line, replacing an existing one. */
export function withHeader(
  markdown: string,
  { command, project, environment }: CommentSubject,
  digest: string | undefined,
): string {
  const line = headerLine({ command, project, environment, digest });
  return `${line}\n${markdown.replace(ANY_HEADER, '')}`;
}

const SINCE = /^[^\n]*\n<!-- tradeform:since (\d{4}-\d\d-\d\dT[\d:.]{8,12}Z) -->(?:\r?\n|$)/;

/** The body with a hidden second line that says since when its issue has reported drift. */
export function withSince(body: string, since: string | undefined): string {
  const end = body.indexOf('\n') + 1;
  return since === undefined
    ? body
    : `${body.slice(0, end)}<!-- tradeform:since ${since} -->\n${body.slice(end)}`;
}

/** ISO 8601. Undefined if the body does not contain it. */
export function sinceOf(body: string): string | undefined {
  return SINCE.exec(body.replaceAll('\r\n', '\n'))?.[1];
}

export function sameSubject(a: CommentSubject, b: CommentSubject): boolean {
  return a.command === b.command && a.project === b.project && a.environment === b.environment;
}
