import { copyTradeConfig, sniperConfig } from './generated/validators.js';
import type { JsonObject } from './json.ts';
import type { ConfigDefinition } from './kind.ts';

/**
 * True if the service's write schema accepts the config. A stored snapshot that fails is legacy: a task with it cannot
 * be started again once it is paused (interface, "States and transitions").
 */
export function passesWriteSchema(name: ConfigDefinition, config: JsonObject): boolean {
  return (name === 'sniperConfig' ? sniperConfig : copyTradeConfig)(config);
}
