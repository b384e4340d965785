import { choice } from './choice.ts';

/** Paging, filters and search (interface, "List query parameters", "Templates", "Labels"). */
export const LIST_CHOICES = {
  list_order: choice(['desc', 'asc'], 'Ordering by updated_at and then id; its direction: not shown.'),
  template_order: choice(['updated', 'name', 'created'], 'Template list ordering: not shown.'),
  full_last_page: choice(
    ['null', 'empty-page'],
    'next_cursor is null on the last page; whether a full last page is known to be the last: not shown.',
  ),
  page_size: choice(
    ['as-asked', 'at-most-2'],
    'Whether a page that is not the last one may hold fewer items than the limit: not shown.',
    ['at-most-2'],
  ),
  cursor_kind: choice(
    ['position', 'offset'],
    'What a cursor holds: the last item, or a count that shifts when items move. The ordering "keeps paging stable".',
  ),
  cursor_expiry: choice(['never', '15m', '10s'], 'Expiry of a cursor: not shown.', ['10s']),
  cursor_error: choice(
    ['invalid_request', 'validation_error'],
    'Error returned for an invalid or expired cursor: not shown.',
  ),
  cursor_limit: choice(
    ['free', 'bound'],
    'Limit and filters are to be kept; whether another limit makes the cursor invalid: not shown.',
  ),
  unknown_query: choice(
    ['ignored', 'invalid_request'],
    'A query parameter that the interface does not have.',
  ),
  malformed_label_id: choice(
    ['invalid_request', 'not_found'],
    'A label_id that is neither a UUID nor `unlabeled`: an invalid query, or a missing label.',
  ),
  q_match: choice(
    ['substring', 'substring-case', 'prefix', 'word'],
    'How q searches remark, target_wallet and names: not shown.',
  ),
} as const;
