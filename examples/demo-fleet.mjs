/**
 * `npm run demo:fleet`: twelve accounts and one command, over real HTTP with the embedded service on loopback. Every output comes
 * from the real program. Every step is checked, and a failed check ends with 1.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLOR, chapter, command, events, output, passed, tell } from './demo/print.mjs';
import { Service } from './demo/service.mjs';
import { Stage } from './demo/stage.mjs';

/** A safety net for a run that hangs, far above the time that a busy machine takes. */
const late = setTimeout(() => fail(new Error('it took too long')), 600_000);
const NAMES = Array.from({ length: 12 }, (_item, index) => `desk-${String(index + 1).padStart(2, '0')}`);

let stage;
try {
  stage = new Stage('fleet-of-accounts', { accounts: NAMES.map(accountOf) });
  await demo();
} catch (error) {
  fail(error);
}
clearTimeout(late);
stage.clear();

function accountOf(name, index) {
  const token = `svc_live_f1ee7${String(index + 1).padStart(3, '0')}`;
  return { id: name, login_username: name, tokens: [{ token }] };
}

async function demo() {
  const sandbox = await stage.startSandbox();
  const tokens = new Map(sandbox.tokens.map(({ account, token }) => [account, token]));
  stage.edit('fleet.yaml', 'http://127.0.0.1:8787/v1', sandbox.base_url);
  const gate = (healthy) =>
    writeFileSync(join(stage.folder, 'gate.mjs'), `process.exit(${healthy ? 0 : 1});\n`);
  gate(false);

  /** Runs `tradeform fleet`, shows the end of its report, and checks its exit code. */
  async function fleet(args, { code = 0, shown = true } = {}) {
    const env = Object.fromEntries(
      NAMES.map((name) => [`TRADEFORM_TOKEN_${name.toUpperCase().replace('-', '_')}`, tokens.get(name)]),
    );
    const result = await stage.run(['fleet', ...args], { ...env, ...(COLOR ? { CLICOLOR_FORCE: '1' } : {}) });
    const said = `${result.stdout}${result.stderr}`;
    for (const token of tokens.values()) assert(!said.includes(token.split('.')[1]), 'a token was printed');
    assert.equal(
      result.code,
      code,
      `\`tradeform fleet ${args.join(' ')}\` ended with ${result.code}\n${said}`,
    );
    if (shown) {
      command(`tradeform fleet ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}`);
      // The summary is below the details of each account.
      const [summary] = /(?:\x1b\[\d+m)*Fleet [a-z]+ for desks[\s\S]*$/.exec(result.stdout) ?? [''];
      output(summary, { whole: true });
      if (code !== 0) passed(`It ended with exit code ${code}.`);
    }
    return result;
  }

  const report = async (...args) =>
    JSON.parse((await fleet([...args, '-o', 'json', '-q'], { shown: false })).stdout);
  const running = async (name) => {
    const tasks = await new Service(sandbox.base_url, tokens.get(name), 'desk').tasks();
    return [...tasks.values()].filter((task) => task.is_active).length;
  };
  const allRunning = async () => (await Promise.all(NAMES.map(running))).reduce((sum, many) => sum + many);

  chapter(1, 'Twelve accounts, one report');
  tell(
    'fleet.yaml names twelve accounts, the token of each, and the one host that these tokens go to. Each account is planned as tradeform plan would plan it, and nothing of an account reaches another.',
  );
  await fleet(['plan', '-q']);
  passed('The accounts were read and not changed.');
  assert.equal(await allRunning(), 0);

  chapter(2, 'In waves, and a gate that says no');
  tell(
    'The first wave is one account. Before the next one begins, a fresh look must show that it is as its manifests want it, and a command of the operator must agree.',
  );
  await fleet(['apply', '--auto-approve', '-q', '--gate', 'node gate.mjs'], { code: 1 });
  assert.deepEqual([await running('desk-01'), await allRunning()], [1, 1]);
  passed('desk-01 trades. Nobody touched the eleven others, and the report does not call them fine.');

  chapter(3, 'The gate agrees');
  gate(true);
  await fleet(['apply', '--auto-approve', '-q', '--gate', 'node gate.mjs']);
  assert.equal(await allRunning(), 12);
  const second = await report('plan');
  assert.deepEqual([second.exit_code, second.stakes.changes], [0, 0]);
  passed('All twelve trade, and a second plan of all is empty.');

  chapter(4, 'A night passes');
  const person = new Service(sandbox.base_url, tokens.get('desk-07'), 'desk');
  const dawn = await person.task('sniper/dawn');
  await person.editRunning(dawn, { ...dawn.config, buy_amount: '5' });
  const former = tokens.get('desk-03');
  tokens.set('desk-03', await rotate(sandbox.base_url, former));
  const fresh = tokens.get('desk-03');
  tokens.set('desk-03', former);
  events(
    'Somebody raises a buy on desk-07 to 5 SOL.',
    'The token of desk-03 was rotated, and nobody told the fleet.',
  );
  await fleet(['drift', '-q'], { code: 1 });
  passed(
    'The account that could not be looked at stands first. It is not green, whatever the eleven others are.',
  );

  chapter(5, 'Stop everything');
  await fleet(['pause', '--all', '-q'], { code: 1 });
  assert.equal(await running('desk-07'), 0);
  tokens.set('desk-03', fresh);
  assert.equal(await allRunning(), 1);
  passed('Eleven accounts are off, and the report names the one that is not: its token was refused.');
  await fleet(['pause', '--all', '-q', '--select', 'desk-03']);
  assert.equal(await allRunning(), 0);
  passed('With the new token, all twelve are off.');
}

async function rotate(baseUrl, token) {
  const response = await fetch(`${new URL(baseUrl).origin}/_sandbox/tokens/rotate`, {
    method: 'POST',
    body: JSON.stringify({ token_prefix: token.split('.')[0] }),
  });
  return (await response.json()).token;
}

function fail(error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
