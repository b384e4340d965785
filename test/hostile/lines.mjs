// Runs command lines of the built tradeform one after the other, as `observe.ts` sends them: a line of JSON each on stdin. The end of
// each is a zero byte and a line of JSON on stdout; what stands before it was printed past the program's own stream. Under the
// observer, which hears of the end of each line as of a process.
import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';

const SINK = 3;
const { main } = await import(process.argv[2]);
/** Of the line that runs; what belongs to a line that is over is reported there too. */
let host = new EventEmitter();
for (const name of ['uncaughtException', 'unhandledRejection'])
  process.on(name, (error) => {
    if (!host.emit(name, error)) throw error;
  });

for await (const line of createInterface({ input: process.stdin })) {
  const { args, env, cwd, serves } = JSON.parse(line);
  const before = process.cpuUsage();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  const ended = await run(args, serves);
  const { user, system } = process.cpuUsage(before);
  writeSync(SINK, `${JSON.stringify({ event: 'end', code: ended.code, cpu: (user + system) / 1e6 })}\n`);
  process.stdout.write(`\0${JSON.stringify(ended)}\n`);
}

function run(args, serves) {
  const said = { stdout: '', stderr: '' };
  const stream = (name) =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        said[name] += text;
        done();
        if (serves) host.emit('SIGTERM');
      },
    });
  return new Promise((resolve, reject) => {
    host = Object.assign(new EventEmitter(), {
      stdin: Readable.from([]),
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      env: process.env,
      cwd: () => process.cwd(),
      exit: (code) => resolve({ code, ...said }),
    });
    main(args, host).catch(reject);
  });
}
