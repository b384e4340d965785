// The floor of a plan: the requests that no plan can do without, over keep-alive connections, and their JSON parsed. One
// traversal a collection, all collections side by side, and nothing done with what was read.
import { Agent, request } from 'node:http';

const { BENCH_BASE_URL: base, BENCH_TOKEN: token } = process.env;
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}` };

function get(path) {
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, { agent, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()).data);
        else reject(new Error(`${path}: ${answer.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function traverse(path) {
  let cursor = '';
  do {
    const { next_cursor: next } = await get(`${path}?limit=100${cursor}`);
    cursor = next === null ? undefined : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== undefined);
}

await get('/me');
await Promise.all([
  traverse('/sniper/configs'),
  traverse('/copy-trade/configs'),
  traverse('/transfer-snipe/configs'),
  traverse('/sniper/templates'),
  traverse('/copy-trade/templates'),
  get('/labels'),
]);
await get('/me');
agent.destroy();
