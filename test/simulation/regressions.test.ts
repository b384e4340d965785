import { expect, test } from 'vitest';
import {
  copyTradeConfig,
  desiredState,
  desiredTask,
  seedTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { prepare, type WorldSpec } from './base.ts';
import { PLAIN } from './case.ts';
import { namedCase } from './cases.ts';
import { type Disturbance, parseDisturbance } from './kinds.ts';
import { play } from './shrink.ts';

/** Failures that the simulation has found, each with its story. Gaps that a case may show are named. */

const SCENES: readonly { readonly story: string; readonly name: string }[] = [
  {
    story: 'a held task is started by a person while it is being replaced: the new one must not stay held',
    name: 'replace a held task:resume@2',
  },
  {
    story: 'a person rewrites the note by which a task was about to be adopted: it is not adopted',
    name: 'adopt a task that lost its marker:note@2',
  },
  {
    story:
      'a person labels a task of which the create sleeps, and another apply comes: held, and nothing else',
    name: 'replace a running task without room:label@12,runner-same@13',
  },
  {
    story: 'a person presses pause on the new task of a pair: nobody starts it for that reason',
    name: 'replace a running task:config@7,pause@12',
  },
  {
    story: 'a pause arrives late, and the token is rotated: the report says that the task may be paused',
    name: 'config of a running sniper:late@9/1,rotate@11',
  },
  {
    story: 'a pause is throttled although it was carried out, and the token is rotated: the report says so',
    name: 'config of a running sniper:throttled-after@9,rotate@10',
  },
  {
    story: 'a person presses pause while our own pause is throttled: it stays paused',
    name: 'config of a running sniper:throttled@9,pause@10',
  },
  {
    story:
      'the machine sleeps for a day while an apply reads, and another one has created meanwhile: no second task',
    name: 'replace a held task:runner-same-mixed@3,day@10',
  },
  {
    story:
      'the machine sleeps for a day while an apply reads, and again while it looks before it creates: no second task',
    name: 'create running:day@0,runner-same-mixed@0,day@10',
  },
  {
    story: 'a change that lowers waits for a replacement that raises: that one begins, and no other raise',
    name: 'swarm 1201377',
  },
  {
    story: 'somebody started a task whose replacement was to stay off: it is finished, and runs',
    name: 'swarm 4000022 +hold +saved',
  },
  {
    story: 'a patch of the note is refused, and the whole config that follows does not write over an edit',
    name: 'swarm 5001034 +saved',
  },
  {
    story:
      'another apply has paused a task whose replacement is held: the report does not say what its mark means',
    name: 'rename the project while a task is being replaced +saved:pause@3/2,runner-other-mixed@24',
  },
  {
    story: 'a change that lowers needs a label that is not there yet: nothing starts before it',
    name: 'swarm 432 +hold',
  },
  {
    story: 'a saved plan is applied again over what may have been a first trade: it is stale',
    name: 'config of a running buy_once +saved:crash-before@17,fire@18',
  },
  {
    story:
      'the Date is ahead, and a page moves while one is created and one deleted: nothing rests on that reading',
    name: 'swarm 538770 +hold',
  },
  {
    story:
      'somebody labels the new task of a replacement, so it is held, and the token is rotated after the pause of the former task: the report says that the former one is left paused',
    name: 'swarm 741905',
  },
  {
    story:
      'it is unclear who paused the former task of a replacement, and somebody starts the new one and takes its marker away: the report says that the former one is left paused',
    name: 'swarm 744484',
  },
  {
    story:
      'of two tasks of a removed manifest one is paused and the pause of the other is refused: the report names the one that trades',
    name: 'swarm 750897',
  },
  {
    story:
      'the machine sleeps for a day while a create that was not sent yet waits for its turn, and another apply comes: no second task',
    name: 'swarm 801632',
  },
  {
    story:
      'another apply completes a replacement first, and a person stops the new task: the report does not promise that the next apply starts it',
    name: 'replace a running task:runner-same@11,pause@13',
  },
  {
    story:
      'another apply pauses the task, and takes back its mark: the report does not promise that the next apply starts it',
    name: 'swarm 800093',
  },
  {
    story:
      'both tasks of a replacement run, and somebody replaces the new one by a clone after the pause of the former one: the report says that the former one is left paused',
    name: 'swarm 823615',
  },
  {
    story:
      'a start is throttled although it may have been carried out, and the token is rotated: the task may be running, and the report says that',
    name: 'config of a running sniper:rotate@12,throttled-after@12',
  },
  ...[
    [
      'somebody writes to the new task of a replacement, and the labels cannot be read: no start is promised',
      '1116983',
    ],
    [
      'somebody writes to the former task while the new one is found to be changed: no start is promised',
      '1439914 +saved',
    ],
    ['two outdated lists agree after a reading without a Date: no second task', '1214617'],
    [
      'of two tasks that swap targets, the one that cannot delete first does not: the second plan is empty',
      '1227314',
    ],
    [
      'a lost pause arrives after a second one was refused: the task is not said to trade',
      '1240045 +hold +saved',
    ],
    ['a list of one kind is outdated, and twice that of another: no second task', '1279403'],
    [
      'both tasks of a replacement run, and one cannot be deleted: it is not started beside the other',
      '1300737',
    ],
    ['a started new task loses its marker before the former one is deleted: that was no stop', '1255313'],
    [
      'a new task that is to stay off loses its marker before the former one is deleted: nobody can know of the stop',
      '1401895 +hold +saved',
    ],
    ['of a former task with a damaged marker nobody can know that somebody stopped it', '1403224'],
    ['nor of one that lost its marker after the new one was created', '1423122 +hold'],
    [
      'the service wanted a current config before the crash: the plan file finishes the work',
      '1465039 +saved',
    ],
    [
      'a mark is throttled although it arrived, and another apply of a replacement was faster: a known gap, on the safe side',
      '1493951 +saved',
    ],
    ['another revision wants the task paused: its apply need not name it as left paused', '1265414 +saved'],
    [
      'a crash after the pause of a task without buy_once: the plan file starts the new one, which has it',
      '1319213 +saved',
    ],
    [
      'two applies undo a replacement at the same time: its former task is held, a known gap on the safe side',
      '1569698 +hold +saved',
    ],
    [
      'both tasks of a replacement run, and somebody takes the marker off the new one: the report is not silent',
      '1580061',
    ],
    [
      'the former task of an undone pair runs on without its marker: the new one is named as left paused',
      '1602058',
    ],
    ['two outdated lists after a key that is taken: no second task', '1505995'],
    ['a half runs without its marker, which the apply could not see: no silent loss', '1307663 +saved'],
    ['a plan that starts nothing leaves nothing paused', '1309044'],
    [
      'a proxy delivers a pause twice, and the token is rotated: the report says that the task may be paused',
      '7112946',
    ],
  ].map(([story = '', seed = '']) => ({ story, name: `swarm ${seed}` })),
  {
    story: 'somebody takes the marker off the new task of a held one, and edits it: nothing is started',
    name: 'replace a held task:strip@10,note@10,config@10',
  },
];

test.each(SCENES)('$story', async ({ name }) => {
  const { options } = await namedCase(name);
  expect((await play(options)).violations).toEqual([]);
});

function world(over: Partial<WorldSpec>): WorldSpec {
  const desired = desiredState([desiredTask('a')]);
  return { name: 'regression', account: {}, desired, other: desired, choices: {}, ...over };
}

function run(spec: WorldSpec, disturbances: readonly string[]) {
  const parsed: readonly Disturbance[] = disturbances.map(parseDisturbance);
  return play({ base: prepare(spec), disturbances: parsed, seed: 1, concurrency: 1, way: PLAIN });
}

test('the machine sleeps for a day between reading and creating, and another apply creates in the meantime: no second task', async () => {
  // Requests: 0 to 7 read, 8 and 9 create and start the first task, 10 and 11 the second.
  const desired = desiredState([desiredTask('a'), desiredTask('b', { target_wallet: wallet(1) })]);
  const { violations, fired } = await run(world({ desired, other: desired }), ['runner-same@8', 'day@9']);
  expect(violations).toEqual([]);
  expect(fired).toHaveLength(2);
});

test('the answer to a create is lost, and the machine sleeps for a day before it is sent again: no second task', async () => {
  const { violations, fired } = await run(world({}), ['day@8', 'html-after@8']);
  expect(violations).toEqual([]);
  expect(fired).toHaveLength(2);
});

test('the answer to the pause is lost while buy_once has not fired yet: the pause is not counted as a first trade, and the task runs on', async () => {
  const task = seedTask(1, { target_wallet: wallet(0) });
  const desired = desiredState([desiredTask('a', { config: sniperConfig({ buy_once: true }) })]);
  const { violations, gaps } = await run(world({ account: { tasks: [task] }, desired, other: desired }), [
    'lost-after@9',
  ]);
  expect(violations).toEqual([]);
  expect([...gaps.keys()]).toEqual([]);
});

test('a held clone with a mark far ahead: edits that raise its version to the mark must not look like a start by tradeform', async () => {
  const task = seedTask(1, { remark: 'Note [git:core/a@7]', target_wallet: wallet(0), is_active: false });
  const spec = world({ account: { tasks: [task] } });
  // After the first run a person presses pause twice, which makes two versions.
  const { violations } = await run(spec, ['pause@9', 'pause@10']);
  expect(violations).toEqual([]);
});

test.each(['running', 'held'])(
  'an unfinished replacement is undone while another task waits for its target, both %s: the plan is no circle',
  async (switched) => {
    const task = (index: number, remark: string, target: number, version: number) => ({
      kind: 'copy-trade' as const,
      id: uuid(index),
      remark,
      target_wallet: wallet(target),
      config: copyTradeConfig(),
      is_active: switched === 'running' && version > 1,
      version,
    });
    const wanted = (name: string, target: number) =>
      desiredTask(name, { collection: 'copy-trade', target_wallet: wallet(target) });
    // The one goes from target 0 to 2 and has got as far as a new task at 1, the other goes from 2 to 1.
    const tasks = [
      task(1, 'Note [git:core/a@0]', 0, 5),
      task(2, `Note [git:core/a@${switched === 'running' ? 1 : 0}~${uuid(1).slice(0, 4)}]`, 1, 1),
      task(3, 'Note [git:core/b@0]', 2, 5),
    ];
    const desired = desiredState([wanted('a', 2), wanted('b', 1)]);
    const { violations, requests } = await run(world({ account: { tasks }, desired, other: desired }), []);
    expect(violations).toEqual([]);
    const deleted = requests.filter(({ method }) => method === 'DELETE');
    expect(deleted).toHaveLength(3);
  },
);
