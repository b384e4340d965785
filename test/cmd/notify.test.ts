import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fleetKind } from '../../src/core/documents/fleet.ts';
import { DRIFT_FORMAT } from '../../src/core/model/generated/drift.ts';
import type { FleetReport } from '../../src/core/model/generated/fleet-report.ts';
import { payloadOf } from '../../src/kit/notify/channels.ts';
import { situationOf } from '../../src/kit/notify/situation.ts';
import {
  CANARY,
  folder,
  projectFiles,
  type Ran,
  type RunningSandbox,
  readText,
  startSandbox,
  tradeform,
} from './run.ts';

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const SECRETS = { CHAT_URL: '', BOT: '12345:canary-bot-token', KEY: 'canary-key-0123456789' };
let sandbox: RunningSandbox;
let project: ReturnType<typeof folder>;
let settings: ReturnType<typeof folder>;
let chat: Server;
let origin: string;
let answer = 200;
const received: Received[] = [];

beforeAll(async () => {
  chat = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(answer, { location: 'http://127.0.0.1:9/elsewhere' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(chat.address() as AddressInfo).port}`;
  SECRETS.CHAT_URL = `${origin}/hooks/canary-path`;
});
afterAll(() => {
  chat.closeAllConnections();
  chat.close();
});

/** An account and a project that was applied, for each test. */
function withProject(): void {
  beforeEach(async () => {
    answer = 200;
    project = folder(projectFiles());
    settings = folder({});
    sandbox = await startSandbox();
    write('    desk: { type: webhook, url_env: CHAT_URL, secret_env: KEY }\n');
    expect(await run(['apply', '--auto-approve', '--first-apply'])).toMatchObject({ code: 0 });
    received.length = 0;
  });
  afterEach(() => vi.useRealTimers());
}

function write(channels: string, memory = '  memory: notified.json\n'): void {
  writeFileSync(
    join(settings.path, 'notifications.yaml'),
    `apiVersion: tradeform/v1\nkind: Notifications\nmetadata: { name: desk }\nspec:\n${memory}  channels:\n${channels}`,
  );
}

function edit(buy: string): void {
  writeFileSync(
    join(project.path, 'manifests/alpha.yaml'),
    projectFiles({ buy })['manifests/alpha.yaml'] ?? '',
  );
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const own = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: CANARY, ...SECRETS };
  const file = join(settings.path, 'notifications.yaml');
  return tradeform(args, { cwd: project.path, env: { ...own, TRADEFORM_NOTIFICATIONS: file, ...env } });
}

const drift = (env = {}) => run(['drift', '--notify', 'desk'], env);
/** Status, event and lines of the webhooks since the last call. */
function told(): readonly string[] {
  return received.splice(0).map(({ body }) => {
    const { status, event, lines } = JSON.parse(body);
    return [status, event, ...lines].join(' ');
  });
}

const HIGH =
  'firing exposure 0.5015 SOL at stake, more than 0.5. To see what trades: `tradeform status`. To stop it: `tradeform pause --all`.';

describe('one message for each situation', () => {
  withProject();

  it('drift: when it appears, when it changes, a reminder after a day, and when it ends', async () => {
    expect(await drift()).toMatchObject({ code: 0 });
    expect(told()).toEqual([]);
    edit('0.7');
    expect(await drift()).toMatchObject({ code: 2 });
    expect(told()).toEqual([
      'firing drift unknown: sniper/alpha: amount 0.5 → 0.7 SOL ×1.4, 0.5015 → 0.7015 SOL at stake. Undo: `tradeform apply --target sniper/alpha` (raises it). Keep: `tradeform export --out . sniper/alpha`, then commit.',
    ]);
    expect(await drift()).toMatchObject({ code: 2 });
    expect(told()).toEqual([]);
    edit('0.8');
    await drift();
    expect(told()).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 23 * 3_600_000 });
    await drift();
    expect(told()).toEqual([]);
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    await drift();
    expect(told()).toHaveLength(1);
    vi.useRealTimers();
    edit('0.5');
    expect(await drift()).toMatchObject({ code: 0 });
    expect(told()).toEqual(['resolved drift']);
    await drift();
    expect(told()).toEqual([]);
  });

  it('a task that somebody stopped has its stake', async () => {
    const headers = { authorization: `Bearer ${CANARY}` };
    const all = `${sandbox.baseUrl}/sniper/configs`;
    const { items } = JSON.parse(await (await fetch(all, { headers })).text()).data;
    const [{ id, version }] = items;
    const pause = { method: 'POST', headers: { ...headers, 'if-match': `"v${version}"` } };
    expect((await fetch(`${all}/${id}/pause`, pause)).status).toBe(200);
    await drift();
    expect(told()).toEqual([
      'firing drift stopped: sniper/alpha: state active → paused, 0 SOL at stake. Undo: `tradeform resume sniper/alpha`. Keep: `state: paused` in git.',
    ]);
  });

  it('a failed run is a situation until a run of the same command succeeds; other commands change nothing', async () => {
    const wrong = { TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' };
    expect(await drift(wrong)).toMatchObject({ code: 1 });
    const [first = '', ...more] = told();
    expect(first).toContain('firing failed service-error: reading the account: invalid_api_token');
    expect(more).toEqual([]);
    await drift(wrong);
    await run(['plan', '--notify', 'desk']);
    expect(told()).toEqual([]);
    await drift();
    expect(told()).toEqual(['resolved failed']);
  });

  it('an apply with changes is reported each time, one without changes is not', async () => {
    edit('0.7');
    const apply = () => run(['apply', '--auto-approve', '--notify', 'desk']);
    expect(await apply()).toMatchObject({ code: 0 });
    expect(told()).toEqual(['done applied']);
    expect(await apply()).toMatchObject({ code: 0 });
    expect(told()).toEqual([]);
  });

  it('exposure above the limit of the channel, until it falls below', async () => {
    write('    desk: { type: webhook, url_env: CHAT_URL, exposure_above: "0.5" }\n');
    expect(await drift()).toMatchObject({ code: 0 });
    expect(told()).toEqual([HIGH]);
    write('    desk: { type: webhook, url_env: CHAT_URL, exposure_above: "0.6" }\n');
    await drift();
    expect(told()).toEqual(['resolved exposure 0.5015 SOL at stake.']);
  });

  it('without memory each run sends its message, and says so', async () => {
    write('    desk: { type: webhook, url_env: CHAT_URL }\n', '');
    edit('0.7');
    for (const _ of [1, 2]) {
      const { code, stderr } = await drift();
      expect(code).toBe(2);
      expect(stderr).toContain('notify-without-memory');
      expect(told()).toHaveLength(1);
    }
  });

  it('exposure is reported beside drift, and ends separately', async () => {
    write('    desk: { type: webhook, url_env: CHAT_URL, exposure_above: "0.5", events: [exposure] }\n');
    edit('0.7');
    expect(await drift()).toMatchObject({ code: 2 });
    expect(told()).toEqual([HIGH]);
    expect(await drift({ TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' })).toMatchObject({ code: 1 });
    expect(told()).toEqual([]);
    write('    desk: { type: webhook, url_env: CHAT_URL, exposure_above: "0.6", events: [exposure] }\n');
    await drift();
    expect(told()).toEqual(['resolved exposure 0.5015 SOL at stake.']);
  });

  it.each([[['--target', 'label/high-risk']], [['--ignore', 'changed']], [['-e', 'other']]])(
    'a run with %s resolves nothing of the whole',
    async (args) => {
      writeFileSync(
        join(project.path, 'tradeform.yaml'),
        `${projectFiles()['tradeform.yaml']}spec: { environments: { prod: {}, other: {} } }\n`,
      );
      edit('0.7');
      expect(await run(['drift', '-e', 'prod', '--notify', 'desk'])).toMatchObject({ code: 2 });
      expect(told()).toHaveLength(1);
      await run(['drift', ...(args[0] === '-e' ? [] : ['-e', 'prod']), ...args, '--notify', 'desk']);
      expect(told().filter((text) => text.startsWith('resolved'))).toEqual([]);
    },
  );

  it("two runs with one memory keep each other's entries", async () => {
    const other = folder({ ...projectFiles() });
    edit('0.7');
    answer = 200;
    const slow = drift();
    const failed = tradeform(['drift', '--notify', 'desk'], {
      cwd: other.path,
      env: {
        ...SECRETS,
        TRADEFORM_BASE_URL: sandbox.baseUrl,
        TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another',
        TRADEFORM_NOTIFICATIONS: join(settings.path, 'notifications.yaml'),
      },
    });
    await Promise.all([slow, failed]);
    expect(Object.keys(JSON.parse(readText(settings.path, 'notified.json')).told)).toHaveLength(2);
  });

  it('a metrics file that cannot be written is also a failure in the message', async () => {
    expect(await run(['drift', '--notify', 'desk', '--metrics', 'none/x.prom'])).toMatchObject({ code: 3 });
    expect(told()).toEqual([expect.stringContaining('firing failed')]);
  });

  it('tasks left paused stay that event while runs fail, until one succeeds', async () => {
    const wrong = { TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' };
    await drift(wrong);
    const file = join(settings.path, 'notified.json');
    writeFileSync(
      file,
      readText(file)
        .replace('"failed"', '"left-paused"')
        .replace(/"identity": "\w+"/, '"identity": "x"'),
    );
    write('    desk: { type: webhook, url_env: CHAT_URL, events: [left-paused] }\n');
    told();
    await drift(wrong);
    expect(told()).toEqual([expect.stringContaining('firing left-paused')]);
    await drift();
    expect(told()).toEqual(['resolved left-paused']);
  });

  it('a failure names its project', async () => {
    await drift({ TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' });
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({
      title: '✖ core: drift failed (exit code 1)',
      labels: { project: 'core' },
    });
  });

  it('Alertmanager receives every event, firing or ended, with the same labels', async () => {
    write('    desk: { type: alertmanager, url_env: CHAT_URL }\n', '');
    const alerts = () =>
      received
        .splice(0)
        .flatMap(({ body }) =>
          (JSON.parse(body) as { labels: Record<string, string>; startsAt: string; endsAt: string }[]).map(
            ({ labels, startsAt, endsAt }) =>
              `${labels.alertname} ${labels.project} ${startsAt < endsAt ? 'fires' : 'over'}`,
          ),
        );
    const all = (firing: string) =>
      ['drift', 'failed', 'refused', 'left-paused']
        .map((event) => `tradeform-${event} core ${event === firing ? 'fires' : 'over'}`)
        .sort();
    edit('0.7');
    expect((await drift()).stderr).not.toContain('notify-without-memory');
    expect(alerts().sort()).toEqual(all('drift'));
    await drift({ TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' });
    expect(alerts().sort()).toEqual(all('failed'));
    edit('0.5');
    await drift();
    expect(alerts().sort()).toEqual(all(''));
  });

  it('an alert of a part, or of a fleet with an invalid file, is separate from that of the whole and ends by itself', async () => {
    write('    desk: { type: alertmanager, url_env: CHAT_URL }\n', '');
    const labels = async (args: readonly string[]) => {
      await run([...args, '--notify', 'desk']);
      const sent = received
        .splice(0)
        .flatMap(({ body }) => JSON.parse(body) as { labels: Record<string, string> }[]);
      expect(sent).toHaveLength(4);
      return [...new Set(sent.map(({ labels: { alertname: _, ...rest } }) => JSON.stringify(rest)))];
    };
    const whole = await labels(['drift']);
    expect(whole).toEqual(['{"command":"drift","project":"core"}']);
    expect(await labels(['drift', '--target', 'label/high-risk'])).toEqual([
      JSON.stringify({ command: 'drift', project: 'core', part: '[["target",["label/high-risk"]]]' }),
    ]);
    const fleet = (units: string) =>
      `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: all }\nspec: { units: ${units} }\n`;
    const unit = `{ project: ., name: one, base_url: "${sandbox.baseUrl}", token_env: TRADEFORM_TOKEN }`;
    writeFileSync(join(project.path, 'fleet.yaml'), fleet(`[${unit}]`));
    const good = await labels(['fleet', 'drift']);
    writeFileSync(join(project.path, 'fleet.yaml'), fleet(`[${unit}, 7]`));
    expect(await labels(['fleet', 'drift'])).toEqual(good);
    expect(good).toEqual(['{"command":"fleet drift","fleet":"all"}']);
  });

  it('a channel receives only its events', async () => {
    write('    desk: { type: webhook, url_env: CHAT_URL, events: [failed] }\n');
    edit('0.7');
    await drift();
    expect(told()).toEqual([]);
  });

  it.each([500, 302])(
    'an answer of HTTP %i: a warning with the host only, and the next run sends it again',
    async (status) => {
      answer = status;
      edit('0.7');
      const { code, stdout, stderr } = await drift();
      expect(code).toBe(2);
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `no message was sent to desk (${new URL(origin).host}): it answered with HTTP ${status}`,
      );
      expect(stdout + stderr).not.toContain('canary');
      expect(told()).toHaveLength(1);
      answer = 200;
      await drift();
      expect(told()).toHaveLength(1);
    },
  );

  it('a webhook is signed with its time', async () => {
    edit('0.7');
    await drift();
    const [{ headers, body: sent, url }] = received as [Received];
    const timestamp = headers['x-tradeform-timestamp'];
    const hmac = createHmac('sha256', SECRETS.KEY).update(`${timestamp}.${sent}`).digest('hex');
    expect(headers['x-tradeform-signature']).toBe(`sha256=${hmac}`);
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(120);
    expect(url).toBe('/hooks/canary-path');
    expect(JSON.parse(sent)).toMatchObject({
      event: 'drift',
      status: 'firing',
      title: '✖ core · whales: drift: the service differs from git',
      labels: { project: 'core' },
      command: 'drift',
    });
    expect(JSON.stringify(received)).not.toContain(CANARY.split('.')[1]);
  });

  it.each(['{"a', '{"name":"a package"}'])(
    'a memory that is none (%s) is told, left as it is, and the message is sent',
    async (text) => {
      writeFileSync(join(settings.path, 'notified.json'), text);
      edit('0.7');
      const { code, stderr } = await drift();
      expect(code).toBe(2);
      expect(stderr).toContain('cannot be read');
      expect(told()).toHaveLength(1);
      expect(readText(settings.path, 'notified.json')).toBe(text);
    },
  );
});

describe('the settings', () => {
  withProject();

  const refused = async (says: RegExp, args = ['drift', '--notify', 'desk'], env = {}) => {
    const { code, stdout, stderr } = await run(args, env);
    expect(code, stdout).toBe(3);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(says);
    expect(stdout + stderr).not.toContain('canary');
    expect(received).toEqual([]);
  };

  it.each([
    [
      'a URL of http',
      'desk: { type: slack, url_env: OTHER }',
      /URL of this channel cannot be used: it is http/,
    ],
    ['no URL', 'desk: { type: slack }', /channel has no URL/],
    ['both places', 'desk: { type: slack, url_env: CHAT_URL, url_file: x }', /both url_env and url_file/],
    ['a variable that is not set', 'desk: { type: slack, url_env: NONE }', /the variable NONE is not set/],
    ['a file that is not there', 'desk: { type: slack, url_file: none.txt }', /none\.txt cannot be read/],
    ['a bot without a token and a chat', 'desk: { type: telegram }', /has no token.* has no chat/],
    [
      'a short key',
      'desk: { type: webhook, url_env: CHAT_URL, secret_env: SHORT }',
      /key of this channel is too short/,
    ],
    ['an unknown type', 'desk: { type: pager, url_env: CHAT_URL }', /type/],
    ['a URL in the file', 'desk: { type: slack, url: "https://x" }', /unknown field|url/],
  ])('%s is refused with its place, and nothing is sent', async (_, channel, says) => {
    write(`    ${channel}\n`);
    const env = { OTHER: 'http://chat.example/x', SHORT: 'desk' };
    await refused(says, undefined, env);
    await refused(/notifications\.yaml:\d+:\d+/, undefined, env);
  });

  it('an unknown channel is refused, with a similar name', async () => {
    await refused(/--notify dsk names no channel.*desk/, ['drift', '--notify', 'dsk']);
  });

  it('a file in the repository is refused: a pull request could change it', async () => {
    writeFileSync(join(project.path, 'notifications.yaml'), readText(settings.path, 'notifications.yaml'));
    await refused(/a pull request can change it/, undefined, {
      TRADEFORM_NOTIFICATIONS: 'notifications.yaml',
    });
    const file = join(project.path, 'notifications.yaml');
    await refused(/a pull request can change it/, undefined, { TRADEFORM_NOTIFICATIONS: file });
    // From another folder, by the project file.
    const elsewhere = folder({});
    const args = [
      '-C',
      elsewhere.path,
      'drift',
      '--project',
      join(project.path, 'tradeform.yaml'),
      '--notify',
      'desk',
    ];
    await refused(/a pull request can change it/, args, { TRADEFORM_NOTIFICATIONS: file });
  });

  it("the user's own file is the default, unless others can write to it", async () => {
    const home = folder({ 'tradeform/notifications.yaml': readText(settings.path, 'notifications.yaml') });
    const env = { TRADEFORM_NOTIFICATIONS: '', XDG_CONFIG_HOME: home.path };
    edit('0.7');
    expect(await drift(env)).toMatchObject({ code: 2 });
    expect(told()).toHaveLength(1);
    expect(existsSync(join(home.path, 'tradeform/notified.json'))).toBe(true);
    chmodSync(join(home.path, 'tradeform/notifications.yaml'), 0o666);
    await refused(/project-not-yours/, undefined, env);
  });

  it('a working directory without a project or repository is no obstacle', async () => {
    edit('0.7');
    const args = [
      '-C',
      settings.path,
      'drift',
      '--project',
      join(project.path, 'tradeform.yaml'),
      '--notify',
      'desk',
    ];
    expect(await run(args)).toMatchObject({ code: 2 });
    expect(told()).toHaveLength(1);
  });

  it('is no manifest', async () => {
    writeFileSync(
      join(project.path, 'manifests/notifications.yaml'),
      readText(settings.path, 'notifications.yaml'),
    );
    const { code, stderr } = await run(['validate']);
    expect(code).toBe(3);
    expect(stderr.replace(/\s+/g, ' ')).toContain('only allowed in a file of the operator');
  });
});

describe('the payload', () => {
  const HOSTILE = '<!channel> @everyone [x](http://evil.example) `code` ```\nnext \u202eback & *bold*';
  const notice = {
    event: 'drift',
    status: 'firing',
    title: `core · production: ${HOSTILE}`,
    lines: [`changed: ${WALLET}`, HOSTILE],
    command: 'drift',
    labels: { project: 'core' },
    at: Date.parse('2026-11-23T01:02:03Z'),
  } as const;
  const body = (type: Parameters<typeof payloadOf>[0], wallets = false) =>
    payloadOf(type, notice, { token: 'T', chat: '-100' }, wallets).body as never;

  it('Slack: plain text, with no mentions in the fallback', () => {
    const { text, blocks } = body('slack') as {
      text: string;
      blocks: { text: { type: string; text: string } }[];
    };
    expect(text).toContain('&lt;!channel&gt;');
    expect(blocks.map((block) => block.text.type)).toEqual(['plain_text']);
    expect(blocks[0]?.text.text.split('\n')).toHaveLength(3);
    expect(blocks[0]?.text.text).not.toMatch(/\u202e/);
  });

  it('Discord: a code block that the text cannot end, and no mentions', () => {
    const { content, ...rest } = body('discord') as { content: string };
    expect(content.slice(3, -3)).not.toContain('`');
    expect(rest).toEqual({ allowed_mentions: { parse: [] }, flags: 4 });
  });

  it('Telegram: the whole text as code, to the chat of the channel', () => {
    expect(payloadOf('telegram', notice, { token: 'T', chat: '-100' }, false).path).toBe('/botT/sendMessage');
    const { text, ...rest } = body('telegram') as { text: string };
    expect(rest).toEqual({
      chat_id: '-100',
      entities: [{ type: 'pre', offset: 0, length: text.length }],
      link_preview_options: { is_disabled: true },
    });
  });

  it('Alertmanager: an alert that expires by itself, or ends at once when the situation is over', () => {
    const of = (status: 'firing' | 'resolved') =>
      payloadOf(
        'alertmanager',
        { ...notice, title: 'core', lines: [], status, over: status === 'firing' ? [] : ['drift'] },
        {},
        false,
      );
    expect(of('firing')).toEqual({
      path: '/api/v2/alerts',
      body: [
        {
          labels: { alertname: 'tradeform-drift', command: 'drift', project: 'core' },
          annotations: { summary: '✖ core', description: '' },
          startsAt: '2026-11-23T01:02:03.000Z',
          endsAt: '2026-11-24T03:02:03.000Z',
        },
      ],
    });
    expect(of('resolved').body).toMatchObject([{ endsAt: '2026-11-23T01:02:03.000Z' }]);
  });

  it.each(['slack', 'discord', 'telegram', 'webhook', 'alertmanager'] as const)(
    '%s: wallets in full only where that is asked for, and not more than it takes',
    (type) => {
      expect(JSON.stringify(body(type))).not.toContain(WALLET);
      expect(JSON.stringify(body(type))).toContain('7xKX…gAsU');
      expect(JSON.stringify(body(type, true))).toContain(WALLET);
      const many = { ...notice, lines: Array.from({ length: 500 }, () => '😀'.repeat(400)) };
      const long = JSON.stringify(payloadOf(type, many, {}, false).body);
      expect(long).toMatch(/… and \d+ more/);
      const text = { slack: 3_000, discord: 2_000, telegram: 4_096, webhook: 60_000, alertmanager: 5_000 }[
        type
      ];
      const longest = Math.max(...long.split('"').map((part) => part.length));
      expect(longest).toBeLessThanOrEqual(text + 200);
      expect(Buffer.from(long).toString()).toBe(long);
    },
  );

  it('for a fleet, another field that differs in one account is a new situation', async () => {
    const fleet = async (after: string) => {
      const items = [
        {
          ...{ class: 'changed', address: 'sniper/a', fails: true, refused: [] },
          fields: [{ path: 'x', before: '1', after }],
          exposure: { before: '9.1', after: '0.6' },
        },
      ];
      const place = { folder: 'a/eu-1', environment: 'eu' };
      const drift = { ...place, format: DRIFT_FORMAT, items, diagnostics: [], exposure: { live: '1' } };
      const unit = { name: 'eu-1', result: 'differs', exit_code: 2, document: drift, diagnostics: [] };
      const report = { units: [{ ...unit, ...place, stakes: null }], stakes: {} } as unknown as FleetReport;
      const notice = (await fleetKind.notice?.(report)) ?? {};
      return situationOf(notice, { command: 'fleet drift', exitCode: 2, name: 'desk' });
    };
    const one = await fleet('2');
    expect(one).toMatchObject({
      event: 'drift',
      lines: [
        'eu-1: changed: sniper/a: x 2 → 1, 0.6 → 9.1 SOL at stake. Undo: `tradeform apply -C a/eu-1 -e eu --target sniper/a`. Keep: `tradeform export -C a/eu-1 -e eu --out . sniper/a`, then commit.',
      ],
    });
    expect((await fleet('2')).identity).toBe(one.identity);
    expect((await fleet('3')).identity).not.toBe(one.identity);
  });

  it('tasks left paused have priority over all other events', () => {
    const notice = {
      leftPaused: ['sniper/alpha'],
      problems: [{ text: 'failed: sniper/beta', identity: ['failed', 'sniper/beta'] }],
    };
    expect(situationOf(notice, { command: 'apply', exitCode: 1, name: '' })).toMatchObject({
      event: 'left-paused',
      lines: ['left paused: sniper/alpha', 'failed: sniper/beta'],
    });
  });
});
