// What the story works on: the sandbox with an account of one project, and two of a fleet, and a clone of the repository of the manifests.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../dist/tradeform.cjs', import.meta.url));
export const SECRETS = {
  read: 'svc_live_f0a90001.reads-only-canary',
  write: 'svc_live_f0a90002.writes-too-canary',
  'desk-1': 'svc_live_f0a90003.first-desk-canary',
  'desk-2': 'svc_live_f0a90004.second-desk-canary',
};
const READS = ['sniper:read', 'copytrade:read', 'transfersnipe:read'];

export async function startSandbox(folder) {
  const tokens = [{ token: SECRETS.read, scopes: READS }, { token: SECRETS.write }];
  const desks = ['desk-1', 'desk-2'].map((id) => {
    return { id, login_username: id, tokens: [{ token: SECRETS[id] }] };
  });
  const seed = join(folder, 'seed.json');
  writeFileSync(
    seed,
    JSON.stringify({ accounts: [{ id: 'whales', login_username: 'whales', tokens }, ...desks] }),
  );
  const args = ['sandbox', '--port', '0', '--seed', seed, '-o', 'json', '--quiet'];
  const service = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => service.kill());
  const [printed] = await once(service.stdout.setEncoding('utf8'), 'data');
  const { base_url: baseUrl } = JSON.parse(printed);
  const control = async (method, path, body) => {
    const answer = await fetch(new URL(`/_sandbox/${path}`, baseUrl), {
      method,
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const tasks = async () => Object.values((await control('GET', 'state')).tasks);
  return {
    baseUrl,
    control,
    /** The task that carries this name, as `AMOUNT on` or `AMOUNT off`. */
    async live(name) {
      const found = (await tasks()).filter(({ remark }) => remark.includes(`/${name}@`));
      return found.map(({ config, is_active: on }) => `${config.buy_amount} ${on ? 'on' : 'off'}`).join();
    },
    idOf: async (name) => (await tasks()).find(({ remark }) => remark.includes(`/${name}@`))?.id,
    /** How many requests wrote. */
    async writes() {
      const { entries } = await control('GET', 'log');
      return entries.filter(({ method }) => method !== 'GET').length;
    },
    async stop() {
      service.kill();
      await once(service, 'exit');
    },
  };
}

/** A working copy, with its commands of git. */
export function openClone(folder) {
  mkdirSync(folder, { recursive: true });
  const author = [
    '-c',
    'user.name=Desk',
    '-c',
    'user.email=desk@example.invalid',
    '-c',
    'init.defaultBranch=main',
  ];
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const git = (...args) =>
    execFileSync('git', [...author, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  return {
    folder,
    git,
    write(name, text) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    commit(message) {
      git('add', '-A');
      git('commit', '-qm', message);
      return git('rev-parse', 'HEAD');
    },
    tradeform: (...args) =>
      execFileSync(process.execPath, [PROGRAM, ...args], {
        cwd: folder,
        env: { ...env, NO_COLOR: '1', TRADEFORM_TOKEN: SECRETS.read },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}

/** `more`: another environment. */
export function projectOf(baseUrl, more = '') {
  return `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec: { environments: { production: { base_url: "${baseUrl}", account: { login_username: whales } }${more} } }
`;
}

export function taskOf(name, amount, remark = 'Early launches') {
  const mode = '{ tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }';
  return `apiVersion: tradeform/v1
kind: SniperTask
metadata: { name: ${name} }
spec:
  state: active
  remark: ${JSON.stringify(remark)}
  target_wallet: ${WALLETS[name] ?? WALLETS.dawn}
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

const WALLETS = {
  dawn: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  dusk: 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG',
};
