import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../examples/program.ts';

export const CI = join(ROOT, 'examples', 'ci');

export interface WorkflowStep {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
}

export interface Job {
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: string; readonly 'fail-fast': boolean };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: unknown;
  readonly env?: object;
  readonly concurrency?: Concurrency;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly WorkflowStep[];
}

interface Concurrency {
  readonly group: string;
  readonly 'cancel-in-progress'?: boolean;
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env?: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: Concurrency;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Names of the complete workflow files. */
export const WORKFLOWS = readdirSync(join(CI, 'github')).filter((name) => name.endsWith('.yml'));

export function textOf(...path: readonly string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}

/** Of GitHub, unless another host is named. */
export function workflowText(name: string, host = 'github'): string {
  return textOf('examples', 'ci', host, name);
}

export function workflow(name: string, host?: string): Workflow {
  return parse(workflowText(name, host)) as Workflow;
}

const { version, repository } = JSON.parse(textOf('package.json')) as {
  readonly version: string;
  readonly repository: { readonly url: string };
};
export const VERSION = version;
/** `OWNER/tradeform`, which is written by hand in package.json alone. */
export const REPOSITORY = /github\.com\/(.+)\.git$/.exec(repository.url)?.[1] ?? '';
