import type { DesiredState } from '../../src/core/desired/state.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { SCENES, worldOf } from '../simulation/scenes.ts';
import { seedTask, sniperConfig, uuid, wallet } from '../support/builders.ts';

export const ID = uuid(1);
export const NEW = sniperConfig({ buy_amount: '0.75' });
/** A running task of ours, settled. */
export const TASK = seedTask(1, { target_wallet: wallet(0) });

/** A scene of the simulation, alone in its account: a change of one address, from what is live to what is desired. */
export interface Scenario {
  readonly name: string;
  readonly seed: SeedAccount;
  readonly desired: DesiredState;
  /** `metadata.name` of the task. */
  readonly task: string;
  /** A running task has `buy_once`. */
  readonly buyOnce: boolean;
}

export const SCENARIOS: readonly Scenario[] = SCENES.map((scene) => {
  const { account, desired } = worldOf(scene.name, [scene], []);
  const [live] = scene.tasks ?? [];
  const [wanted] = scene.wants ?? [];
  const buyOnce = live?.is_active === true && live.config.buy_once === true;
  return { name: scene.name, seed: account, desired, task: wanted?.name ?? '', buyOnce };
});

export function scenario(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario is called ${name}`);
  return found;
}
