import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DriftOptions, runDrift } from '../../../src/features/drift/drift.ts';
import type { DriftClass, DriftItem, DriftReport } from '../../../src/model/generated/drift.ts';
import type { Method } from '../../../src/ports/transport.ts';
import type { StoredTask } from '../../../src/sandbox/records.ts';
import { createSandboxTransport, type StoredEdit } from '../../../src/sandbox/sandbox.ts';
import { commitAll, initRepository, SETTINGS } from '../../support/repository.ts';
import { type Result, runInMemory } from '../in-memory.ts';
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

/** A project in a repository of its own, and a service with people at it. */
export interface DriftRun extends Omit<ProjectRun, 'plan'> {
  readonly plan: ProjectRun['plan'];
  git(...args: readonly string[]): string;
  /** Writes manifests by their names; null takes one away. */
  manifests(files: Readonly<Record<string, string | null>>): void;
  /** Commits all that is there: at the service's time with `clock`, else on 2026-01-01 and a day later each. */
  commit(subject: string): string;
  applied(): Promise<void>;
  drift(options?: DriftOptions, env?: Readonly<Record<string, string>>): Promise<Result>;
  /** The same as JSON; fails where the command did. */
  report(options?: DriftOptions): Promise<DriftReport & { readonly code: number }>;
  /** A task on the service, by the name in its marker. */
  live(name: string): StoredTask;
  edit(name: string, edit: StoredEdit): void;
  call(method: Method, path: string, body?: object, version?: number): Promise<{ readonly id: string }>;
}

/** `clock`: git's dates are the time of the service, which `sandbox.advance` moves. */
export async function openDrift(source: ProjectSource = {}, { clock = false } = {}): Promise<DriftRun> {
  const project = await openProject(source);
  const { path, sandbox, baseUrl } = project;
  rmSync(join(path, 'manifests'), { recursive: true, force: true });
  project.write('tradeform.yaml', PROJECT);
  let day = 0;
  const git = (...args: readonly string[]) => {
    const date = new Date(clock ? sandbox.now() : Date.UTC(2026, 0, 1 + day, 12)).toISOString();
    return execFileSync('git', [...SETTINGS, ...args], {
      cwd: path,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: path,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  };
  initRepository(path);
  const { token = '' } = sandbox.tokens()[0] ?? {};
  const transport = createSandboxTransport(sandbox, token);
  const drift: DriftRun['drift'] = (options = {}, env = {}) =>
    runInMemory(
      {
        cwd: path,
        env: {
          PATH: process.env.PATH,
          ...source.env,
          ...env,
          TRADEFORM_BASE_URL: baseUrl,
          TRADEFORM_TOKEN: token,
        },
      },
      (io) => runDrift(options, io),
    );
  const live = (name: string) => {
    const found = [...sandbox.state.tasks.values()].find(({ remark }) => remark.includes(`/${name}`));
    if (found === undefined) throw new Error(`no task carries the marker of ${name}`);
    return found;
  };
  return {
    ...project,
    git,
    manifests(files) {
      for (const [name, text] of Object.entries(files)) {
        if (text === null) rmSync(join(path, 'manifests', `${name}.yaml`));
        else project.write(`manifests/${name}.yaml`, text);
      }
    },
    commit(subject) {
      const hash = commitAll(git, subject);
      day += 1;
      return hash;
    },
    async applied() {
      const { code, stderr, diagnostics } = await project.apply(undefined, {
        autoApprove: true,
        firstApply: true,
      });
      if (code !== 0) throw new Error(`apply ended with ${code}: ${stderr}${JSON.stringify(diagnostics)}`);
    },
    drift,
    async report(options = {}) {
      const { code, stdout, diagnostics } = await drift({ ...options, output: 'json' });
      if (stdout === '') throw new Error(`drift ended with ${code}: ${JSON.stringify(diagnostics)}`);
      return { ...(JSON.parse(stdout) as DriftReport), code };
    },
    live,
    edit: (name, edit) => sandbox.editStored(live(name).id, edit),
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
