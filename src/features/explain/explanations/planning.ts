import type { Explanation } from './explanation.ts';

/** What a plan says beside its changes, and why one is not carried out. */
export const PLANNING = {
  'one-way-pause': {
    means:
      'A running task has a stored config that the service would refuse today. It goes on running; once paused, it starts only with a config that passes.',
    matters: 'If the update fails between pause and start, the former config cannot be put back.',
    act: 'Look at the fields marked as legacy before you apply, and apply when somebody can look after it.',
  },
  'may-buy-again': {
    means: 'A task with buy_token_once or first_buy_only gets another config, or is replaced.',
    matters:
      'Whether the service then still remembers what the task has bought is not documented. It may buy a token a second time.',
    act: 'Apply when that would be acceptable, or leave the task as it is.',
  },
  'delete-running': {
    means: 'A running task is deleted.',
    matters: 'What that does to open positions is not documented, and a deletion cannot be undone.',
    act: 'Let its positions be closed first, or set prune: { tasks: pause } in the project file.',
  },
  'never-named': {
    means:
      'A task carries the marker of this project, and neither these manifests nor an earlier commit names it, as far as git’s history can be read.',
    matters:
      'Whoever can edit a remark can write a marker. A task without a manifest is deleted; this one may be somebody else’s. An apply with --auto-approve that nobody approved does nothing to it and ends with 1.',
    act: 'To have it deleted, approve the plan on a terminal, as a saved plan or with --expect-digest. To keep it, `tradeform release --id ID`. In a shallow clone get the history: fetch-depth: 0.',
  },
  'only-refused': {
    means:
      '--only carries out what git changed and leaves what people changed on the service. Here git’s history cannot tell the two apart: the clone is shallow, there is no repository, the base cannot be read or HEAD does not come from it, or the manifests are not committed.',
    matters:
      'A guess would undo what somebody changed by hand, or leave out what was merged. Nothing was changed.',
    act: 'Get the whole history (fetch-depth: 0), name a base that HEAD comes from (--base main...), commit the manifests; or look at the plan without --only.',
  },
  'task-released': {
    means:
      'A Removal with release: true names the task, or `tradeform release` does: its marker is taken off the remark.',
    matters:
      'The task stays as it is. One that runs keeps trading, and neither apply, drift nor the operator’s switch looks after it any more.',
    act: 'Look after it in the web application. A manifest with metadata.id takes it back.',
  },
  'resume-as-stored': {
    means:
      '`tradeform resume` starts tasks as they are stored. One of them is stored otherwise than its manifest has it in what it can spend, or the manifests cannot be read and nobody knows.',
    matters:
      'Git may have corrected an amount while the task was off. Started as it is stored, it trades the amount that was corrected until the next apply. With --auto-approve nobody would see that.',
    act: '`tradeform apply --resume-stopped ADDRESS` starts it as git has it; `tradeform apply` writes what git has and leaves it off. Where what is stored is meant, say yes on a terminal or pass --as-stored.',
  },
  'release-refused': {
    means:
      '`tradeform release` names a task that it does not touch: of another project, under protect, without a marker, or an address that several tasks carry.',
    matters:
      'A marker is how a project knows its tasks. Taken off the wrong one, nobody looks after it any more.',
    act: 'Name the task that is meant by --id; run the command in the project that owns it; take a protected address out of the list first.',
  },
  'release-named': {
    means: 'A task is to be released by hand, and a manifest still describes it.',
    matters:
      'The next plan does what the manifest wants: it adopts the task again, is blocked, or creates another one beside it. Removing the manifest alone, before the release, lets an apply delete the task.',
    act: 'Remove the manifest and add a Removal with release: true in one commit; an apply then releases the task.',
    example:
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: handed-over }\nspec:\n  release: true\n  resources: [sniper/dawn]',
  },
  'release-legacy': {
    means: 'A task that is to be released has a stored config that the service would not accept today.',
    matters:
      'The service may validate all of a task with every patch, and refuse the one that takes the marker away. The task then keeps its marker; as long as the Removal stands, nothing deletes it.',
    act: 'Try it. Where the service refuses, delete the marker from the remark in the web application.',
  },
  'label-in-use': {
    means:
      'A Removal names a label that tasks use which do not let go of it in this plan, or that are of a kind the token cannot read.',
    matters:
      'Tasks of other projects, and tasks that nobody manages from git, lose their label; whether that changes their version is not documented.',
    act: 'Ask whose tasks they are before you apply, or take the label out of the Removal.',
  },
  'unmanaged-running': {
    means: 'Tasks are running that no manifest describes and that carry no marker.',
    matters: 'They trade whatever git says, and their stakes are not in the plan’s numbers.',
    act: 'Write manifests for them (metadata.id adopts one), or stop them in the web application.',
  },
  'replacement-gap': {
    means:
      'A task gets another target wallet, and there is no room for the former and the new one beside each other: the quota is full, or the target must be unique.',
    matters: 'The former task is deleted before the new one exists. If creating it fails, neither trades.',
    act: 'Free a place of the quota, or apply when somebody can look after it.',
  },
  'first-apply': {
    means: 'No task of this project is on the service, and the manifests describe some.',
    matters: 'The wrong account looks exactly like this.',
    act: 'Pin the account in the project file; or check it with `tradeform doctor`, and pass --first-apply.',
  },
  'all-owned-gone': {
    means:
      'No manifest describes any of the tasks that carry the name of the project, and the plan would delete or pause all of them.',
    matters:
      'A wrong branch, a wrong pattern or an empty checkout looks exactly like this, and so do the tasks of another repository that uses the same name. What git named before proves nothing here: a copy of a repository has its history.',
    act: 'Look for the manifests; choose another metadata.name if another repository uses it; leave the tasks alone with --exclude; pass --allow-empty if it is meant. An apply that broke off is continued with the same option.',
  },
  'target-unknown': {
    means: 'An address that an option names matches nothing in the manifests or on the service.',
    matters: 'Something else would be planned than was meant.',
    act: 'Correct the address: KIND/NAME, as sniper/dawn; * stands for any text.',
  },
  'previous-name-unknown': {
    means:
      'metadata.previous_name names no resource of this project, so that nothing is renamed and a new one is created.',
    matters: 'If a rename was meant, the former one goes on, or is deleted.',
    act: 'Correct the name, or remove previous_name once the rename is done.',
  },
  'looks-like-rename': {
    means:
      'A task is created, and one with the same target and config that no manifest names any more is removed.',
    matters: 'A rename keeps the task and its memory; deleting and creating stops one and starts another.',
    act: 'If it was renamed, write metadata.previous_name.',
    example: 'metadata:\n  name: whale-seven\n  previous_name: whale-7',
  },
  'project-rename-left': {
    means:
      'The project file has metadata.previous_name, and tasks carry the marker of that name that no manifest names.',
    matters:
      'A rename of the project never deletes or pauses: these go on as they are, whatever prune says, until they are described or deleted.',
    act: 'Write a manifest of their name, or one with metadata.id; or delete them on the service. `tradeform pause --all` stops them as well.',
  },
  'project-rename-nothing': {
    means:
      'The project file has metadata.previous_name, and no task on this account carries the marker of that name, nor of the present one.',
    matters: 'With a wrong name, tasks that exist are taken for others’, and created again beside them.',
    act: 'Correct metadata.previous_name; `tradeform status` shows whose each task is. Or take it out.',
    example: 'metadata:\n  name: desk\n  previous_name: core',
  },
  'project-name-taken': {
    means:
      'A plan that rewrites markers to the new name of the project would also delete or stop tasks that have that name already and no manifest. `tradeform init` says it too, of a name that tasks on the account carry.',
    matters:
      'They may be another project’s, and once both have one name nobody can tell their tasks apart. Nothing is applied.',
    act: 'Choose a name that no project has. If the tasks are this project’s own (a rename that was interrupted), leave them out with --exclude ADDRESS, and let the next plan remove them.',
    example: 'tradeform plan --exclude sniper/night',
  },
  'project-rename-done': {
    means: 'Every task of the project carries its name of now.',
    matters:
      'As long as metadata.previous_name stands, tasks of a project that takes that name later count as this one’s.',
    act: 'Take metadata.previous_name out of the project file, once this is said on every account.',
    example: 'metadata:\n  name: desk\n  previous_name: core',
  },
  'take-over-nothing': {
    means: 'No task on this account carries the marker of the project that --take-over names.',
    matters: 'What was to be taken over is created instead, or is somewhere else.',
    act: 'Correct the name; `tradeform status` shows whose each task is.',
    example: 'tradeform plan --take-over desk',
  },
  'id-stale': {
    means: 'metadata.id names a task that is gone; the one that carries the marker is used.',
    matters: 'The id says something that is not true any more.',
    act: 'Remove metadata.id. It is needed only to adopt a task, or to settle which of two is meant.',
  },
  'base-unreadable': {
    means:
      'The revision that `plan --base` names exists, but cannot be planned for this project: it does not compile, has no project file, lacks the environment, or is of another project or account.',
    matters:
      'What was pending or drifted before cannot be told from this change, so that everything counts as this change.',
    act: 'Name another base; or look at the plan as a whole. The next change on top of a base that compiles is told apart again.',
    example: 'tradeform plan --base origin/main...',
  },
  'rule-loosened': {
    means:
      'A rule of the project is looser than at the revision that `plan --base` names: a guardrail or the account pin is gone or lets more through, prune.tasks deletes more, stopped_tasks starts tasks, settle waits less, the project counts the tasks of another name as its own; or a task that ignores changes of more fields (lifecycle.ignore_changes).',
    matters:
      'Every later plan is judged by it. This plan is judged by the guardrails of the base as well, so that a change cannot loosen one and use it at once.',
    act: 'Look at the rule as closely as at the tasks. Where it is not meant, write it as the base has it.',
    example: 'tradeform plan --base origin/main...',
  },
  'rule-changed': {
    means:
      'A rule of the project file is not as at the revision that `plan --base` names: tighter, or something else, such as another base URL, project name, pattern of manifests or schema of a policy.',
    matters: 'It decides what later plans do and to which account, whatever the tasks of this one look like.',
    act: 'Look at it, and go on where it is meant.',
    example: 'tradeform plan --base origin/main...',
  },
  'base-rules-unknown': {
    means:
      'The base of `plan --base` has no project file at this place and one elsewhere, has one that cannot be read, or has environments and not the one of this plan. Its guardrails and account pin for this plan are not known.',
    matters:
      'A change that moves the project file or renames the environment would leave them behind. The plan is shown and refused.',
    act: 'Keep the place and the name. Merge a new project file or environment before CI plans it with --base; or let this one plan through.',
    example: 'tradeform plan --base origin/main... --override base_rules=DIGEST',
  },
  'base-url-unconfirmed': {
    means:
      'With `plan --base`, the base URL of the project file has another scheme, host or port than at the base, or the base says none for this environment. Neither --base-url nor TRADEFORM_BASE_URL names one.',
    matters: 'The token would go to a host that only the change under review names. No request was sent.',
    act: 'If the host is right, name it outside of the repository: as --base-url, or as TRADEFORM_BASE_URL from a setting of the CI system.',
    example: 'tradeform plan --base origin/main... --base-url https://example.invalid/v1',
  },
  'plan-stale': {
    means: 'Something moved since the plan was saved: a version, a switch, a resource.',
    matters: 'What was reviewed is not what would be done. Nothing was changed.',
    act: 'Plan again and review the new plan.',
  },
  'plan-elsewhere': {
    means: 'A saved plan was made for another project, service, environment or account.',
    matters: 'Nothing of it was carried out.',
    act: 'Use the settings that it was made with, or plan again.',
  },
  'digest-differs': {
    means:
      'The plan that was made now would do something else than the one that was approved: the manifests, the live state or the room on the service changed in between. The message names what moved, as far as what was approved is known: from a digest alone it is not.',
    matters: 'What was reviewed is not what would be done. Nothing was changed.',
    act: 'Look at what differs, and approve the plan of now. Give the plan itself to see field by field what differs. Where changes only fell away, --expect-changes carries out what is left of the approved ones.',
    example: 'tradeform plan -o json > approved.json\ntradeform apply --expect-plan approved.json',
  },
  'approved-change-gone': {
    means:
      'With --expect-changes: a change was approved, and the plan of now has nothing to do there. Somebody did it by hand, an earlier run did it, the task is gone, or --target and its like leave it out.',
    matters: 'Each of the other changes was approved as it stands, and they are carried out.',
    act: 'Nothing, unless the change is missed: `tradeform status` shows the task as it is.',
    example: 'tradeform plan -o markdown > approved.md\ntradeform apply --expect-changes approved.md',
  },
  'rehearsal-failed': {
    means:
      'With --rehearse the plan was first carried out against the embedded service, and not all of it went through there.',
    matters:
      'The real service would most likely refuse the same request, with a task paused on the way to it. Nothing was changed.',
    act: 'Look at what is named. `tradeform rehearse` shows each request; where the service is known to answer otherwise, apply without --rehearse.',
    example: 'tradeform rehearse --target sniper/dawn',
  },
  'not-approved': {
    means: 'The plan was not approved: the answer was not yes, or there was no terminal to ask on.',
    matters: 'Nothing was changed.',
    act: 'Answer yes, pass --auto-approve, or apply a saved plan.',
    example: 'tradeform plan --out evening.plan\ntradeform apply evening.plan',
  },
} as const satisfies Record<string, Explanation>;
