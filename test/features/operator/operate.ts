import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Io } from '../../../src/core/command/io.ts';
import { runStatus, type StatusOptions } from '../../../src/core/features/status/status.ts';
import { type PauseOptions, runPause } from '../../../src/core/features/switch/pause.ts';
import { type ReleaseOptions, runRelease } from '../../../src/core/features/switch/release.ts';
import { type ResumeOptions, runResume } from '../../../src/core/features/switch/resume.ts';
import { type Result, runInMemory } from '../in-memory.ts';
import type { ProjectRun } from '../project-run.ts';

export interface OperateOptions {
  readonly cwd?: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly io?: Partial<Io>;
}

export interface Operator {
  pause(names: readonly string[], options?: PauseOptions): Promise<Result>;
  resume(names: readonly string[], options?: ResumeOptions): Promise<Result>;
  release(ids: readonly string[], options?: Omit<ReleaseOptions, 'id'>): Promise<Result>;
  status(addresses?: readonly string[], options?: StatusOptions): Promise<Result>;
}

/** The operator's commands upon a project's sandbox, in this process. */
export function operate(project: ProjectRun, over: OperateOptions = {}): Operator {
  const { cwd = project.path, columns = 80, io: more = {} } = over;
  const env = {
    TRADEFORM_BASE_URL: project.baseUrl,
    TRADEFORM_TOKEN: project.sandbox.tokens()[0]?.token ?? '',
    ...over.env,
  };
  const run = (command: (io: Io) => Promise<number>) =>
    runInMemory({ cwd, env, columns }, (io) => command(Object.assign(Object.create(io) as Io, more)));
  return {
    pause: (names, options = {}) => run((io) => runPause(names, options, io)),
    resume: (names, options = {}) => run((io) => runResume(names, options, io)),
    release: (id, options = {}) => run((io) => runRelease({ ...options, id }, io)),
    status: (addresses = [], options = {}) => run((io) => runStatus(addresses, options, io)),
  };
}

/** Fails where a document is not of its schema. */
export function expectSchema(name: 'report' | 'status', text: string): Record<string, never> {
  const file = join(import.meta.dirname, `../../../schemas/${name}.schema.json`);
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
  const document = JSON.parse(text) as Record<string, never>;
  if (!validate(document)) throw new Error(ajv.errorsText(validate.errors));
  return document;
}
