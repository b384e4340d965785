import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json } from '../../model/json.ts';
import { CONFIG } from '../rules/rule.ts';
import { activeSets } from './buy-sets.ts';
import { type ConfigLint, configField, isPositive, type LintReport } from './lint.ts';

/** The fields of one route. If the route lacks its own fields, the shared ones count. */
interface Route {
  readonly slippage: Path;
  readonly bundle: Path;
  readonly sharedBundle?: Path;
  readonly solMode: Path;
  readonly sharedSolMode: Path;
  /** The condition for a positive bundle amount, in the interface's words. */
  readonly where: string;
}

/** A percentage that limits nothing, because a bundle amount or the SOL mode overrides it, for each route (HAZARDS 14). */
export const slippageInert: ConfigLint = {
  code: 'slippage-inert',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config, definition }, report) {
    const parts = definition === 'sniperConfig' ? MODES : SETS;
    if (!mayBeInert(config) && !parts.some((part) => [config[part] ?? null].flat().some(mayBeInert))) return;
    if (definition === 'sniperConfig') {
      for (const mode of MODES) checkRoute(manifest, sniperRoute(mode), report);
      return;
    }
    for (const { path } of activeSets(config)) {
      for (const route of ['relay', 'priority']) checkRoute(manifest, copyTradeRoute(path, route), report);
    }
  },
};

const MODES = ['relay_mode', 'priority_mode'];
const SETS = ['buy_config_universal', 'buy_config_tiers'];

/** False for most configs and their parts: they contain no effective bundle amount or SOL mode. */
function mayBeInert(part: Json): boolean {
  return isObject(part) && Object.keys(part).some((key) => GOES_BEFORE.has(key) && says(part[key]));
}

const ROUTES = ['', 'relay_', 'priority_'];
const GOES_BEFORE = new Set(
  ROUTES.flatMap((route) => [`${route}bundle_amount`, `${route}sol_slippage_mode`]),
);

function says(value: Json | undefined): boolean {
  return value === true || isPositive(value);
}

function sniperRoute(mode: string): Route {
  const at = [...CONFIG, mode];
  return {
    slippage: [...at, 'slippage'],
    bundle: [...at, 'bundle_amount'],
    sharedBundle: [...CONFIG, 'bundle_amount'],
    solMode: [...at, 'sol_slippage_mode'],
    sharedSolMode: [...CONFIG, 'sol_slippage_mode'],
    where: '',
  };
}

function copyTradeRoute(set: Path, route: string): Route {
  return {
    slippage: [...set, `${route}_slippage`],
    bundle: [...set, `${route}_bundle_amount`],
    solMode: [...set, `${route}_sol_slippage_mode`],
    sharedSolMode: [...set, 'sol_slippage_mode'],
    where: ' on DEXes that support bundle pool advancement',
  };
}

function checkRoute(manifest: Manifest, route: Route, report: LintReport): void {
  const slippage = manifest.text(...route.slippage);
  if (slippage === undefined) return;
  const bundle = firstGiven(manifest, route.bundle, route.sharedBundle);
  const solMode = firstGiven(manifest, route.solMode, route.sharedSolMode);
  const field = configField(route.slippage);
  if (solMode !== undefined && manifest.get(...solMode) === true) {
    report(
      manifest,
      route.slippage,
      `${field} ${slippage} % has no effect: ${configField(solMode)} is true, so the route uses SOL slippage`,
      `write ${configField(route.solMode)}: false to use the percentage`,
    );
  }
  const amount = bundle === undefined ? undefined : manifest.get(...bundle);
  if (bundle !== undefined && isPositive(amount)) {
    report(
      manifest,
      route.slippage,
      `${field} ${slippage} % has no effect${route.where}: ${configField(bundle)} is ${amount}`,
      `write ${configField(route.bundle)}: "" to use the percentage`,
    );
  }
}

function firstGiven(manifest: Manifest, ...paths: readonly (Path | undefined)[]): Path | undefined {
  return paths.find((path) => path !== undefined && manifest.get(...path) !== undefined);
}
