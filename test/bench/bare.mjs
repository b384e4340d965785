// What a bare program sends: requests over keep-alive connections, their JSON parsed.
import http from 'node:http';
import https from 'node:https';

const { BENCH_BASE_URL: base, BENCH_TOKEN: token } = process.env;
const { Agent, request } = base.startsWith('https') ? https : http;
export const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}` };

/** `data` of the answer. */
export function send(path, { method = 'GET', version } = {}) {
  const guard = version === undefined ? {} : { 'if-match': `"v${version}"` };
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, { agent, method, headers: { ...headers, ...guard } }, (answer) => {
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

/** Reads a list to its end. `came` is told the items of each page. */
export async function traverse(path, came = () => {}) {
  let cursor = '';
  do {
    const { items, next_cursor: next } = await send(`${path}limit=100${cursor}`);
    came(items);
    cursor = next === null ? undefined : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== undefined);
}
