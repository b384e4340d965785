import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { folder, projectFiles, type RunningSandbox, startSandbox, tradeform } from './run.ts';

let sandbox: RunningSandbox;
const files = projectFiles();
const project = folder({
  ...files,
  // A replacement waits for a minute otherwise.
  'tradeform.yaml': `${files['tradeform.yaml']}spec: { settle: { replace: 0s } }\n`,
});

const online = (...args: readonly string[]) =>
  tradeform(args, {
    cwd: project.path,
    env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
  });

function write(buy: string): void {
  const text = projectFiles({ buy })['manifests/alpha.yaml'] ?? '';
  writeFileSync(join(project.path, 'manifests/alpha.yaml'), text);
}

beforeAll(async () => {
  sandbox = await startSandbox();
  write('0.75');
  expect(await online('apply', '--auto-approve', '--first-apply', '-q')).toMatchObject({ code: 0 });
});

it('a different plan: one JSON document with both sides', async () => {
  write('1');
  const approved = await online('plan', '-o', 'json');
  writeFileSync(join(project.path, 'approved.json'), approved.stdout);
  write('2');
  const { code, stdout } = await online('apply', 'approved.json', '-o', 'json');
  expect(code).toBe(4);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({
    format: 'tradeform.result/1',
    command: 'apply',
    ok: false,
    exit_code: 4,
    diagnostics: [{ code: 'digest-differs' }],
    expected_digest: JSON.parse(approved.stdout).digest,
    difference: {
      subject: [],
      gone: [],
      added: [],
      different: [
        {
          address: 'sniper/alpha',
          actions: ['update'],
          differences: [
            {
              path: 'config.buy_amount',
              approved: { before: '0.75', after: '1' },
              now: { before: '0.75', after: '2' },
            },
          ],
        },
      ],
    },
  });
  expect(document.digest).not.toBe(document.expected_digest);
});

it('any other refusal also names the digest of the plan', async () => {
  const limits = 'spec: { settle: { replace: 0s }, guardrails: { max_buy_amount: "0.1" } }';
  writeFileSync(join(project.path, 'tradeform.yaml'), `${files['tradeform.yaml']}${limits}\n`);
  write('2');
  const { stdout } = await online('plan', '-o', 'json');
  const { digest } = JSON.parse(stdout) as { digest: string };
  const refused = await online('apply', '--auto-approve', '-o', 'json');
  expect(refused.code).toBe(4);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    diagnostics: [{ code: 'guardrail-max-buy-amount' }],
    digest,
  });
});
