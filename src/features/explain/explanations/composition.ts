import type { Explanation } from './explanation.ts';

/** What manifests take from each other and from the project file. */
export const COMPOSITION = {
  'unknown-variable': {
    means:
      'A reference names a variable of the project file, a variable of the environment or a column that does not exist or is empty.',
    matters: 'An empty value in its place would be another strategy.',
    act: 'Define it under variables in the project file (for all environments, or in the one that is meant), set it where tradeform runs, or add the column.',
    example: 'spec:\n  variables: { size: "0.5" }       # tradeform.yaml; in a manifest: ${var.size}',
  },
  'env-not-here': {
    means:
      'A value of the environment (${env.…}) stands in a field that is shown, or names one of tradeform’s own settings.',
    matters:
      'Values of the environment are secret: plans, diagnostics and logs mask them. A name or a label cannot be masked, and a token never becomes part of a manifest.',
    act: 'Use ${var.NAME} there. ${env.NAME} is for config, target_wallet, linked_wallets, remark and wallet books.',
  },
  'env-credential': {
    means:
      '${env.NAME} names a variable that CI systems, clouds or registries keep a credential in (GITHUB_TOKEN, CI_JOB_TOKEN, AWS_SECRET_ACCESS_KEY and others), or its value is a credential: it has the form of one (svc_live_…, ghp_…, a JSON Web Token, a private key, a URL with a password), or holds what such a variable has.',
    matters:
      'The value of a field is sent to the service and stored there. A pull request could send the credentials of the run away with a note.',
    act: 'Name a variable that holds the value of this field alone.',
  },
  'unknown-base': {
    means: 'spec.extends names something that is no template and no preset of this project.',
    matters: 'Without it the config would lack what it was to give.',
    act: 'Write the metadata.name of a Preset or template, not its spec.name.',
  },
  'wrong-base': {
    means:
      'spec.extends names a template or preset for another kind of task, or a name that a template and a preset share.',
    matters:
      'Sniper and copy-trade configs have different fields, and of two bases of one name it is not clear which is meant.',
    act: 'Extend one that fits (spec.for of the preset), or give one of the two another name.',
  },
  'extends-cycle': {
    means: 'Manifests extend each other in a circle; the message shows the way around.',
    matters: 'Then no order of merging exists.',
    act: 'Take one of them out; what they share belongs into a third preset.',
  },
  'unknown-wallet': {
    means: 'Where a wallet belongs stands neither a chain address nor a name of a WalletBook.',
    matters: 'A misspelt name must not become another wallet.',
    act: 'Correct the name, or add it to a WalletBook.',
    example:
      'apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: whales }\nspec:\n  wallets:\n    whale-7: 7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
  },
  'duplicate-wallet': {
    means: 'Two wallet books define one name.',
    matters: 'Which wallet a task would watch would depend on the order of files.',
    act: 'Remove one, or rename it.',
  },
  'wallet-named-twice': {
    means: 'One address stands in the wallet books under two names.',
    matters: 'One of the two is often a wallet that was pasted twice, and another one that is missing.',
    act: 'Compare both with where they came from; keep one name if they are the same wallet.',
  },
  'patch-unused': {
    means: 'The target of a patch in the project file matches no manifest.',
    matters: 'The environment runs without a change that somebody meant it to have.',
    act: 'Correct the target: KIND/NAME, as sniper/alpha or preset/fees; * stands for any text. Remove the patch if its manifest is gone.',
  },
  'rows-missing': {
    means: 'A task set has no rows, an empty table, or rows and rows_from both.',
    matters: 'A set without rows would delete all of its tasks; that is done by removing its manifest.',
    act: 'Write spec.rows, or name a CSV file in spec.rows_from; one of the two.',
  },
  'csv-syntax': {
    means:
      'A CSV file cannot be read as a table: a quote that does not end, a line with more or fewer cells than the header, a header that names a column twice or wrongly.',
    matters: 'Shifted cells would put one column’s amount into another’s field.',
    act: 'Correct the line that the message names.',
  },
  'column-unused': {
    means: 'A column of a task set is used nowhere in its body.',
    matters: 'Somebody fills it in and believes that it has an effect.',
    act: 'Write ${row.COLUMN} where it belongs, or remove the column.',
  },
  'secret-hidden': {
    means: 'A manifest takes values from the environment, and what was printed has (secret) in their place.',
    matters:
      'A value of the environment is shown nowhere. Where (secret) stands, the output is no manifest to go on with.',
    act: 'Nothing, if it is for reading. To copy a manifest, write the ${env.NAME} of the original where (secret) stands.',
  },
} as const satisfies Record<string, Explanation>;
