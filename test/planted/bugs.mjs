/**
 * Bugs that the suite must catch: each is one plausible slip in the code that keeps people's money, as a text to find and
 * what to put in its place. `planted.test.ts` keeps the list current, `npm run planted` plants them one by one.
 */
export const BUGS = [
  {
    name: 'no mark before the pause of a config change',
    file: 'src/plan/task-steps.ts',
    find: "  if (!buyOnce) chain.mark(task, remarks.symbol('pending'));",
    put: '',
  },
  {
    name: 'random idempotency key',
    file: 'src/apply/idempotency.ts',
    find: '.update(canonicalJson([project, address, counter]))',
    put: '.update(canonicalJson([project, address, counter, Math.random()]))',
  },
  {
    name: 'idempotency key made from less than the address',
    file: 'src/apply/idempotency.ts',
    find: '.update(canonicalJson([project, address, counter]))',
    put: ".update(canonicalJson([project, address.split('/')[0] ?? '', counter]))",
  },
  {
    name: 'a resume whose answer was lost is sent again, whatever the task says',
    file: 'src/apply/decide.ts',
    find: '  const { before, read, buyOnce, foreign } = situation;\n  if (read.is_active) return sameMarker',
    put: '  const { before, read, buyOnce, foreign } = situation;\n  if (!read.is_active) return REDO;\n  if (read.is_active) return sameMarker',
  },
  {
    name: 'a list that could not be read counts as empty',
    file: 'src/live/traverse.ts',
    find: ': { ok: false, diagnostic, query };',
    put: ': { ok: true, traversal: { shard, items, pages } };',
  },
  {
    name: 'only the first page is read',
    file: 'src/live/traverse.ts',
    find: 'if (next.cursor === null) return',
    put: 'if (next.cursor !== undefined) return',
  },
  {
    name: 'a view that is not proven complete creates and deletes',
    file: 'src/plan/policy.ts',
    find: 'if (!live.complete && createsOrDeletes',
    put: 'if (live.complete === undefined && createsOrDeletes',
  },
  {
    name: 'a second reading that shows fewer tasks than were counted is taken all the same',
    file: 'src/live/confirm.ts',
    find: 'if (both === used) {',
    put: 'if (both <= used) {',
  },
  {
    name: 'creates and deletes rest on one reading',
    file: 'src/commands/planning/planning.ts',
    find: 'if (live.confirmed || !live.complete) return live;',
    put: 'if (live.complete) return live;',
  },
  {
    name: 'no If-Match',
    file: 'src/api/client.ts',
    find: '...(ifMatch === undefined ? {} : {',
    put: '...(ifMatch !== undefined ? {} : {',
  },
  {
    name: 'the pause carries the version before the mark',
    file: 'src/apply/guarded.ts',
    find: "return { method: 'POST', path: `${path}/${verb}`, ifMatch: known.version };",
    put: "return { method: 'POST', path: `${path}/${verb}`, ifMatch: Math.max(1, known.version - 1) };",
  },
  {
    name: 'absent is treated as false',
    file: 'src/model/shape.ts',
    find: '  if (left === undefined && right === undefined) return;',
    put: '  if ((left ?? false) === (right ?? false)) return;',
  },
  {
    name: 'decimals are compared as text',
    file: 'src/model/shape.ts',
    find: "return typeof value === 'string' ? canonicalDecimal(value) : value;\n}\n\n/** Where",
    put: 'return value;\n}\n\n/** Where',
  },
  {
    name: 'a held task is started again',
    file: 'src/plan/switch.ts',
    find: '  return held(input);\n}\n\nfunction held',
    put: "  return { type: 'start', reason: 'resume-asked' };\n}\n\nfunction held",
  },
  {
    name: 'stopped_tasks: resume starts buy_once tasks as well',
    file: 'src/plan/switch.ts',
    find: "resume === 'configured' && !buyOnce",
    put: "resume === 'configured'",
  },
  {
    name: 'a pending start counts although somebody wrote since',
    file: 'src/plan/switch.ts',
    find: 'const pending = !adopted && armed === version;',
    put: "const pending = !adopted && typeof armed === 'number' && armed > 0;",
  },
  {
    name: 'another patch than a start leaves a pending mark',
    file: 'src/plan/task-steps.ts',
    find: "if (touched || plan.settle) chain.patch(task, body('settled', false));",
    put: "if (touched || plan.settle) chain.patch(task, body('pending', false));",
  },
  {
    name: 'tasks of another project count as ours',
    file: 'src/model/marker.ts',
    find: 'return project === name || project === previousProject;',
    put: 'return project === name || project !== previousProject;',
  },
  {
    name: 'a task that lost its marker gets a twin',
    file: 'src/plan/lost-marker.ts',
    find: "if (only === undefined) return { type: 'create' };",
    put: "if (only === undefined || !only.config) return { type: 'create' };",
  },
  {
    name: 'the replaced task is not marked before its pause',
    file: 'src/plan/replacement.ts',
    find: "    if (!buyOnce) chain.mark(task, remarks.symbol('pending'));",
    put: '',
  },
  {
    name: 'a running task is deleted without a pause',
    file: 'src/plan/orphan.ts',
    find: '    if (task.is_active) chain.pause(task, 0);\n    chain.delete(task);',
    put: '    chain.delete(task);',
  },
  {
    name: 'a create does not wait for the delete that frees its place',
    file: 'src/plan/order.ts',
    find: "step.verb === 'create' ? (createNeeds.get(draft.change.address) ?? []) : [];",
    put: '[] as string[];',
  },
  {
    name: 'a replayed create is taken for a new one',
    file: 'src/apply/create.ts',
    find: 'if (isFirstVersion(answered) && !mayBeReplay(created, answer.date)) return fresh(step, answered);',
    put: 'if (isFirstVersion(answered)) return fresh(step, answered);',
  },
  {
    name: 'a pause of somebody else is taken for our own',
    file: 'src/apply/decide.ts',
    find: '    !refused &&\n    !buyOnce &&\n    gapOf(situation) === 1 &&',
    put: '    gapOf(situation) === 1 &&',
  },
  {
    name: 'after a failed update the task stays paused',
    file: 'src/apply/chain-end.ts',
    find: 'const restored = await restore(paused, former, contextOf(state, paused), state.wire);',
    put: "const restored = await Promise.resolve({ type: 'impossible' as const });",
  },
  {
    name: 'a write whose answer was lost is sent again unread',
    file: 'src/api/retry.ts',
    find: "return { outcome: result, retry: read ? 'failed' : undefined, throttled: false };\n    case 'redirect'",
    put: "return { outcome: result, retry: 'failed', throttled: false };\n    case 'redirect'",
  },
  {
    name: 'error texts show the token',
    file: 'src/api/client.ts',
    find: 'detail: hide(error.detail)',
    put: 'detail: error.detail',
  },
  {
    name: 'resume --all starts what stays off and was not stopped by the switch',
    file: 'src/plan/armed-forms.ts',
    find: "armed.form === '0!' ? 'settle' : 'left'",
    put: "'start'",
  },
  {
    name: 'a pause marks what somebody else stopped as its own',
    file: 'src/plan/armed-forms.ts',
    find: "whose === 'own' || armed === version ? '!' : '0!'",
    put: "'!'",
  },
  {
    name: 'after writes of others the stop still counts as the switch’s own',
    file: 'src/plan/operator/stay-off.ts',
    find: 'return lostSight ? { ...memory, own: undefined } : memory;',
    put: 'return lostSight ? memory : memory;',
  },
  {
    name: 'a lost answer to the pause of a buy_once task counts as the switch’s own',
    file: 'src/plan/operator/stay-off.ts',
    find: 'lost + 1 === task.version && !isBuyOnce(task.config)',
    put: 'lost + 1 === task.version',
  },
  {
    name: 'a paused task that the switch keeps off is started under stopped_tasks: resume',
    file: 'src/plan/switch.ts',
    find: '!buyOnce && !isOff(armed))',
    put: '!buyOnce)',
  },
  {
    name: 'a running task keeps the mark of the switch',
    file: 'src/plan/switch.ts',
    find: "typeof armed !== 'number' || armed >= version",
    put: "armed === undefined || (typeof armed === 'number' && armed >= version)",
  },
  {
    name: 'an apply holds under stopped_tasks: resume with the mark of the switch',
    file: 'src/plan/armed-forms.ts',
    find: "? { form: '-' } : 'settled'",
    put: "? { form: '!' } : 'settled'",
  },
  {
    name: 'an apply that meets the switch takes its mark away',
    file: 'src/apply/render-body.ts',
    find: 'isOff(armed) ? offSymbol(armed) : ',
    put: 'armed === null ? {} : ',
  },
  {
    name: 'what resume starts puts nothing at stake for max_exposure',
    file: 'src/plan/guardrails/start-scene.ts',
    find: 'is_active || starting.has(id)',
    put: 'is_active',
  },
  {
    name: 'resume does not see that git has corrected an amount',
    file: 'src/plan/operator/as-stored.ts',
    find: "groupOf(costOf(path)) === 'money'",
    put: "costOf(path) === 'wallets'",
  },
  {
    name: 'one half of a replacement is deleted although the other is gone',
    file: 'src/apply/other-half.ts',
    find: "if (look.type === 'gone') {",
    put: "if (look.type === 'gone' && chain.change.name === '') {",
  },
  {
    name: 'a start is held against the live config, and not against nothing',
    file: 'src/plan/guardrails/scene.ts',
    find: 'worse: written && (starts || worse),',
    put: 'worse: written && worse,',
  },
  {
    name: 'an amount that begins to count is left alone by its limit',
    file: 'src/plan/guardrails/amounts.ts',
    find: '(spot.awake && !was.awake) || ',
    put: '',
  },
];

/** Where the suite looks: everything in process. */
export const SUITE = ['test/plan/', 'test/apply/', 'test/api/', 'test/live/', 'test/e2e/'];
