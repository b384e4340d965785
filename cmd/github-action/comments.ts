import { headerOf, type WrittenHeader } from '../../src/render/markdown/header.ts';
import type { Event } from './event.ts';
import { type GitHub, untilAnswered } from './github.ts';
import { type CommentSubject, sameSubject } from './header.ts';

/** A comment or an issue that this action wrote. */
interface OwnText {
  /** The id of a comment, or the number of an issue. */
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly header: WrittenHeader;
  /** Only for an issue. */
  readonly open: boolean;
}

/** The fields of a comment or an issue that are read here. */
interface Entry {
  readonly id?: unknown;
  /** Only for an issue. */
  readonly number?: unknown;
  readonly html_url?: unknown;
  readonly state?: unknown;
  readonly body?: unknown;
  readonly user?: { readonly login?: unknown } | null;
  readonly pull_request?: unknown;
}

/**
 * Comments or issues in a list that begin with a header of tradeform and were written by the login of this token. Anybody can
 * write a header, so those of others are neither believed nor changed.
 */
export async function ownTexts(github: GitHub, path: string): Promise<readonly OwnText[]> {
  const [login, entries] = await Promise.all([github.viewer(), github.list(path)]);
  return entries.flatMap((entry) => {
    const { id: own, number, html_url: url, state, body, user, pull_request: pull } = entry as Entry;
    const id = number ?? own;
    if (user?.login !== login || pull !== undefined) return [];
    if (typeof id !== 'number' || typeof body !== 'string') return [];
    const header = headerOf(body);
    return header === undefined ? [] : [{ id, url: String(url), body, header, open: state === 'open' }];
  });
}

export function ownComments(
  github: GitHub,
  { repository }: Event,
  pull: number,
): Promise<readonly OwnText[]> {
  return ownTexts(github, `/repos/${repository}/issues/${pull}/comments?per_page=100`);
}

/** Writes the only comment of this subject: over the existing one, or as a new one. Returns its URL. */
export function writeComment(
  github: GitHub,
  event: Event,
  pull: number,
  { subject, body }: { readonly subject: CommentSubject; readonly body: string },
): Promise<string> {
  const comments = `/repos/${event.repository}/issues/comments`;
  return untilAnswered(async () => {
    const [first, ...others] = commentsAbout(await ownComments(github, event, pull), subject);
    // Two simultaneous runs may each have written one.
    for (const { id } of others) await github.delete(`${comments}/${id}`);
    return urlOf(
      first === undefined
        ? await github.post(`/repos/${event.repository}/issues/${pull}/comments`, { body })
        : await github.patch(`${comments}/${first.id}`, { body }),
    );
  });
}

/**
 * Those about this subject. If the project's name is unknown now or was unknown when the comment was written, the only comment of
 * the command is meant.
 */
function commentsAbout(own: readonly OwnText[], subject: CommentSubject): readonly OwnText[] {
  const exact = own.filter(({ header }) => sameSubject(header, subject));
  if (exact.length > 0) return exact;
  const same = own.filter(({ header }) => header.command === subject.command);
  const unknown = same.filter(({ header }) => header.project === '-' || subject.project === '-');
  return same.length === 1 ? unknown : [];
}

export function urlOf(entry: unknown): string {
  const { html_url: url } = entry as Entry;
  return typeof url === 'string' ? url : '';
}
