import { choice } from './choice.ts';

/** What a body may hold and how it is stored (interface, "Resources and their fields"). */
export const CONFIG_CHOICES = {
  sell_side_keys: choice(
    ['open', 'strict'],
    'Sell-side objects have fields whose names are not shown, while every object is strict.',
    ['strict'],
  ),
  tp_order_range: choice(['any', 'sell-at-most-100'], 'Value ranges of tp_orders items: not shown.', [
    'sell-at-most-100',
  ]),
  inactive_amount: choice(
    ['checked', 'any-decimal'],
    'The unused side may hold an empty amount_sol; whether it may also hold one outside the range, such as 0: not shown.',
  ),
  duplicate_dexes: choice(
    ['accepted', 'refused'],
    'selected_dexes has no uniqueness rule; whether the same DEX twice passes: not shown.',
  ),
  defaulted_fields: choice(
    ['required', 'filled'],
    'Fields that are required and have a default: refused when absent, or filled in.',
  ),
  remark_length: choice(['utf16', 'code-points'], 'At most 64 characters: UTF-16 units or code points.'),
  length_before_trim: choice(
    ['no', 'yes'],
    'Whether remark and name are measured before or after leading and trailing spaces are removed.',
  ),
  trimmed: choice(
    ['white-space', 'spaces'],
    'Leading and trailing spaces are removed; tabs and others: not shown.',
  ),
  address_form: choice(
    ['base58', 'length', '32-bytes'],
    'A Solana-format address of 32 to 44 characters; how closely it is looked at: not shown.',
    ['32-bytes'],
  ),
  linked_target: choice(
    ['accepted', 'refused'],
    'Whether linked_wallets may hold the target wallet itself: not shown.',
    ['refused'],
  ),
  decimals_echo: choice(
    ['as-sent', 'normalised', 'padded'],
    'Whether a decimal is stored as sent, shortened or padded: "returned as stored".',
  ),
  sets_echo: choice(
    ['as-sent', 'sorted'],
    'Whether selected_dexes, linked_wallets and blacklisted wallets keep their order.',
  ),
  key_order: choice(['as-sent', 'sorted'], 'Order of keys in a stored config.'),
  optional_echo: choice(
    ['as-sent', 'filled'],
    'Whether optional fields that were left out come back filled in (empty string, false, empty array).',
    ['filled'],
  ),
} as const;
