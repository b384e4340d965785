import type { OwnText } from './comments.ts';
import type { Event } from './event.ts';
import { ActionFailure } from './failure.ts';
import { type GitHub, LostAnswer } from './github.ts';
import { type CommentSubject, headerOf, sameSubject, sinceOf } from './header.ts';

/** As much of an issue as is read here. */
interface Issue {
  readonly number?: unknown;
  readonly html_url?: unknown;
  readonly state?: unknown;
  readonly body?: unknown;
  readonly user?: { readonly login?: unknown } | null;
  readonly pull_request?: unknown;
}

interface DriftReport {
  readonly subject: CommentSubject;
  readonly title: string;
  /** The body, for drift that has been told of since then. */
  readonly body: (since: string) => string;
  /** ISO 8601. */
  readonly now: string;
  readonly label: string;
  readonly drift: boolean;
}

const TRIES = 4;

/**
 * Keeps the one issue of this project and environment: opened or opened again where there is drift, brought up to date
 * while it lasts, closed when it is gone. Its URL; undefined where there is none and none is needed.
 */
export async function keepIssue(
  github: GitHub,
  event: Event,
  { subject, title, body: bodyFor, now, label, drift }: DriftReport,
): Promise<string | undefined> {
  const issues = `/repos/${event.repository}/issues`;
  for (let attempt = 1; ; attempt += 1) {
    const own = await ownIssues(github, event, label, subject);
    const [first, ...others] = own.filter(({ open }) => open);
    // Two runs at the same time can have opened one each.
    for (const { id } of others) {
      await github.patch(`${issues}/${id}`, { state: 'closed', state_reason: 'not_planned' });
    }
    const issue = first ?? (drift ? own[0] : undefined);
    const body = bodyFor((first === undefined ? undefined : sinceOf(first.body)) ?? now);
    if (issue !== undefined) {
      const state = drift ? { state: 'open' } : { state: 'closed', state_reason: 'completed' };
      await github.patch(`${issues}/${issue.id}`, { title, body, ...state });
      return issue.url;
    }
    if (!drift) return undefined;
    try {
      const created = (await github.post(issues, { title, body, labels: [label] })) as Issue;
      return String(created.html_url);
    } catch (error) {
      // It may be there all the same: look again rather than open two.
      if (!(error instanceof LostAnswer)) throw error;
      if (attempt === TRIES) throw new ActionFailure(1, error.message);
    }
  }
}

type OwnIssue = OwnText & { readonly open: boolean };

/** Those about this subject that this token's login wrote, the latest first. */
async function ownIssues(
  github: GitHub,
  { repository }: Event,
  label: string,
  subject: CommentSubject,
): Promise<readonly OwnIssue[]> {
  const [login, issues] = await Promise.all([
    github.viewer(),
    github.list(
      `/repos/${repository}/issues?labels=${encodeURIComponent(label)}&state=all&sort=created&direction=desc&per_page=100`,
    ),
  ]);
  return issues.flatMap((entry) => {
    const { number, html_url: url, state, body, user, pull_request: pull } = entry as Issue;
    if (pull !== undefined || user?.login !== login) return [];
    if (typeof number !== 'number' || typeof body !== 'string') return [];
    const header = headerOf(body);
    if (header === undefined || !sameSubject(header, subject)) return [];
    return [{ id: number, url: String(url), body, header, open: state === 'open' }];
  });
}
