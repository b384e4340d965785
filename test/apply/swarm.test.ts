import { expect, test } from 'vitest';
import { parseRemark } from '../../src/model/marker.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { drawChoices } from '../support/choices.ts';
import { runs } from '../support/sample.ts';
import { numbers } from './numbers.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type Blow, createStage, heal, type Meddler, type Stage } from './stage.ts';

const CASES = Number(process.env.SWARM_CASES ?? runs(600));
const BLOWS: readonly Blow[] = ['lost-before', 'lost-after', 'crash-before', 'crash-after'];

interface Story {
  /** Somebody stopped the running task and nobody but us may have started it since. */
  stopped: boolean;
  /** The stop fell between mark and pause, or between two runs: known gaps 1 and 4 of DESIGN 3. */
  gap: boolean;
  /** Anything that people did to the switch or config. */
  meddled: boolean;
  notes: number;
  /** Somebody started a task. */
  started: boolean;
  /** Faults that may leave an unmarked task held. */
  struck: boolean;
  events: string[];
}

function armed(remark: string): number | undefined {
  const parsed = parseRemark(remark);
  const version = parsed.type === 'marked' ? parsed.marker.armed : undefined;
  return typeof version === 'number' ? version : undefined;
}

/** Faults and people with the rates of this case. */
function meddler(stage: Stage, story: Story, random: () => number): Meddler {
  const [faults, people] = [random() * 0.25, random() * 0.4];
  return (index, { method, path }) => {
    if (random() < people) act(stage, story, random, index);
    const running = stage.owned('a').filter(({ is_active }) => is_active);
    if (running.length > 1 && !story.started) story.events.push(`TWO RUN before ${index}`);
    if (random() >= faults) return undefined;
    const blow = BLOWS[Math.floor(random() * BLOWS.length)];
    story.struck = true;
    story.events.push(`${blow} ${index} ${method} ${path}`);
    return blow;
  };
}

function act(stage: Stage, story: Story, random: () => number, index: number): void {
  const owned = stage.owned('a');
  const task = owned[Math.floor(random() * owned.length)];
  if (task === undefined) return;
  const dice = random();
  if (dice < 0.25) {
    story.events.push(`note on ${task.id} before ${index}`);
    stage.edit(task.id, {
      remark: task.remark.startsWith('Note')
        ? task.remark.replace('Note', 'Memo')
        : task.remark.replace(/^(?:Memo|Mine)/, 'Note'),
    });
    // One note is gone over; a second one, or one after an interruption (known gap 4), leaves the task held.
    story.notes += 1;
  } else if (dice < 0.7 && task.is_active) {
    story.events.push(`stop of ${task.id} before ${index}: ${task.remark} at ${task.version}`);
    // Before the first mark, nothing says that git wanted it running: the start is still asked for.
    story.gap ||= armed(task.remark) === undefined || armed(task.remark) === task.version + 1;
    stage.edit(task.id, { is_active: false });
    story.stopped = true;
    story.meddled = true;
  } else if (dice < 0.8 && !task.is_active) {
    story.events.push(`start of ${task.id} before ${index}`);
    stage.edit(task.id, { is_active: true });
    story.stopped = false;
    story.started = true;
    story.meddled = true;
  }
}

async function play(scenario: Scenario, seed: number): Promise<{ stage: Stage; story: Story }> {
  const random = numbers(seed);
  const choices: Partial<Choices> =
    random() < 0.5 ? {} : { ...drawChoices((count) => Math.floor(random() * count)), version_step: 1 };
  const stage = createStage(scenario.seed, choices);
  const story: Story = {
    stopped: false,
    gap: false,
    meddled: false,
    notes: 0,
    started: false,
    struck: false,
    events: [],
  };
  for (let round = 0; round < 2; round += 1) {
    const plan = await stage.plan(scenario.desired, { allowEmpty: true });
    story.events.push(`round ${round}: ${plan.operations.map(({ verb }) => verb).join(' ')}`);
    const end = await stage.apply(plan, meddler(stage, story, random));
    story.events.push(
      end === 'crashed' ? end : JSON.stringify(end.changes.map(({ status, text }) => [status, text])),
    );
    story.events.push(
      JSON.stringify(stage.owned('a').map((task) => [task.id, task.version, task.is_active, task.remark])),
    );
  }
  return { stage, story };
}

test(
  `faults and people at random: nobody's stop is undone, nothing runs twice, and it converges (${CASES} cases)`,
  async () => {
    const seen = { stopped: 0, quiet: 0, converged: 0 };
    for (let seed = 1; seed <= CASES; seed += 1) {
      const scenario = SCENARIOS[seed % SCENARIOS.length];
      if (scenario === undefined) throw new Error('no scenario');
      const { stage, story } = await play(scenario, seed);
      await heal(stage, scenario.desired, 4).catch((error: Error) =>
        story.events.push(`heal: ${error.message}`),
      );
      const label = `${scenario.name}, seed ${seed}\n${story.events.join('\n')}`;
      expect(label).not.toContain('heal:');
      expect(label).not.toContain('A bug in');
      expect(label).not.toContain('TWO RUN');
      const running = stage.owned('a').filter(({ is_active }) => is_active);
      // Where people also started tasks themselves, their start of the other half of a pair is not ours to judge.
      if (story.stopped && !story.started && scenario.runs === true && !story.gap) {
        seen.stopped += 1;
        expect(running, label).toEqual([]);
      }
      const noted = story.notes > 1 || (story.notes === 1 && story.struck);
      if (!story.meddled && !noted && scenario.buyOnce !== true) {
        seen.quiet += 1;
        expect(
          stage.owned('a').map(({ is_active }) => is_active),
          label,
        ).toEqual(scenario.runs === undefined ? [] : [scenario.runs]);
      }
      expect(stage.owned('a').length, label).toBe(scenario.runs === undefined ? 0 : 1);
      seen.converged += 1;
    }
    // The conditions above are not vacuous.
    expect(Math.min(seen.stopped, seen.quiet)).toBeGreaterThan(CASES / 100);
  },
  60_000 + CASES * 300,
);
