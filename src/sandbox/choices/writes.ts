import { choice } from './choice.ts';

/** Transitions, versions, order of checks, idempotency, limits (interface, "States and transitions", "Endpoints"). */
export const WRITE_CHOICES = {
  pause_paused: choice(
    ['same-version', 'new-version', 'invalid_request', 'validation_error'],
    'Effect of pausing an already paused task: not shown.',
  ),
  resume_active: choice(
    ['same-version', 'new-version', 'invalid_request', 'validation_error', 'config_must_be_paused'],
    'Effect of resuming an already active task: not shown.',
  ),
  noop_patch: choice(
    ['new-version', 'same-version'],
    'Whether a patch that changes nothing makes a new version.',
  ),
  version_step: choice(
    [1, 2, 10],
    'The version increases on later writes; by how much is only shown for create then resume (1, 2).',
  ),
  fire_version: choice(
    ['bumped', 'same'],
    'Whether the deactivation by buy_once makes a new version: not shown.',
  ),
  fire_updated_at: choice(
    ['touched', 'same'],
    'Whether the deactivation by buy_once changes updated_at: not shown.',
  ),
  switch_updated_at: choice(['touched', 'same'], 'Whether pause and resume change updated_at: not shown.'),
  check_order: choice(
    ['version-first', 'body-first'],
    'A stale If-Match together with an invalid body, or a missing id with one: which error is told.',
  ),
  paused_order: choice(
    ['after-body', 'before-body'],
    'An invalid config sent to an active task: validation_error or config_must_be_paused.',
  ),
  remark_patch_revalidates: choice(
    ['never', 'always', 'when-paused'],
    'Whether a patch without config validates the stored config again: "resume and PATCH validate against the current strict schema".',
  ),
  action_body: choice(
    ['ignored', 'invalid_request'],
    'A body sent with pause, resume or DELETE: they take none.',
  ),

  idempotency_scope: choice(
    ['account', 'token', 'endpoint'],
    'Whether keys are remembered by account, by token, or by account and path: not shown.',
  ),
  idempotency_body: choice(['json', 'bytes'], 'What "the same body" is: the same JSON, or the same bytes.'),
  idempotency_order: choice(
    ['before-validation', 'after-validation'],
    'Whether the key is looked up before the body is validated.',
  ),
  idempotency_failures: choice(
    ['forgotten', 'bound', 'replayed'],
    'What a refused create leaves behind: nothing, the key bound to its body, or the same refusal for 24 hours.',
    ['bound', 'replayed'],
  ),
  replay_status: choice([201, 200], 'Status of a replayed create: not shown.'),
  replay_etag: choice(
    ['original', 'current'],
    'ETag of a replayed create whose resource has moved on: not shown.',
  ),
  replay_date: choice(
    ['now', 'original'],
    'Date header of a replayed create; created_at is always the original one.',
    ['original'],
  ),

  target_unique: choice(
    ['copy-trade', 'each-kind', 'across-kinds'],
    'Whether target_already_exists applies to sniper or transfer-snipe: not shown.',
    ['each-kind', 'across-kinds'],
  ),
  target_taken_by: choice(
    ['target', 'target-or-linked'],
    'What exactly triggers target_already_exists: a task with that target, or one that links the wallet too.',
    ['target-or-linked'],
  ),
  create_order: choice(
    ['target-first', 'quota-first'],
    'Which error a create gets that breaks both the quota and a unique target or name.',
  ),
  template_names: choice(
    ['per-kind', 'across-kinds'],
    'What exactly triggers template_name_exists: not shown.',
    ['across-kinds'],
  ),
  template_name_case: choice(['exact', 'ignored'], 'Whether template names that differ in case clash.', [
    'ignored',
  ]),
  template_limit_code: choice(
    ['quota_exceeded', 'validation_error', 'invalid_request'],
    'Error code returned when the 1,000-template limit is reached: not shown.',
  ),
  template_delete_tasks: choice(
    ['untouched', 'bumped'],
    'Whether deleting a template, which detaches linked tasks, makes new versions of them: not shown.',
  ),
  label_name_case: choice(['exact', 'ignored'], 'Whether label names that differ in case clash.', [
    'ignored',
  ]),
  label_create_fields: choice(
    ['name', 'both'],
    'Whether sort_order is required on create beside name: not shown.',
  ),
  label_patch_fields: choice(
    ['any', 'both'],
    'Whether name and sort_order are each required on patch: not shown.',
  ),
  label_default_order: choice(
    ['zero', 'next'],
    'sort_order of a label that was created without one: not shown.',
  ),
  label_delete_tasks: choice(
    ['untouched', 'bumped'],
    'Whether deleting a label makes new versions of the tasks that had it: not shown.',
  ),
  label_delete_updated_at: choice(
    ['same', 'touched'],
    'Whether deleting a label changes updated_at of the tasks that had it: not shown.',
  ),
} as const;
