import { maxDecimal } from '../../model/decimal.ts';
import { kindOf } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Role, spotsOf } from '../../plan/guardrails/config-amounts.ts';
import { ENVIRONMENT } from './ci-files.ts';

/** The parameters of a new project. */
interface NewProject {
  readonly name: string;
  /** undefined: the user fills it in later. */
  readonly baseUrl: string | undefined;
  /** The account to pin. */
  readonly login: string | undefined;
  readonly limits: readonly NewLimit[];
  /** Add a label and a paused task as examples. Not if manifests are exported. */
  readonly examples: boolean;
}

const SCHEMA = '.tradeform/manifest.schema.json';
const ADDRESS = 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG';

/** Path → text of every file of a new project, except its editor schema and the CI files. Paths have forward slashes. */
export function newFiles(project: NewProject): ReadonlyMap<string, string> {
  return new Map([
    ['tradeform.yaml', projectFile(project)],
    ...(project.examples ? Object.entries(EXAMPLES) : []),
    ['.gitignore', GITIGNORE],
    ['.vscode/settings.json', EDITOR],
  ]);
}

/** The path of the editor schema. */
export const SCHEMA_FILE = SCHEMA;

/** Lines that a `.gitignore` needs. Missing lines are added to an existing file. */
export const IGNORED: readonly string[] = ['node_modules/', '*.plan', 'plan.json', '.env'];
const GITIGNORE = IGNORED.map((line) => `${line}\n`).join('');

const EDITOR = `${JSON.stringify(
  { 'yaml.schemas': { [SCHEMA]: ['tradeform.yaml', 'manifests/**/*.yaml'] } },
  null,
  2,
)}\n`;

function projectFile({ name, baseUrl, login, limits }: NewProject): string {
  const empty = baseUrl === undefined && login === undefined;
  // As in `tradeform fmt`: a comment after an empty mapping stays beside it.
  const comment = empty ? '    #   ' : '      # ';
  const url =
    baseUrl === undefined
      ? `${comment}base_url: https://HOST/v1               # or TRADEFORM_BASE_URL, or --base-url\n`
      : `      base_url: ${JSON.stringify(baseUrl)}\n`;
  const pin =
    login === undefined
      ? `${comment}account: { login_username: NAME }       # any other account’s token is refused\n`
      : `      account: { login_username: ${JSON.stringify(login)} } # any other account’s token is refused\n`;
  return `# A project of tradeform. \`tradeform explain Project.spec\` lists all fields.
apiVersion: tradeform/v1
kind: Project
metadata:
  name: ${name} # part of the remark of every task
spec:
  environments:
    ${ENVIRONMENT}:${empty ? ' {} # in place of {}, on lines of their own:' : ''}
${url}${pin}  # What a plan may do at most; some limits apply by default (see \`tradeform explain Project.spec.guardrails\`).
  guardrails:
${limits.map(({ guardrail, limit, comment }) => `    ${guardrail}: "${limit}" # ${comment}\n`).join('')}`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'manifests/labels.yaml': `apiVersion: tradeform/v1
kind: Label
metadata:
  name: steady
spec:
  name: Steady # as the web application shows it
  sort_order: 10
`,
  'manifests/snipers/first.yaml': `apiVersion: tradeform/v1
kind: SniperTask
metadata:
  name: first # its address is sniper/first
spec:
  state: paused # active: it trades
  remark: An example, change me
  label: steady
  target_wallet: ${ADDRESS}
  config:
    buy_amount: "0.01" # SOL
    relay_mode: { tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }
    priority_mode: { tip_amount: "0.001", priority_fee: "0.001", slippage: "15" }
    selected_dexes: [pump-fun]
    dex_source: config
    auto_sell:
      enabled: false
      expiry_time: "0"
      tp_orders: []
      sl_orders: []
      follow_sell: false
      proportional_sell: false
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: "0" }
    timed_strategy: { enabled: false, orders: [] }
`,
};

/** A guardrail of a new project file. */
interface NewLimit {
  readonly guardrail: string;
  readonly limit: string;
  /** The comment beside it. */
  readonly comment: string;
}

export const USUAL_LIMITS: readonly NewLimit[] = [
  { guardrail: 'max_buy_amount', limit: '1', comment: 'SOL' },
  { guardrail: 'max_slippage', limit: '30', comment: 'percent' },
];

const LIVE: readonly { readonly role: Role; readonly comment: string }[] = [
  { role: 'buy_amount', comment: 'SOL: the largest live buy' },
  { role: 'tip', comment: 'SOL: the highest live tip or bundle amount' },
  { role: 'priority_fee', comment: 'SOL: the highest live fee' },
  { role: 'slippage', comment: 'percent: the highest live value' },
];

/**
 * The highest amount of each role that counts in a task, running or paused, except in tasks of other projects. A role with 0 is
 * left out. Without any amount, the usual limits.
 */
export function liveLimits(tasks: readonly LiveTask[], project: string): readonly NewLimit[] {
  const spots = tasks
    .filter((task) => (markerOf(task)?.project ?? project) === project)
    .flatMap(({ collection, config }) => spotsOf(kindOf(collection).config, config))
    .filter(({ awake }) => awake);
  const limits = LIVE.map(({ role, comment }) => ({
    guardrail: `max_${role}`,
    limit: maxDecimal(spots.flatMap((spot) => (spot.role === role ? [spot.value] : []))),
    comment,
  })).filter(({ limit }) => limit !== '0');
  return limits.length === 0 ? USUAL_LIMITS : limits;
}
