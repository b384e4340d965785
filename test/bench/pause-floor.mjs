// The floor of a pause of everything: the account, then what runs, and each task of a page paused as the page comes, eight at a
// time. Nothing is marked, and nothing is looked at again.
import { agent, send, traverse } from './bare.mjs';

const AT_ONCE = 8;
const waiting = [];
const pauses = [];
let busy = 0;

async function pauseNext() {
  if (busy === AT_ONCE || waiting.length === 0) return;
  busy += 1;
  const { path, id, version } = waiting.shift();
  await send(`${path}/${id}/pause`, { method: 'POST', version });
  busy -= 1;
  pauses.push(pauseNext());
}

await send('/me');
await Promise.all(
  ['/sniper/configs', '/copy-trade/configs', '/transfer-snipe/configs'].map((path) =>
    traverse(`${path}?status=active&`, (items) => {
      for (const item of items) {
        waiting.push({ ...item, path });
        pauses.push(pauseNext());
      }
    }),
  ),
);
while (pauses.length > 0) await pauses.pop();
agent.destroy();
