import type { Explanation } from './explanation.ts';

/** Lints, and the annotations that turn them off. */
export const LINTS = {
  'slippage-inert': {
    means:
      'A route has a slippage percentage that bounds nothing. Of a sniper, a bundle amount goes before it; of a copy-trade task a positive bundle amount does, on DEXes that support bundle pool advancement. Where SOL slippage is on (its own flag, or the legacy shared one where it has none), the percentage is ignored too. Each route and each set of buy parameters in effect is looked at.',
    matters:
      'Whoever reads the manifest believes that a buy costs at most so many percent more, and it may cost any price.',
    act: 'Write an empty bundle amount and false for the SOL mode to use the percentage; or keep them, knowing that the percentage is none.',
    example: 'relay_mode: { tip_amount: 0.001, priority_fee: 0, slippage: 15, bundle_amount: 0.5 }',
  },
  'dex-source-global': {
    means:
      'dex_source is global, which is also its default: the account’s enabled list of DEXes decides where the task trades, and selected_dexes counts only where that list is unavailable.',
    matters:
      'The account’s list can be changed by anyone in the web application and cannot be read through the interface. No plan and no review shows where the task trades.',
    act: 'Write dex_source: config, so that selected_dexes always counts.',
    example: 'selected_dexes: [pump-fun]\ndex_source: global',
  },
  'dexes-narrowing': {
    means:
      'A tier names a DEX that selected_dexes of the task leaves out; or buy_config_universal has a selected_dexes of its own. That list narrows a tier; that it narrows the universal parameters is not documented.',
    matters:
      'Such a tier is used less than it says, or never; and universal parameters may buy on DEXes that their list leaves out.',
    act: 'Let each tier name DEXes of the task only, and say in selected_dexes of the task where the universal parameters trade.',
    example:
      'selected_dexes: [pump-fun, pump-amm]\ndex_source: config\nbuy_config_universal: { selected_dexes: [pump-fun] }',
  },
  'tiers-overlap': {
    means:
      'Two tiers that are in effect, and that can meet on a DEX, cover the same market caps. Bounds that meet are no overlap.',
    matters: 'Which of the two a buy takes is not documented, and they may differ tenfold in size.',
    act: 'Let the bounds meet: the market_cap_max of one is the market_cap_min of the next.',
    example:
      'buy_config_mode: tiered\nbuy_config_tiers:\n  - { market_cap_min: 0, market_cap_max: 200, amount_sol: 1 }\n  - { market_cap_min: 100, market_cap_max: "", amount_sol: 2 }',
  },
  'tiers-gap': {
    means:
      'Between two tiers lie market caps that no tier covers, for all DEXes of the task or for some. What lies below the first and above the last tier is no gap.',
    matters: 'What happens to a buy there is not documented: it may be skipped, or take some other tier.',
    act: 'Let the bounds meet. If nothing shall be bought there, see first that the service does so, and say it in an annotation.',
    example:
      'buy_config_mode: tiered\nbuy_config_tiers:\n  - { market_cap_min: 0, market_cap_max: 100, amount_sol: 1 }\n  - { market_cap_min: 200, market_cap_max: "", amount_sol: 2 }',
  },
  'tiers-unordered': {
    means:
      'A tier stands after one for higher market caps, on a DEX that both are for. Bounds are compared as they are written; tradeform keeps the order and converts nothing.',
    matters:
      'The order in which tiers are tried is not documented. In ascending order, without overlap, it makes no difference.',
    act: 'Put the tiers into ascending order.',
    example:
      'buy_config_mode: tiered\nbuy_config_tiers:\n  - { market_cap_min: 100, market_cap_max: "", amount_sol: 2 }\n  - { market_cap_min: 0, market_cap_max: 100, amount_sol: 1 }',
  },
  'ladder-over-100': {
    means:
      'The shares (sell) of the take-profit, stop-loss or timed orders that are in effect add up to more than 100. Orders without a readable share are passed over.',
    matters:
      'If a share is a percentage of the position, the last orders have nothing left to sell. Whether it is one of what is left at that point is not documented.',
    act: 'Lower the shares to 100 together, or say in an annotation how they are meant.',
    example:
      'auto_sell:\n  enabled: true\n  tp_orders: [{ trigger: 50, sell: 80 }, { trigger: 100, sell: 40 }]',
  },
  'dormant-values': {
    means:
      'Something is filled in and switched off: tiers in universal mode, an amount of the universal parameters in tiered mode, orders or flags of auto_sell or timed_strategy while enabled is false, wallets of a blacklist that is off.',
    matters:
      'One changed word, here or in a preset, wakes values that nobody has looked at for long. And whoever reads them believes that they count.',
    act: 'Empty them (buy_config_tiers: [], amount_sol: ""), or switch them on. Wallets of a blacklist that is off are still observed: if that is what they are for, say so in an annotation.',
    example:
      'buy_config_mode: universal\nbuy_config_tiers:\n  - { market_cap_min: "", market_cap_max: "", amount_sol: 5 }',
  },
  'ignored-under-dev-sell': {
    means:
      'dev_sell_only is on, and min_trade_amount, max_trade_amount or skip_dev_launch is set: they are documented to be ignored then, as is Anti-PVP, whose fields are not shown.',
    matters: 'A filter that somebody counts on filters nothing.',
    act: 'Write "" or false, or turn dev_sell_only off.',
    example: 'dev_sell_only: true\nmin_trade_amount: 2',
  },
  'legacy-field': {
    means:
      'A legacy field says something: the top-level bundle_amount, or a sol_slippage_mode that both routes share.',
    matters:
      'The fields of the routes go before it, and the service may stop taking it. tradeform never moves a value by itself: an absent field, "" and "0" are different things.',
    act: 'Write the field into each route, and leave the legacy one out. The next plan shows the change before anything is sent.',
    example: 'bundle_amount: 0.5',
  },
  'unshown-field': {
    means:
      'A field in auto_sell, auto_strategy, timed_strategy, trailing_take_profit or a take-profit order is none of those that the interface document shows. It shows these objects in part, so tradeform sends the field as it is. Below such a field, and in items whose shape is not shown at all (stop-loss and timed orders), nothing is looked at.',
    matters:
      'A name with a typing error is sent like any other. Whoever reads the manifest believes that it protects the task, and it may do nothing.',
    act: 'Take the name of the hint where that was meant. A field that the service is known to take stays, and an annotation says where that is known from.',
    example: 'auto_sell: { enabled: true, trailing_take_proft: { enabled: true } }',
  },
  'lookalike-address': {
    means:
      'Two different addresses of the project look alike: they share the first 4 and the last 4 characters, or one half, or differ in upper and lower case alone. Targets, linked wallets, blacklists and wallet books are compared; addresses that come from the environment are not.',
    matters:
      'Wallets are shown with their ends only, and addresses that match somebody’s ends are made on purpose and sent to people in tiny transfers, to be copied from the history. By chance two wallets do not look alike.',
    act: 'Compare both with where they came from, character by character. If both are right (a poisoned address on a blacklist, say), turn the lint off where one of them stands.',
    example:
      'address_blacklist:\n  enabled: true\n  wallets:\n    - 5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1\n    - 5Q54GL7oSXA652ScKtq4FabQJrCu7HE2vitHtJDBe4j1',
  },
  'lint-annotation': {
    means: 'An annotation lint.tradeform/… turns nothing off, because it names no lint, or gives no reason.',
    matters:
      'Somebody decided that a warning is meant to be ignored, and that decision has no effect or cannot be understood by others. Errors cannot be turned off.',
    act: 'Write the code of a lint behind the slash, and the reason as the value.',
    example: 'metadata:\n  annotations:\n    lint.tradeform/dex-source-global: The desk keeps the list.',
  },
  'lint-unused': {
    means: 'An annotation turns a lint off that has nothing to say there, in this environment at least.',
    matters: 'It would hide the next finding of that lint, which nobody has decided about.',
    act: 'Remove the annotation.',
  },
} as const satisfies Record<string, Explanation>;
