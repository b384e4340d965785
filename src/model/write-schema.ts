import { copyTradeConfig, sniperConfig } from './generated/validators.js';
import type { JsonObject } from './json.ts';
import type { ConfigDefinition } from './kind.ts';

/**
 * True where the service's write schema takes the config: a stored snapshot that fails is legacy, and a task that has it
 * cannot be started again once it is paused (interface, "States and transitions").
 */
export function passesWriteSchema(name: ConfigDefinition, config: JsonObject): boolean {
  return (name === 'sniperConfig' ? sniperConfig : copyTradeConfig)(config);
}
