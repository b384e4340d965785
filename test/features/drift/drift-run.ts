import { type DriftOptions, runDrift } from '../../../src/core/features/drift/drift.ts';
import type { DriftClass, DriftItem, DriftReport } from '../../../src/core/model/generated/drift.ts';
import type { Method } from '../../../src/core/ports/transport.ts';
import { createSandboxTransport } from '../../support/sandbox-transport.ts';
import type { Result } from '../in-memory.ts';
import { openProject, type ProjectRun, type ProjectSource } from '../project-run.ts';

export const PROJECT = 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n';
/** Addresses without a twin among them. */
const TARGETS = [
  '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
  '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
] as const;

export interface TaskText {
  readonly buy?: string;
  readonly state?: 'active' | 'paused' | 'manual';
  readonly remark?: string;
  /** Further lines of `metadata` and `spec`, as flow or block text indented by two. */
  readonly metadata?: string;
  readonly spec?: string;
  readonly target?: 0 | 1;
  readonly buyOnce?: boolean;
}

/** A sniper manifest. */
export function task(name: string, text: TaskText = {}): string {
  const { buy = '0.5', state = 'active', remark = `Note of ${name}`, metadata = '', spec = '' } = text;
  return `apiVersion: tradeform/v1
kind: SniperTask
metadata:
  name: ${name}
${metadata}spec:
  state: ${state}
  remark: ${remark}
${spec}  target_wallet: ${TARGETS[text.target ?? 0]}
  config:
    buy_amount: ${buy}
    buy_once: ${text.buyOnce === true}
    relay_mode: { tip_amount: 0.001, priority_fee: 0.0005, slippage: 15 }
    priority_mode: { tip_amount: 0.001, priority_fee: 0.0005, slippage: 15 }
    selected_dexes: [pump-fun, launchlab]
    dex_source: config
    auto_sell: { enabled: false, expiry_time: 0, tp_orders: [], sl_orders: [], follow_sell: false, proportional_sell: false }
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: 0 }
    timed_strategy: { enabled: false, orders: [] }
`;
}

/** A project without manifests, and a service with people at it. */
export interface DriftRun extends ProjectRun {
  /** Writes manifests by their names; null takes one away. */
  manifests(files: Readonly<Record<string, string | null>>): void;
  drift(options?: DriftOptions, env?: Readonly<Record<string, string>>): Promise<Result>;
  /** The same as JSON; fails where the command did. */
  report(options?: DriftOptions): Promise<DriftReport & { readonly code: number }>;
  call(method: Method, path: string, body?: object, version?: number): Promise<{ readonly id: string }>;
}

export async function openDrift(source: ProjectSource = {}): Promise<DriftRun> {
  const project = await openProject({ files: { 'tradeform.yaml': PROJECT }, ...source });
  const { sandbox } = project;
  const transport = createSandboxTransport(sandbox, project.env.TRADEFORM_TOKEN);
  const drift: DriftRun['drift'] = (options = {}, env = {}) =>
    project.run((io) => runDrift(options, io), { env: { ...project.env, ...env } });
  return {
    ...project,
    manifests(files) {
      for (const [name, text] of Object.entries(files)) {
        if (text === null) project.erase(`manifests/${name}.yaml`);
        else project.write(`manifests/${name}.yaml`, text);
      }
    },
    drift,
    async report(options = {}) {
      const { code, stdout, diagnostics } = await drift({ ...options, output: 'json' });
      if (stdout === '') throw new Error(`drift ended with ${code}: ${JSON.stringify(diagnostics)}`);
      return { ...(JSON.parse(stdout) as DriftReport), code };
    },
    async call(method, at, body, version) {
      const answer = await transport.send({
        method,
        path: at,
        headers: {
          ...(version === undefined ? {} : { 'if-match': `"v${version}"` }),
          ...(method === 'POST' && body !== undefined ? { 'idempotency-key': `test-${Math.random()}` } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (answer.status >= 400) throw new Error(`${method} ${at}: ${answer.status} ${answer.body}`);
      const { data } = (answer.body === '' ? {} : JSON.parse(answer.body)) as { data?: { id: string } };
      return data ?? { id: '' };
    },
  };
}

/** `changed sniper/alpha`, in the order of the report. */
export function said({ items }: DriftReport): readonly string[] {
  return items.map(({ class: kind, address, id }) => `${kind} ${address ?? id}`);
}

export function itemOf(report: DriftReport, kind: DriftClass, address: string | null): DriftItem {
  const found = report.items.find((item) => item.class === kind && item.address === address);
  if (found === undefined) throw new Error(`no ${kind} ${address}: ${said(report).join(', ')}`);
  return found;
}
