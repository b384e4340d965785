import { ownTexts, urlOf } from './comments.ts';
import type { Event } from './event.ts';
import { type GitHub, untilAnswered } from './github.ts';
import { type CommentSubject, sameSubject, sinceOf } from './header.ts';

interface DriftReport {
  readonly subject: CommentSubject;
  readonly title: string;
  /** The body, with the time since when the drift has been reported. */
  readonly body: (since: string) => string;
  /** ISO 8601. */
  readonly now: string;
  readonly label: string;
  readonly drift: boolean;
}

/**
 * Maintains the only issue of this project and environment: opens or reopens it on drift, updates it while the drift lasts, and
 * closes it afterwards. Returns its URL. Undefined if there is none and none is needed.
 */
export function keepIssue(
  github: GitHub,
  event: Event,
  { subject, title, body: bodyFor, now, label, drift }: DriftReport,
): Promise<string | undefined> {
  const issues = `/repos/${event.repository}/issues`;
  // The latest first.
  const list = `${issues}?labels=${encodeURIComponent(label)}&state=all&sort=created&direction=desc&per_page=100`;
  return untilAnswered(async () => {
    const own = (await ownTexts(github, list)).filter(({ header }) => sameSubject(header, subject));
    const [first, ...others] = own.filter(({ open }) => open);
    // Two simultaneous runs may each have opened one.
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
    return drift ? urlOf(await github.post(issues, { title, body, labels: [label] })) : undefined;
  });
}
