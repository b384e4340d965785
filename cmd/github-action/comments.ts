import type { Event } from './event.ts';
import { ActionFailure } from './failure.ts';
import { type GitHub, LostAnswer } from './github.ts';
import { type CommentSubject, type Header, headerOf, sameSubject } from './header.ts';

/** A comment or an issue that this action wrote. */
export interface OwnText {
  /** Of a comment: its id; of an issue: its number. */
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly header: Header;
}

/** As much of a comment as is read here. */
interface Comment {
  readonly id?: unknown;
  readonly html_url?: unknown;
  readonly body?: unknown;
  readonly user?: { readonly login?: unknown } | null;
}

/**
 * Comments on a pull request that begin with a header of ours and were written by the same login as this token's: anybody
 * can write a header, so that those of others are neither believed nor changed.
 */
export async function ownComments(
  github: GitHub,
  { repository }: Event,
  pull: number,
): Promise<readonly OwnText[]> {
  const [login, comments] = await Promise.all([
    github.viewer(),
    github.list(`/repos/${repository}/issues/${pull}/comments?per_page=100`),
  ]);
  return comments.flatMap((entry) => {
    const { id, html_url: url, body, user } = entry as Comment;
    if (user?.login !== login || typeof id !== 'number' || typeof body !== 'string') return [];
    const header = headerOf(body);
    return header === undefined ? [] : [{ id, url: String(url), body, header }];
  });
}

const TRIES = 4;

/** Writes the one comment of this subject: over the one that is there, else as a new one. Its URL. */
export async function writeComment(
  github: GitHub,
  event: Event,
  pull: number,
  { subject, body }: { readonly subject: CommentSubject; readonly body: string },
): Promise<string> {
  const comments = `/repos/${event.repository}/issues/comments`;
  for (let attempt = 1; ; attempt += 1) {
    const [first, ...others] = commentsAbout(await ownComments(github, event, pull), subject);
    // Two runs at the same time can have written one each.
    for (const { id } of others) await github.delete(`${comments}/${id}`);
    if (first !== undefined) return urlOf(await github.patch(`${comments}/${first.id}`, { body }));
    try {
      return urlOf(await github.post(`/repos/${event.repository}/issues/${pull}/comments`, { body }));
    } catch (error) {
      // It may be there all the same: look again rather than write two.
      if (!(error instanceof LostAnswer)) throw error;
      if (attempt === TRIES) throw new ActionFailure(1, error.message);
    }
  }
}

/**
 * Those about this subject. Where the project's name is not known, now or when the comment was written, the only comment
 * of the command is the one that is meant.
 */
function commentsAbout(own: readonly OwnText[], subject: CommentSubject): readonly OwnText[] {
  const exact = own.filter(({ header }) => sameSubject(header, subject));
  if (exact.length > 0) return exact;
  const same = own.filter(({ header }) => header.command === subject.command);
  const unknown = same.filter(({ header }) => header.project === '-' || subject.project === '-');
  return same.length === 1 ? unknown : [];
}

function urlOf(comment: unknown): string {
  const { html_url: url } = comment as Comment;
  return typeof url === 'string' ? url : '';
}
