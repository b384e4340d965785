import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { blockYaml, flowYaml, manifestsYaml } from '../../src/core/render/manifest-yaml.ts';
import { workflowGuard } from '../../src/core/render/workflow-guard.ts';
import fc from '../properties.ts';
import { runnerCommands } from './formats/runner.ts';

/** Pieces of which a runner's commands consist. */
const text = fc
  .array(
    fc.constantFrom(
      '##[error]',
      '##[add-mask]x',
      '::set-output name=a::b',
      '::',
      '##[',
      '#',
      '[',
      ' ',
      'a',
      '\n',
      '\\u0023[',
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(''));

it('YAML that is applied later has the same values, no command, and is not altered on its way', () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      const manifest = { kind: value, [key]: { deep: [value, { [key]: value }] } };
      for (const yaml of [
        manifestsYaml([{ manifest, note: value }]),
        blockYaml(manifest),
        `${flowYaml(manifest)}\n`,
      ]) {
        expect(parse(yaml)).toEqual(manifest);
        expect(runnerCommands(yaml)).toEqual([]);
        expect(workflowGuard('text')(yaml)).toBe(yaml);
      }
    }),
  );
});

it('JSON and XML keep their meaning', () => {
  expect(JSON.parse(workflowGuard('json')('"##[error]x"'))).toBe('##[error]x');
  expect(workflowGuard('xml')('<a>\n::error::x</a>')).toBe('<a>\n&#58;:error::x</a>');
});
