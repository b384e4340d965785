/** What is mutated, and the tests that have to notice: the quick ones first, since the first failure ends a mutant. */
export const SUITE = {
  'src/core/service/resources': ['test/service/{resources,view}/*.test.ts', 'test/e2e/kinds.test.ts'],
  'src/core/service/view': ['test/service/{resources,view}/*.test.ts', 'test/e2e/kinds.test.ts'],
  'src/core/act': [
    'test/{act,e2e}/*.test.ts',
    'test/simulation/scenes.test.ts',
    'test/features/**/*.test.ts',
  ],
  'src/core/origin': ['test/{origin,plan,e2e}/**/*.test.ts', 'test/features/**/*.test.ts'],
  'src/core/plan': ['test/{plan,render,e2e}/**/*.test.ts', 'test/features/**/*.test.ts'],
};

/** The same without what takes long: the folder's own tests, and those of the commands that alone meet a part of it. */
export const QUICK = {
  'src/core/service/resources': ['test/service/{resources,view}/*.test.ts'],
  'src/core/service/view': ['test/service/{resources,view}/*.test.ts'],
  'src/core/act': ['test/act/*.test.ts', 'test/features/operator/{releasing,resuming}.test.ts'],
  'src/core/origin': ['test/origin/*.test.ts'],
  'src/core/plan': ['test/plan/**/*.test.ts', 'test/features/{drift,operator}/*.test.ts'],
};

/** The quick ones that kill most, and the long ones that cover nearly everything; the others run in between, those of commands last. */
export const FIRST = [
  'test/service/view/read.test.ts',
  'test/act/decide.test.ts',
  'test/plan/switch/decide-switch.test.ts',
  'test/origin/clauses.test.ts',
];
export const LAST = [
  'test/act/downtime.test.ts',
  'test/origin/prefixes.test.ts',
  'test/service/view/sandbox.test.ts',
  'test/e2e/converge.test.ts',
  'test/simulation/scenes.test.ts',
];

/** Cases of the long ones, instead of what `npm test` runs. */
export const BUDGET = { READ_RUNS: '60', CONVERGE_RUNS: '30' };
