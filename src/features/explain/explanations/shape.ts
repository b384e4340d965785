import type { Explanation } from './explanation.ts';

/** The fields of a manifest and their values. */
export const SHAPE = {
  'unknown-kind': {
    means:
      'A document has a kind that tradeform does not know, or that does not belong into a manifest file.',
    matters: 'A misspelt kind would be a resource that nobody manages.',
    act: 'Write one of the kinds that the message lists. The Project stands alone in tradeform.yaml.',
  },
  'unknown-field': {
    means: 'A manifest has a field that its kind does not have.',
    matters: 'A misspelt field would be left out silently, and its default used instead.',
    act: 'Take the suggestion of the hint. Inside auto_sell, auto_strategy and timed_strategy fields beyond the documented ones pass through, with a warning (unshown-field).',
    example: 'tradeform explain SniperTask.spec.config',
  },
  'missing-field': {
    means: 'A required field is missing.',
    matters:
      'tradeform always sends the complete config; only fields with a documented default can be left out.',
    act: 'Write the field, or extend a preset or template that has it.',
  },
  'wrong-type': {
    means:
      'A value is of another type than its field: text where true or false belongs, a mapping where a list belongs.',
    matters: 'The service takes one type for each field and refuses the whole request otherwise.',
    act: 'Write the value as the hint shows.',
    example: 'tradeform explain CopyTradeTask.spec.config.selected_dexes',
  },
  'invalid-value': {
    means: 'A value is of the right type and not one of those that its field can have.',
    matters: 'The service would refuse it.',
    act: 'Write one of the values that the hint lists. Sniper and copy-trade tasks have different lists of DEXes.',
  },
  'invalid-decimal': {
    means:
      'An amount is not digits, or digits, a point and 1 to 12 digits: no sign, no exponent, no .5, no 5., no 007.',
    matters: 'Amounts are exact. A form that readers take differently must not decide how much is spent.',
    act: 'Write the plain form that the hint shows, quoted or not.',
    example: 'buy_amount: 0.5        # not .5, 5e-1 or 0,5',
  },
  'out-of-range': {
    means: 'An amount, a count or a duration lies outside of its range.',
    matters: 'The service would refuse it.',
    act: 'Write a value within the range. `tradeform explain` shows range and unit of every field.',
    example: 'tradeform explain sniper.spec.config.buy_amount',
  },
  'invalid-address': {
    means: 'A text is no chain address: 32 to 44 characters of base58 that stand for 32 bytes.',
    matters: 'A wallet with one wrong character is nobody’s, or somebody else’s.',
    act: 'Copy the whole address anew from where it came. What it should have been is never guessed.',
  },
  'invalid-name': {
    means: 'A name is not 1 to 28 of a-z, 0-9 and -; a project’s is at most 12.',
    matters: 'Names stand in the marker of every task, and a remark has room for 64 characters in all.',
    act: 'Choose a shorter or plainer name; what people read belongs into spec.remark or spec.name.',
  },
  'duplicate-item': {
    means: 'A list that is a set holds the same item twice.',
    matters: 'The service refuses duplicates, and a second one is usually a slip for another item.',
    act: 'Remove one, or write the one that was meant.',
  },
  'unquoted-number': {
    means: 'A number stands where the interface shows no type, and it is not a plain whole number.',
    matters:
      'There tradeform cannot know whether text or a number is meant, and a number might be rounded on its way.',
    act: 'Quote it to send text.',
    example: 'timed_strategy: { enabled: true, orders: [{ sell: "12.5" }] }',
  },
  'invalid-reference': {
    means:
      'A ${…} is no reference: it does not name var, env or row, or does not end. Or it stands in the project file outside of patches, where no reference is replaced (also not in variables).',
    matters: 'Sent as it is, the text would be taken for a value.',
    act: 'Write ${var.NAME}, ${env.NAME} or, in a task set, ${row.NAME}; $${ stands for the characters ${ themselves.',
  },
} as const satisfies Record<string, Explanation>;
