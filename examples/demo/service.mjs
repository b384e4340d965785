/** The service as others use it: a person with another token, and the sandbox's doors for events outside the interface. */
export class Service {
  #origin;
  #token;
  #marker;
  /** Tasks, templates and labels by collection. */
  #paths = {
    sniper: '/sniper/configs',
    'copy-trade': '/copy-trade/configs',
    'transfer-snipe': '/transfer-snipe/configs',
  };

  constructor(baseUrl, token, project = 'core') {
    this.#marker = new RegExp(String.raw`\[git:${project}/([a-z0-9-]+)[^\]]*\]$`);
    this.baseUrl = baseUrl;
    this.#origin = new URL(baseUrl).origin;
    this.#token = token;
  }

  /** Every task of the account, by `<collection>/<name of the marker>`, or `<collection> <id>` without one. */
  async tasks() {
    const tasks = new Map();
    for (const [collection, path] of Object.entries(this.#paths)) {
      const { data } = await this.#request('GET', `${path}?limit=100`);
      for (const task of data.items) {
        const name = this.#marker.exec(task.remark)?.[1];
        tasks.set(name === undefined ? `${collection} ${task.id}` : `${collection}/${name}`, {
          ...task,
          collection,
        });
      }
    }
    return tasks;
  }

  async labels() {
    return (await this.#request('GET', '/labels')).data.items;
  }

  async task(address) {
    const found = (await this.tasks()).get(address);
    if (found === undefined) throw new Error(`${address} is not on the service`);
    return found;
  }

  pause(task) {
    return this.#write('POST', task, '/pause');
  }

  /** Like a person in the web application: pause, change, resume. */
  async editRunning(task, config) {
    const paused = await this.pause(task);
    const patched = await this.#write('PATCH', paused, '', { config });
    return this.#write('POST', patched, '/resume');
  }

  /** Triggers a trade. */
  async fire(task) {
    return this.#control('POST', `tasks/${task.id}/fire`);
  }

  /** Requests since the log was last cleared. */
  async log() {
    return (await this.#control('GET', 'log')).entries;
  }

  clearLog() {
    return this.#control('DELETE', 'log');
  }

  async #write(method, task, suffix, body) {
    const path = `${this.#paths[task.collection]}/${task.id}${suffix}`;
    const { data } = await this.#request(method, path, body, { 'if-match': `"v${task.version}"` });
    return { ...data, collection: task.collection };
  }

  async #request(method, path, body, headers = {}) {
    return send(`${this.baseUrl}${path}`, method, body, {
      ...headers,
      authorization: `Bearer ${this.#token}`,
    });
  }

  #control(method, path) {
    return send(`${this.#origin}/_sandbox/${path}`, method);
  }
}

async function send(url, method, body, headers = {}) {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
