import type { Explanation } from './explanation.ts';

/** Rules across fields, manifests and environments. */
export const RULES = {
  'duplicate-name': {
    means: 'Two manifests of one kind have the same metadata.name, or the same name on the service.',
    matters: 'A name is how tradeform and the service tell resources of a kind apart.',
    act: 'Rename one. If a task that is on the service shall get the other name, add metadata.previous_name.',
  },
  'removal-contradicted': {
    means:
      'A Removal names what a manifest describes, by its address, by its name on the service, or as the name it is renamed from.',
    matters:
      'One would take away what the other creates, at every apply; a task would be released and adopted again.',
    act: 'Take the manifest out, or the entry. Of templates and labels a Removal has the name on the service.',
    example:
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: retired }\nspec:\n  resources: [label/High risk, sniper-template/Base]',
  },
  'removal-of-task': {
    means: 'A Removal names a task, and does not say release: true.',
    matters: 'A Removal never deletes a task: of a task only the marker can go.',
    act: 'To have the task deleted, remove its manifest (prune.tasks decides). To let it go on without git, add release: true in the commit that removes its manifest.',
    example:
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: handed-over }\nspec:\n  release: true\n  resources: [sniper/dawn]',
  },
  'duplicate-id': {
    means: 'Two manifests name one id of the service.',
    matters: 'One resource cannot be what two manifests say.',
    act: 'Leave the id in the manifest that is meant.',
  },
  'duplicate-target': {
    means: 'Two copy-trade tasks have one target wallet.',
    matters: 'The service lets one copy-trade task of an account copy a wallet, and refuses the second.',
    act: 'Merge the two tasks, or change a target. Snipers may share their wallet.',
  },
  'remark-too-long': {
    means: 'The note and the marker together have more than the 64 characters of a remark.',
    matters: 'A marker that is cut is lost: tradeform would not know its own task.',
    act: 'Shorten the note or metadata.name. `tradeform validate -v` says how many characters each task has left.',
  },
  'remark-holds-marker': {
    means: 'A note holds the characters [git:, with which a marker begins.',
    matters: 'It would be read as a marker, perhaps as another project’s.',
    act: 'Leave it out; tradeform writes the marker itself.',
  },
  'unknown-label': {
    means: 'spec.label names a label that no manifest defines.',
    matters: 'Labels are written before what uses them, so they must be known.',
    act: 'Write the metadata.name of a Label (not its spec.name), or add a Label manifest.',
  },
  'range-inverted': {
    means: 'An upper bound is below its lower bound.',
    matters: 'Nothing would pass such a filter, and the service refuses it.',
    act: 'Swap the two, or write "" for no bound.',
  },
  'needs-pump-fun': {
    means: 'dev_sell_only or dev_sell_all_only is on, and selected_dexes has no pump-fun.',
    matters: 'The service refuses it: these modes need pump-fun.',
    act: 'Add pump-fun to selected_dexes.',
  },
  'tiers-required': {
    means: 'buy_config_mode is tiered, and buy_config_tiers is empty.',
    matters: 'There would be nothing to buy by, and the service refuses it.',
    act: 'Write a tier, or buy_config_mode: universal.',
  },
  'amount-required': {
    means: 'amount_sol is empty or 0 on the side that buy_config_mode puts in effect.',
    matters:
      'The side that is not in effect may leave it empty (or 0, as far as tradeform is concerned: what the service says to that is not shown); this one says how much a buy costs.',
    act: 'Write the SOL of one buy.',
  },
  'reentry-deprecated': {
    means: 'reentry_after_flat is true.',
    matters:
      'The service takes it for first_buy_only: true and stores false: the task would do something else than its manifest says.',
    act: 'Write first_buy_only: true if that is meant, and leave reentry_after_flat out.',
  },
  'body-too-large': {
    means: 'The request with this config would have more than 64 KiB, counted in bytes of UTF-8.',
    matters: 'The service refuses larger requests.',
    act: 'Shorten the sell-side objects, which are the only ones that can grow so far.',
  },
  'too-many-labels': {
    means: 'The project has more than the 20 labels that an account can hold.',
    matters: 'The last ones could not be created, and their tasks would fail.',
    act: 'Remove labels that no task uses, or let tasks share one.',
  },
  'previous-name-taken': {
    means:
      'previous_name names something that a manifest still has, that two manifests claim, or the present name itself; in the project file, the project’s present name.',
    matters: 'A rename moves one resource to one new name; the former name must be free.',
    act: 'Remove previous_name once the rename is applied, or correct it.',
  },
  'ignored-path': {
    means: 'A path of lifecycle.ignore_changes names no field, or an element of a list.',
    matters:
      'It would ignore nothing, and hand-made changes of the field that was meant would be written over.',
    act: 'Write a path of field names; name a list as a whole.',
    example: 'lifecycle:\n  ignore_changes: [remark, config.relay_mode.tip_amount]',
  },
  'environment-ambiguous': {
    means: 'The project has several environments, and none was named.',
    matters: 'An environment is an account: a plan for the wrong one would create everything there.',
    act: 'Name the one that is meant.',
    example: 'tradeform plan --environment staging\nTRADEFORM_ENVIRONMENT=staging tradeform plan',
  },
  'environment-unknown': {
    means: 'The project file has no environment of this name.',
    matters: 'Without it there is no base URL and no account to check against.',
    act: 'Write one of those that the hint names.',
  },
  'account-shared': {
    means: 'Two environments pin the same account.',
    matters: 'Each would take the other’s tasks for its own and delete what it does not know.',
    act: 'Use another account for one of them, or make them one environment.',
  },
} as const satisfies Record<string, Explanation>;
