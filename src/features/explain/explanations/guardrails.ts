import type { Explanation } from './explanation.ts';

const ACT = 'Lower the value in the manifest, or raise the limit in the project file where others review it.';
const ONCE =
  'A plan that is refused is shown, with the option that would let exactly this plan through (--override).';
const WORSE =
  'Refused where the plan makes it worse than it is live; lowered, or left beside another change, it is a warning. A task that is created, replaced or started counts as worse in all its fields; what finishes an interrupted apply only where the task never ran.';

/** Guardrails of the project file, and overriding them. */
export const GUARDRAILS = {
  'guardrail-protect': {
    means:
      'The plan deletes, replaces, stops or releases something that guardrails.protect names, or gives it a name that protect does not cover. `tradeform release` obeys it too.',
    matters: `It was declared too important for that. ${ONCE}`,
    act: 'Undo the change in the manifests, or take the address out of the list.',
    example: 'guardrails: { protect: ["copy-trade/whale-*"] }',
  },
  'guardrail-max-deletes': {
    means:
      'The plan deletes more tasks than max_deletes allows; without one, 5 or 20% of the owned tasks, whichever is more. A replacement is no deletion.',
    matters: `A wrong branch or pattern deletes many tasks at once, and deletions cannot be undone. ${ONCE}`,
    act: 'Look at what is deleted; delete in smaller steps, or raise the limit.',
    example: 'guardrails: { max_deletes: 10% }',
  },
  'guardrail-max-changes': {
    means: 'The plan writes to more tasks, templates and labels than max_changes allows.',
    matters: `One edit of a preset reaches every task that extends it. ${ONCE}`,
    act: 'Look at what is reached; apply in parts with --target, or raise the limit.',
    example: 'guardrails: { max_changes: 25 }',
  },
  'guardrail-max-starts': {
    means:
      'The plan, or `tradeform resume`, starts more tasks than max_starts allows; without one, 10 or 50% of the owned tasks, whichever is more, new tasks and what `tradeform pause` stopped not counted. A replacement that runs is a start; what finishes an interrupted apply never counts.',
    matters: `Each start puts money at stake. ${ONCE}`,
    act: 'Start in smaller steps, or raise the limit.',
    example: 'guardrails: { max_starts: 3 }',
  },
  'guardrail-max-exposure': {
    means:
      'After the plan, or after `tradeform resume`, the running tasks together would put more SOL at stake per trigger than max_exposure allows.',
    matters: `Exposure is the worst case: the buy and the dearer route’s tip and fee, summed over running tasks. ${ONCE}`,
    act: 'Lower amounts, stop tasks, or raise the limit.',
    example: 'guardrails: { max_exposure: 20 }',
  },
  'guardrail-max-exposure-rise': {
    means:
      'The plan adds more to what the running tasks put at stake per trigger than max_exposure_rise allows: SOL, or a percentage of what it is before. A percentage says nothing where nothing is at stake yet.',
    matters: `A total that is far from its limit leaves room for one slip that uses all of it. ${ONCE}`,
    act: 'Look at what is raised; do it in parts with --target, or raise the limit.',
    example: 'guardrails: { max_exposure_rise: 25% }',
  },
  'guardrail-max-task-exposure': {
    means: `One task would put more SOL at stake per trigger than max_task_exposure allows. ${WORSE}`,
    matters: `A single task can lose that much at one event. ${ONCE}`,
    act: ACT,
    example: 'guardrails: { max_task_exposure: 2 }',
  },
  'guardrail-max-buy-amount': {
    means: `A buy amount is over max_buy_amount (10 SOL without one), on any side and in any tier. ${WORSE}`,
    matters: `The service permits 1,000,000 SOL: a point that slipped is a valid amount. ${ONCE}`,
    act: ACT,
    example: 'guardrails: { max_buy_amount: 0.5 }',
  },
  'guardrail-max-tip': {
    means: `A tip or bundle amount is over max_tip (1 SOL without one). ${WORSE}`,
    matters: `The service permits tips of 1,000 SOL, and a tip is spent whatever comes of the buy. ${ONCE}`,
    act: ACT,
    example: 'guardrails: { max_tip: 0.05 }',
  },
  'guardrail-max-priority-fee': {
    means: `A priority fee of a route is over max_priority_fee (1 SOL without one). ${WORSE}`,
    matters: `The service permits fees of 1,000 SOL. ${ONCE}`,
    act: ACT,
    example: 'guardrails: { max_priority_fee: 0.05 }',
  },
  'guardrail-max-slippage': {
    means: `A slippage of a route is over max_slippage (50 percent without one). ${WORSE}`,
    matters: `The service permits 100 percent: the buy may cost any price. ${ONCE}`,
    act: `${ACT} That a percentage counts at all is the subject of the lint slippage-inert.`,
    example: 'guardrails: { max_slippage: 25 }',
  },
  'guardrail-max-factor': {
    means:
      'A buy amount, tip, fee or slippage grows by more than max_factor (10 times without one). It is held against what is live, also of a task that is off; of a replacement against the task that it takes the place of, of a tier or side that begins to buy against the largest buy before. A new task, and an amount that was 0, have no factor: the other limits hold.',
    matters: `10 for 0.10 is a valid amount, and below every limit that holds without a word. ${ONCE}`,
    act: 'Look for a point that slipped. Where it is meant, raise it in steps, or let this plan through.',
    example: 'guardrails: { max_factor: 3 }',
  },
  'guardrail-allowed-dexes': {
    means: `A task or template names a DEX that allowed_dexes does not have, or takes the account’s list (dex_source: global), which cannot be seen. ${WORSE}`,
    matters: `The project decided where it trades. ${ONCE}`,
    act: 'Remove the DEX, write dex_source: config, or add the DEX to the list.',
    example: 'guardrails: { allowed_dexes: [pump-fun, pump-amm] }',
  },
  'guardrail-allowed-wallets': {
    means: `A target or linked wallet is not among allowed_wallets. ${WORSE}`,
    matters: `A wallet that nobody has reviewed decides what is bought. ${ONCE}`,
    act: 'Correct the wallet, or add it to the list; names of wallet books will do.',
    example: 'guardrails: { allowed_wallets: [whale-7, whale-12] }',
  },
  'guardrail-forbidden-wallets': {
    means: `A target or linked wallet is among forbidden_wallets. ${WORSE}`,
    matters: `It was declared off limits. ${ONCE}`,
    act: 'Use another wallet.',
    example: 'guardrails: { forbidden_wallets: [our-own-cold-wallet] }',
  },
  'guardrail-require-label': {
    means: `A task has no label, or none of those that require_label names. ${WORSE}`,
    matters: `What belongs to whom is told by labels. ${ONCE}`,
    act: 'Give the task a label.',
    example: 'guardrails: { require_label: [steady, high-risk] }',
  },
  'guardrail-policy': {
    means: `A task or template as it will run, with the live values that ignore_changes keeps, does not pass a policy of the project. The message is that of the policy’s author. ${WORSE}`,
    matters: `A policy is a JSON Schema that the project’s owners require. ${ONCE}`,
    act: 'Change the manifest, or talk to the policy’s author.',
  },
  'guardrail-unused': {
    means: 'An entry of protect, or the target of a policy, fits no manifest and no task of this project.',
    matters: 'A slip in an address guards nothing, and the plan would look as if all were well.',
    act: 'Correct the address, or take the entry or the policy out.',
    example: 'guardrails: { protect: ["copy-trade/whale-*"] }',
  },
  'policy-invalid': {
    means: 'The JSON Schema of a policy cannot be used.',
    matters: 'A policy that checks nothing would look as if all were well.',
    act: 'Correct the schema: draft-07; decimalMaximum and decimalMinimum compare amounts exactly, maximum and the like cannot. A pattern repeats no repetition: ([a-z]+)* is [a-z]*, and may try a text for hours.',
    example:
      'guardrails:\n  policies:\n    - name: small-snipers\n      message: Snipers buy 1 SOL at most.\n      target: sniper/*\n      schema: { properties: { spec: { properties: { config: { properties: { buy_amount: { decimalMaximum: "1" } } } } } } }',
  },
  'override-other-plan': {
    means: '--override names the digest of another plan.',
    matters: 'An override is for one plan that somebody has looked at. This one does something else.',
    act: 'Look at this plan, and give its digest if it is meant.',
  },
  'override-unused': {
    means: '--override names a guardrail that refuses nothing in this plan.',
    matters: 'Whoever gave it expected something else.',
    act: 'Leave the option out.',
  },
} as const satisfies Record<string, Explanation>;
