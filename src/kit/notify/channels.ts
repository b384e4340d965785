import { createHmac } from 'node:crypto';
import { visible } from '../../core/render/untrusted.ts';

export type ChannelType = 'slack' | 'discord' | 'telegram' | 'webhook' | 'alertmanager';

/** A message, independent of the channel. Its text contains names and messages that others wrote. */
export interface Notice {
  readonly event: string;
  readonly status: 'firing' | 'resolved' | 'done';
  readonly title: string;
  readonly lines: readonly string[];
  readonly command: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** For Alertmanager: events that are over. */
  readonly over?: readonly string[];
}

export interface Credentials {
  /** For Telegram: the token of the bot. */
  readonly token?: string | undefined;
  readonly chat?: string | undefined;
  /** For a webhook: the key that signs the body. */
  readonly secret?: string | undefined;
}

interface Payload {
  /** The path below the URL of the channel. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The maximum of characters in a message. */
const LIMITS = {
  slack: 2_900,
  discord: 1_900,
  telegram: 4_000,
  webhook: 50_000,
  alertmanager: 4_000,
} as const;
const MOST_LINES = 20;
/** Alertmanager ends an alert after this time. A schedule that runs once a day keeps the alert alive. */
const ALERT_MS = 26 * 3_600_000;
const ADDRESS =
  /(?<![0-9A-Za-z])([1-9A-HJ-NP-Za-km-z]{4})[1-9A-HJ-NP-Za-km-z]{24,36}([1-9A-HJ-NP-Za-km-z]{4})(?![0-9A-Za-z])/g;

/**
 * The request that sends a notice. Its text is sent as plain text, so that nothing in it mentions people, creates links or
 * formats anything.
 */
export function payloadOf(
  type: ChannelType,
  notice: Notice,
  credentials: Credentials,
  wallets: boolean,
): Payload {
  const plain = (text: string) => (wallets ? visible(text) : visible(text).replace(ADDRESS, '$1…$2'));
  const title = cut(plain(`${MARKS[notice.status]} ${notice.title}`), 200);
  const lines = cutLines(notice.lines.map(plain), LIMITS[type] - title.length - 50);
  const text = [title, ...lines].join('\n');
  switch (type) {
    case 'slack':
      return {
        body: {
          text: title.replace(/[&<>]/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[found] ?? ''),
          blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
        },
      };
    case 'discord':
      return {
        body: {
          content: `\`\`\`\n${text.replaceAll('`', 'ˋ')}\n\`\`\``,
          allowed_mentions: { parse: [] },
          flags: 4,
        },
      };
    case 'telegram':
      return {
        path: `/bot${credentials.token}/sendMessage`,
        body: {
          chat_id: credentials.chat,
          text,
          // As code: in other text, Telegram creates links and mentions by itself.
          entities: [{ type: 'pre', offset: 0, length: text.length }],
          link_preview_options: { is_disabled: true },
        },
      };
    case 'webhook':
      return signed(
        {
          event: notice.event,
          status: notice.status,
          title,
          lines,
          command: notice.command,
          labels: notice.labels,
          at: iso(notice.at),
        },
        notice.at,
        credentials,
      );
    case 'alertmanager': {
      const alert = (event: string, over: boolean) => ({
        labels: { alertname: `tradeform-${event}`, command: notice.command, ...notice.labels },
        annotations: over ? {} : { summary: title, description: lines.join('\n') },
        startsAt: iso(notice.at),
        endsAt: iso(over ? notice.at : notice.at + ALERT_MS),
      });
      const firing = notice.status === 'firing' ? [alert(notice.event, false)] : [];
      return {
        path: '/api/v2/alerts',
        body: [...firing, ...(notice.over ?? []).map((event) => alert(event, true))],
      };
    }
  }
}

const MARKS = { firing: '✖', resolved: '✔ resolved:', done: '✔' } as const;

/** The receiver computes the same HMAC over `TIMESTAMP.BODY`, and refuses old timestamps. */
function signed(body: unknown, at: number, { secret }: Credentials): Payload {
  if (secret === undefined) return { body };
  const timestamp = String(Math.floor(at / 1_000));
  const hmac = createHmac('sha256', secret)
    .update(`${timestamp}.${JSON.stringify(body)}`)
    .digest('hex');
  return { headers: { 'x-tradeform-timestamp': timestamp, 'x-tradeform-signature': `sha256=${hmac}` }, body };
}

function cutLines(lines: readonly string[], characters: number): readonly string[] {
  const kept: string[] = [];
  let left = characters;
  for (const line of lines.slice(0, MOST_LINES)) {
    const short = cut(line, 300);
    left -= short.length + 1;
    if (left < 0) break;
    kept.push(short);
  }
  return kept.length === lines.length ? kept : [...kept, `… and ${lines.length - kept.length} more`];
}

/** Never cuts through the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
