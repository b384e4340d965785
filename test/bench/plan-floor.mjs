// The floor of a plan: the requests that no plan can do without, over keep-alive connections, and their JSON parsed. One
// traversal a collection, all collections side by side, and nothing done with what was read.
import { agent, send, traverse } from './bare.mjs';

await send('/me');
await Promise.all([
  traverse('/sniper/configs?'),
  traverse('/copy-trade/configs?'),
  traverse('/transfer-snipe/configs?'),
  traverse('/sniper/templates?'),
  traverse('/copy-trade/templates?'),
  send('/labels'),
]);
await send('/me');
agent.destroy();
