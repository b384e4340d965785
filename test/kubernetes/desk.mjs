// What the pods work on: a repository with a project for each account, the sandbox with these accounts, the fleet file, the tokens.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/tradeform.cjs', import.meta.url));

/** `desk-1` …, each with one running task. */
export async function openDesk(many) {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-desk-'));
  const names = Array.from({ length: many }, (_item, index) => `desk-${index + 1}`);
  const prefixes = names.map((_name, index) => `svc_live_de5c${String(index + 1).padStart(4, '0')}`);
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const author = ['-c', 'user.name=Desk', '-c', 'user.email=desk@example.invalid'];
  const git = (...args) => execFileSync('git', ['-C', repository, ...author, ...args]);
  /** Commits manifests with amounts of `whole`.1, `whole`.2 … SOL. */
  const raise = (whole) => {
    for (const [index, name] of names.entries()) {
      write(join(repository, 'accounts', name, 'tradeform.yaml'), projectOf(name));
      write(join(repository, 'accounts', name, 'manifests/tasks.yaml'), taskOf(`${whole}.${index + 1}`));
    }
    git('add', '.');
    git('commit', '-qm', `Amounts of ${whole}`);
  };
  git('init', '-q', '-b', 'main');
  raise(1);
  const seed = names.map((name, index) => ({
    id: name,
    login_username: name,
    tokens: [{ token: `${prefixes[index]}.desk-secret-${index + 1}` }],
  }));
  write(join(folder, 'seed.json'), JSON.stringify({ accounts: seed }));
  const args = ['sandbox', '--port', '0', '--seed', join(folder, 'seed.json'), '-o', 'json', '--quiet'];
  const service = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(service.stdout.setEncoding('utf8'), 'data');
  const { base_url: baseUrl } = JSON.parse(printed);
  const control = async (method, path, body) => {
    const answer = await fetch(new URL(`/_sandbox/${path}`, baseUrl), { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    names,
    raise,
    repository: `file://${repository}`,
    commit: String(git('rev-parse', 'HEAD')).trim(),
    tokens: Object.fromEntries(seed.map(({ id, tokens }) => [id, tokens[0].token])),
    prefixOf: (name) => prefixes[names.indexOf(name)],
    fleet: `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desks }
spec:
  base_url: ${baseUrl}
  units:
    - { project: /work/repo/accounts/*, token_file: "/run/secrets/tokens/{name}" }
`,
    control,
    /** Each account's tasks. */
    async tasks() {
      const { tasks } = await control('GET', 'state');
      return new Map(
        names.map((name) => [name, Object.values(tasks).filter(({ account }) => account === name)]),
      );
    },
    async close() {
      service.kill();
      await once(service, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function projectOf(account) {
  return `apiVersion: tradeform/v1
kind: Project
metadata: { name: desk }
spec: { environments: { production: { account: { login_username: ${account} } } } }
`;
}

function taskOf(amount) {
  const mode = '{ tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }';
  return `apiVersion: tradeform/v1
kind: SniperTask
metadata: { name: dawn }
spec:
  state: active
  remark: Early launches
  target_wallet: 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU
  config:
    buy_amount: "${amount}"
    relay_mode: ${mode}
    priority_mode: ${mode}
    selected_dexes: [pump-fun]
    dex_source: config
    auto_sell: { enabled: false, expiry_time: "0", tp_orders: [], sl_orders: [], follow_sell: false, proportional_sell: false }
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: "0" }
    timed_strategy: { enabled: false, orders: [] }
`;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
