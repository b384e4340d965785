import { choice } from './choice.ts';

/** Statuses, codes, headers and envelopes (interface, sections "Errors", "Envelopes", "Headers used by endpoints"). */
export const ANSWER_CHOICES = {
  status_invalid_request: choice([400, 409], 'HTTP status of invalid_request: not shown.'),
  status_invalid_api_token: choice([401, 403], 'HTTP status of invalid_api_token: not shown.'),
  status_insufficient_scope: choice([403, 401], 'HTTP status of insufficient_scope: not shown.'),
  status_ip_not_allowed: choice([403, 401], 'HTTP status of ip_not_allowed: not shown.'),
  status_validation_error: choice(
    [400, 409],
    'HTTP status of validation_error: not shown; 422 is not among the declared ones.',
  ),
  status_target_already_exists: choice([409, 400], 'HTTP status of target_already_exists: not shown.'),
  status_template_name_exists: choice([409, 400], 'HTTP status of template_name_exists: not shown.'),
  status_label_name_exists: choice([409, 400], 'HTTP status of label_name_exists: not shown.'),
  status_quota_exceeded: choice(
    [409, 403, 400, 429],
    'HTTP status of quota_exceeded: not shown; 429 is among the declared ones.',
  ),
  status_config_must_be_paused: choice([409, 400, 403], 'HTTP status of config_must_be_paused: not shown.'),
  status_version_conflict: choice(
    [409, 400],
    'HTTP status of version_conflict: not shown; 412 is not among the declared ones.',
  ),
  status_idempotency_required: choice([400, 409], 'HTTP status of idempotency_required: not shown.'),
  status_idempotency_conflict: choice([409, 400], 'HTTP status of idempotency_conflict: not shown.'),
  status_internal_error: choice([500, 503], 'HTTP status of internal_error: not shown.'),

  expired_token_code: choice(
    ['invalid_api_token', 'insufficient_scope'],
    'Error code for an expired token: not shown.',
  ),
  credential_order: choice(
    ['address-first', 'scope-first'],
    'Whether the allowlist or the scope is checked first: not shown.',
  ),
  unknown_route: choice(
    ['not_found', 'invalid_request'],
    'Answer to a path or method that the interface does not have: not shown.',
  ),
  malformed_id: choice(
    ['not_found', 'invalid_request', 'validation_error'],
    'Answer to an {id} that is no UUID: not shown.',
  ),
  if_match_missing: choice(
    ['invalid_request', 'version_conflict', 'validation_error'],
    'If-Match is required; the code for a missing one: not shown.',
  ),
  idempotency_key_malformed: choice(
    ['invalid_request', 'idempotency_required', 'validation_error'],
    'Code for a key outside the documented form: an invalid header value, or as if there were none.',
  ),
  content_type: choice(
    ['required', 'ignored'],
    'A body without a JSON Content-Type: the header is documented, its absence is not.',
  ),
  unknown_field_path: choice(
    ['property', 'parent'],
    'error.fields of an unknown property: the property itself, or the object that holds it.',
  ),
  resume_field_paths: choice(
    ['config', 'bare'],
    'error.fields of a failed revalidation: below `config`, or relative to the config.',
  ),
  retry_after_form: choice(['seconds', 'date'], 'Retry-After is sent; seconds or an HTTP date: not shown.'),
  date_header: choice(
    ['sent', 'absent', 'ahead'],
    'The Date header is not mentioned; nor is whether it comes from the clock that writes updated_at (ahead: by 90 seconds).',
    ['ahead'],
  ),
  request_id_header: choice(
    ['documented', 'everywhere'],
    'X-Request-Id is documented for single resources and deletes; on errors and lists: not shown.',
  ),
  meta_markers: choice(['sent', 'absent'], 'meta.persistence and meta.propagation are optional.'),
  timestamp_form: choice(
    ['milliseconds', 'seconds', 'microseconds-offset'],
    'ISO 8601 with UTC offset; digits and Z or +00:00: not shown.',
  ),
  unlabeled_shown: choice(
    ['null', 'absent'],
    'risk_label_id is UUID or null; a service may also leave it out.',
  ),
  me_defaults: choice(
    ['sent', 'absent'],
    'login_username and family_role have defaults and may be left out.',
  ),
  extra_fields: choice(['none', 'some'], 'Response fields beyond those shown may appear.'),
  label_fields: choice(
    ['minimal', 'full'],
    'Remaining label fields, and the shape of the count fields for the other kinds: not shown.',
  ),
  label_delete_answer: choice(
    ['204', '200-data', '200-null'],
    'Success status of a label delete, and its body: not shown.',
  ),
} as const;
