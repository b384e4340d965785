/** What is played: each scene has a name and acts on its stage. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { SEED } from '../../examples/demo/account.mjs';
import { BASE_URL } from './virtual.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const [BASE, CASES] = ['base', 'cases'].map((folder) => join(ROOT, 'test/manifest', folder));
const SANDBOX = JSON.parse(readFileSync(join(ROOT, 'schemas/sandbox.schema.json'), 'utf8'));
const DESKS = Array.from({ length: 12 }, (_item, index) => `desk-${String(index + 1).padStart(2, '0')}`);

/**
 * Lines of command lines between `;`. Before one, `*` plays it in every format, `%` in those of the switch, and `+` writes its result
 * in every format too. What begins with `@` is an act of {@link ACTS}.
 */
const USAGE = `; --help; --version; help plan; plan --targt x; plan --target nothing; plan -C none; plan -o xml; frobnicate
validate --project none.yaml; apply; apply none.plan; apply --expect 12; apply --only change; drift --ignore nothing
pause; pause --kind nothing; resume --all; release; rollback none; fleet plan; fleet nothing; report none.json
plan --help; apply --help; status --help; drift --help; pause --help; resume --help; release --help; fleet --help; init --help
explain; explain buy_amount; explain sniper.config.buy_amount; explain held; explain stale-plan; explain --codes; explain nothing
schema; schema SniperTask; schema SnipperTask; completion bash; completion csh; doctor; doctor -o json; fmt --check -o json
export; export -o json; export --presets --grouped; export --only unmanaged --out found; render --origin; render -o json
init desk --ci github; init other --ci gitlab -o json; init live --from-live --ci none; status --sort sol; status --held
status --kind sniper --running; __complete -- plan --target s; plan -o json --frobnicate; plan -o sarif --frobnicate`;
const OFFLINE = '* validate; render -o json; fmt --check';
const SWITCH = `% pause --all --dry-run; % pause --all; % status; % plan; % resume --all --dry-run
% resume --all --auto-approve --as-stored; % pause --all; % resume --all --held --auto-approve`;
const COURSE = `* validate; render; * plan; plan --detailed-exitcode -v; plan -o markdown --max-bytes 4000
apply --auto-approve; + apply --auto-approve --first-apply; plan -o json
+ apply --auto-approve --expect DIGEST; plan --detailed-exitcode
@meddle; * drift; % status; status -o html; apply --only pending --auto-approve; * plan --detailed-exitcode; + apply --auto-approve
@change; plan --base HEAD~1 -o markdown; render --diff HEAD~1; plan --out saved.plan; @meddle; drift; apply saved.plan
apply --only pending --auto-approve -o json; plan --out saved.plan; + apply saved.plan
rollback HEAD~1 --auto-approve -o json; ${SWITCH}
pause --kind sniper --include-unmanaged; resume --kind sniper --auto-approve; apply --resume-stopped --auto-approve
@remove; * plan; + apply --auto-approve --allow-empty; export; release --id 5e0c1d2a-0000-4000-8000-0000000000aa --auto-approve -o json; plan`;
const CHOICE = `apply --auto-approve --first-apply -o json; @meddle; drift -o json; @change; apply --auto-approve -o json
pause --all -o json; resume --all --auto-approve --as-stored -o json; plan`;
const LOST = `@fault; apply --auto-approve --first-apply; @fault; apply --auto-approve -o json; @fault; % pause --all
@fault; % resume --all --auto-approve --as-stored; @well; + apply --auto-approve; plan`;
const FLEET = `fleet plan; @confirm; * fleet plan; fleet plan --out plans; fleet apply --auto-approve --first-apply --gate false
+ fleet apply --auto-approve --first-apply; @meddle; * fleet drift; @rotate; % fleet status; % fleet pause --all
% fleet resume --all --auto-approve; % fleet validate; % fleet matrix; fleet plan --shard 1/3 --select desk-0*
pause --all --all-environments --base-url ${BASE_URL} -C desk`;

/** Name, script and world of each scene. */
export function* scenes() {
  const demo = { ...worldOf('quickstart', ''), seed: SEED };
  yield ['usage', USAGE, { ...demo, bare: true }];
  yield ['demo', COURSE, demo];
  for (const name of readdirSync(CASES).filter((one) => existsSync(join(CASES, one, 'expected.txt')))) {
    const whole = existsSync(join(CASES, name, 'tradeform.yaml'));
    yield [`cases/${name}`, OFFLINE, { from: join(CASES, name), ...(whole ? {} : { over: BASE }) }];
  }
  for (const file of readdirSync(EXAMPLES, { recursive: true }).sort()) {
    if (basename(file) !== 'tradeform.yaml') continue;
    const { environments = { '': {} } } = parse(readFileSync(join(EXAMPLES, file), 'utf8')).spec ?? {};
    for (const one of Object.keys(environments).slice(0, 2))
      yield [`examples/${dirname(file)}@${one}`, COURSE, worldOf(dirname(file), one)];
  }
  for (const [name, choice] of Object.entries(SANDBOX.definitions.choices.properties))
    for (const value of choice.enum.slice(1))
      yield [`choices/${name}=${value}`, CHOICE, { ...demo, choice: `${name}=${value}` }];
  for (let skip = 0; skip < 30; skip += 2) {
    for (const when of ['before', 'after'])
      yield [`lost/${when}-${skip}`, LOST, { ...demo, fault: { type: 'drop', when }, skip }];
    yield [`lost/status-${skip}`, LOST, { ...demo, fault: { type: 'status', status: 503 }, skip }];
  }
  const accounts = DESKS.map((name) => ({ id: name, login_username: name, tokens: [{}] }));
  yield ['fleet', FLEET, { from: join(EXAMPLES, 'fleet-of-accounts'), project: 'desk', seed: { accounts } }];
}

/** The files, variables and account of an example, under the login that the environment pins. */
function worldOf(example, environment) {
  const from = join(EXAMPLES, example);
  const textOf = (name) => (existsSync(join(from, name)) ? readFileSync(join(from, name), 'utf8') : '');
  const { metadata, spec = {} } = parse(textOf('tradeform.yaml'));
  const { accounts = [{}] } = parse(textOf('account.yaml')) ?? {};
  const { login_username } = { ...spec.account, ...spec.environments?.[environment]?.account };
  const variables = [...textOf('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair);
  const env = { ...Object.fromEntries(variables), TRADEFORM_ENVIRONMENT: environment };
  return { from, project: metadata.name, seed: { accounts: [{ login_username, ...accounts[0] }] }, env };
}

/** What happens between two command lines. */
export const ACTS = {
  /** A person stops the first running task, changes the second, and renames the third; nothing where there are none. */
  async meddle(stage) {
    const tasks = [...(await stage.person.tasks()).values()].filter((task) => task.is_active);
    const [first, second, third] = tasks.sort((one, other) =>
      one.target_wallet < other.target_wallet ? -1 : 1,
    );
    if (first !== undefined) await stage.person.pause(first);
    if (second !== undefined)
      await stage.person.editRunning(second, { ...second.config, selected_dexes: ['pump-fun'] });
    if (third !== undefined)
      await stage.control('POST edit', {
        id: third.id,
        remark: third.remark.replace(/^.*?(?=\[git:|$)/, 'by hand '),
      });
  },
  /** A remark and an amount of each file. */
  change(stage) {
    for (const file of stage.manifests()) {
      const text = stage.read(file).replace(/^( *remark: "?)\w+/m, '$1New');
      stage.write(
        file,
        text.replace(/^( *buy_amount: "?)[\d.]+/m, (_line, before) => `${before}0.03`),
      );
    }
    stage.commit('Other amounts');
  },
  /** The last task has no manifest any more. */
  remove(stage) {
    const isTask = (text) => /^kind: \w+Task$/m.test(text);
    const last = stage.manifests().findLast((file) => isTask(stage.read(file)));
    const documents = stage.read(last).split(/^---\n/m);
    stage.write(last, documents.toSpliced(documents.findLastIndex(isTask), 1).join('---\n'));
    stage.commit('One task less');
  },
  /** Two writes meet a fault, after some others. */
  async fault(stage, { fault, skip }) {
    await stage.control('DELETE faults');
    await stage.control('POST faults', { method: 'P(OST|ATCH)', fault, times: 2, skip });
  },
  well: (stage) => stage.control('DELETE faults'),
  confirm(stage) {
    const variables = DESKS.map((name, at) => [
      `TRADEFORM_TOKEN_${name.toUpperCase().replace('-', '_')}`,
      stage.tokens[at],
    ]);
    stage.env = {
      ...Object.fromEntries(variables),
      TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(BASE_URL).origin}`,
    };
  },
  rotate: (stage) => stage.control('POST tokens/rotate', { token_prefix: stage.tokens[2].split('.')[0] }),
};
