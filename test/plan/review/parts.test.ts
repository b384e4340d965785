import { describe, expect, test } from 'vitest';
import { movedFields, sameSubstance } from '../../../src/core/act/compare.ts';
import { versionDigest } from '../../../src/core/desired/version.ts';
import { PLAIN_PARTS } from '../../../src/core/model/generated/parts.ts';
import { stateOf } from '../../../src/core/plan/review/digest.ts';
import { desiredTask, liveTask } from '../../support/builders.ts';

describe.each(PLAIN_PARTS)('$name', ({ name, none }) => {
  const collection = 'copy-trade' as const;
  const other = { [name]: Array.isArray(none) ? ['another'] : 'another' };

  test('is what the task trades with', () => {
    const [task, edited] = [liveTask(1, { collection }), liveTask(1, { collection, ...other })];
    expect(sameSubstance(task, edited)).toBe(false);
    expect(movedFields(task, edited)).toEqual([name]);
  });

  test('is in the digest of a state, and in the version of git', () => {
    const states = [{}, other].map((more) => stateOf('copy-trade/a', liveTask(1, { collection, ...more })));
    expect(new Set(states).size).toBe(2);
    const versions = [{}, other].map((more) => versionDigest(desiredTask('a', { collection, ...more })));
    expect(new Set(versions).size).toBe(2);
  });
});
