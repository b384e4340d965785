/**
 * `guardrails` of the project file. A guardrail is its plain limit, or a mapping with limit and action. null turns a default off.
 * Editors and the reader use this description. The validators do not check the values (`loose`), because src/core/desired/guardrails
 * has better error messages.
 */
const DECIMAL = '^(?:0|[1-9][0-9]*)(?:\\.[0-9]{1,12})?$';
const COUNT = '^(?:0|[1-9][0-9]{0,6}|(?:[1-9]?[0-9]|100)%)$';
const RISE = `${DECIMAL}|^(?:0|[1-9][0-9]{0,6})%$`;
const ADDRESSES = 'Addresses such as sniper/dawn or copy-trade/*; * stands for any text.';
const WALLETS = 'Addresses, or names of a wallet book.';

const ACTION = {
  description:
    'refuse (default): a plan that breaks the limit is refused; warn: it only gets a warning; off: the guardrail is off.',
  type: 'string',
  enum: ['refuse', 'warn', 'off'],
};

export function guardrailsSchema(service, loose) {
  const { sniperDex, copyTradeDex } = service.definitions;
  const dexes = [...new Set([...sniperDex.enum, ...copyTradeDex.enum])];
  const properties = {
    max_deletes: count(
      'Tasks that one plan may delete; replacements do not count. Default: 5 or 20% of the owned tasks, whichever is more.',
    ),
    max_changes: count('Tasks, templates and labels that one plan may write to. Default: any number.'),
    max_starts: count(
      'Tasks that one plan may start; a replacement that runs counts, the completion of an interrupted apply does not. Default: 10 or 50% of the owned tasks, whichever is more, not counting new tasks.',
    ),
    max_buy_amount: amount('SOL of one buy, on every side and in every tier. Default: 10.'),
    max_tip: amount('SOL tip of each route; bundle amounts count as tips. Default: 1.'),
    max_priority_fee: amount('SOL priority fee of each route. Default: 1.'),
    max_slippage: amount('Slippage of each route in percent. Default: 50.', { max: '100' }),
    max_factor: amount(
      'A buy amount, tip, fee or slippage that a plan changes may grow by this factor; a value that was 0 may become any value. Default: 10.',
      { min: '1', max: '1000000' },
    ),
    max_exposure: amount(
      'SOL at stake per trigger of all running tasks together, after the plan; a plan that does not raise it is allowed. Default: none.',
    ),
    max_exposure_rise: guardrail(
      'What one plan may add to the exposure per trigger: SOL, or a percentage of the current exposure. Default: none.',
      { type: ['string', 'number'], pattern: RISE, minimum: 0, 'x-decimal': { min: '0' } },
    ),
    max_task_exposure: amount('SOL at stake per trigger of one task. Default: none.'),
    allowed_dexes: list(
      'DEXes that tasks and templates may name; dex_source must then be config. Default: all.',
      {
        type: 'string',
        enum: dexes,
      },
    ),
    allowed_wallets: list(`target_wallet and linked_wallets must be among these. ${WALLETS} Default: all.`),
    forbidden_wallets: list(
      `target_wallet and linked_wallets must not be among these. ${WALLETS} Default: none.`,
    ),
    require_label: guardrail(
      'true: every task must have a label; a list: every task must have one of these labels, by metadata.name. Default: no.',
      { type: ['boolean', 'array'], items: { type: 'string' } },
    ),
    protect: list(`May not be deleted, replaced or stopped. ${ADDRESSES} Default: none.`),
    policies: policies(),
  };
  return {
    description: 'Limits of a plan: a plan that breaks them is shown and refused.',
    type: 'object',
    additionalProperties: false,
    required: [],
    properties: loose ? Object.fromEntries(Object.keys(properties).map((name) => [name, {}])) : properties,
  };
}

/** `limit` is the schema of the plain limit, with one or more types. */
function guardrail(description, limit) {
  const types = [limit.type].flat();
  return {
    ...limit,
    description,
    type: [...types, 'object', 'null'],
    additionalProperties: false,
    minProperties: 1,
    properties: { limit: { ...limit, description }, action: ACTION },
  };
}

/** Numbers keep their source text (`x-decimal`), as everywhere. */
function count(description) {
  return guardrail(description, {
    type: ['string', 'integer'],
    pattern: COUNT,
    minimum: 0,
    'x-decimal': {},
  });
}

function amount(description, range = {}) {
  return guardrail(description, {
    type: ['string', 'number'],
    pattern: DECIMAL,
    minimum: Number(range.min ?? 0),
    ...(range.max === undefined ? {} : { maximum: Number(range.max) }),
    'x-decimal': { min: '0', ...range },
  });
}

function list(description, item = { type: 'string', minLength: 1 }) {
  return guardrail(description, { type: 'array', maxItems: 10_000, items: item });
}

function policies() {
  const policy = {
    name: {
      description:
        'Name of the policy, 1 to 24 characters of a-z, 0-9 and -; --override calls it policy/NAME.',
      type: 'string',
      pattern: '^[a-z0-9-]{1,24}$',
    },
    message: {
      description: 'The text to show when the policy refuses a plan.',
      type: 'string',
      minLength: 1,
    },
    target: { description: `What it applies to. ${ADDRESSES} Default: *.`, type: 'string', default: '*' },
    action: ACTION,
    schema: {
      description:
        'A JSON Schema (draft-07) for the compiled manifest, as tradeform render prints it. Amounts are strings: decimalMaximum and decimalMinimum compare them exactly. wildcard compares text. There are no references and no regular expressions.',
      type: ['object', 'boolean'],
      additionalProperties: true,
    },
    file: {
      description: 'Instead of schema: a JSON or YAML file, by its path from the project directory.',
      type: 'string',
      minLength: 1,
    },
  };
  return {
    description: 'JSON Schemas that compiled tasks and templates must pass.',
    type: 'array',
    maxItems: 100,
    items: {
      description: 'One policy, with schema or file.',
      type: 'object',
      additionalProperties: false,
      required: ['name', 'message'],
      properties: policy,
    },
  };
}
