import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../cmd/program.ts';
import type { Io } from '../../src/core/command/io.ts';
import * as library from '../../src/index.ts';
import { reportWith } from '../render/hostile-plan.ts';
import { richPlan } from '../render/rich-plan.ts';
import { openProject } from './project-run.ts';

type Call = (options: object) => Promise<unknown>;
const CALLS: Readonly<Record<string, Call>> = {
  validate: library.validate,
  plan: library.plan,
  apply: library.apply as Call,
  drift: library.drift,
  status: library.status,
  pause: (options) => library.pause([], options),
  resume: (options) => library.resume([], options),
};
/** Of the terminal and of files beside the document. The environment says the others. */
const SHOWN = new Set(['output', 'report', 'maxBytes', 'github', 'quiet', 'verbose', 'color']);
/** Only for people who read, or for a job that has a command line. */
const OTHERS = new Set(['chdir', 'environments', 'allEnvironments']);

const program = buildProgram({} as Io, () => {});

describe.each(Object.entries(CALLS))('the options of %s', (name, call) => {
  const command = program.commands.find((one) => one.name() === name);
  const names = [...program.options, ...(command?.options ?? [])].map((option) => option.attributeName());
  const own = names.filter((one) => one !== 'version' && !SHOWN.has(one) && !OTHERS.has(one));

  it('are all known', async () => {
    expect(own.length).toBeGreaterThan(5);
    for (const option of own) {
      const end = await call({ folder: tmpdir(), env: {}, [option]: undefined }).catch((error) => error);
      expect(end, option).not.toBeInstanceOf(TypeError);
    }
  });

  it.each(['bogus', 'targets', 'report', 'quiet'])('do not include %s', async (option) => {
    await expect(call({ [option]: true })).rejects.toThrow(new RegExp(`^unknown option ${option};`));
  });
});

it('texts need no options: they have 100 columns and no colour', () => {
  const whole = library.planText(richPlan(), { columns: 100, color: false });
  expect([library.planText(richPlan()), library.planText(richPlan(), {})]).toEqual([whole, whole]);
  const report = reportWith('sniper/x');
  expect(library.reportText(report)).toBe(library.reportText(report, { columns: 100, color: false }));
});

it.each([
  [{}, 1],
  [{ freeze: undefined }, 1],
  [{ freeze: false }, 0],
])(
  'pause of everything freezes the account as the command does, unless it is told not to: %j',
  async (more, labels) => {
    const project = await openProject({ tasks: ['alpha'] });
    const [{ token = '' } = {}] = project.sandbox.tokens();
    const where = { folder: project.path, token, env: { TRADEFORM_BASE_URL: project.baseUrl } };
    const { exitCode } = await library.pause([], { ...where, all: true, ...more });
    const names = [...project.sandbox.state.labels.values()].map(({ name }) => name);
    expect([exitCode, names.filter((name) => name.startsWith('freeze pause ')).length]).toEqual([0, labels]);
  },
);
