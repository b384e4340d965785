/** The kinds of the OpenAPI document, as src/core/model/kind.ts has them. */

export const TASKS = [
  {
    path: '/sniper/configs',
    name: 'SniperTask',
    noun: 'sniper task',
    tag: 'Sniper tasks',
    scope: 'sniper',
    body: 'sniper',
    config: 'sniperConfig',
    exampleId: '0b7f3c52-8f4c-4f0e-8a44-6c1d2e3f4a05',
  },
  {
    path: '/copy-trade/configs',
    name: 'CopyTradeTask',
    noun: 'copy-trade task',
    tag: 'Copy-trade tasks',
    scope: 'copytrade',
    body: 'copyTrade',
    config: 'copyTradeConfig',
    linked: true,
    exampleId: '1c80ad63-9a5d-4a1f-9b55-7d2e3f4a5b16',
  },
  {
    path: '/transfer-snipe/configs',
    name: 'TransferSnipeTask',
    noun: 'transfer-snipe task',
    tag: 'Transfer-snipe tasks',
    scope: 'transfersnipe',
    body: 'transferSnipe',
    config: 'sniperConfig',
    exampleId: '2d91be74-ab6e-4b20-8c66-8e3f4a5b6c27',
  },
];

export const TEMPLATES = [
  {
    path: '/sniper/templates',
    name: 'SniperTemplate',
    noun: 'sniper template',
    tag: 'Sniper templates',
    scope: 'sniper',
    body: 'sniperTemplate',
    config: 'sniperConfig',
    exampleId: '3ea2cf85-bc7f-4c31-9d77-9f4a5b6c7d38',
  },
  {
    path: '/copy-trade/templates',
    name: 'CopyTradeTemplate',
    noun: 'copy-trade template',
    tag: 'Copy-trade templates',
    scope: 'copytrade',
    body: 'copyTradeTemplate',
    config: 'copyTradeConfig',
    exampleId: '4fb3d096-cd80-4d42-8e88-a05b6c7d8e49',
  },
];

export const LABELS = 'Labels';
export const CREDENTIAL = 'Credential';
