// Runs around `npm pack`, after the build, without which an older dist/ would be packed. The packed package.json has no scripts, no
// development dependencies, and nothing about the scripts of those. Users of the package need none of it, and npm warns about an
// installed package with a `prepare` script.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const WHOLE = 'node_modules/.package.json';

if (process.argv[2] === 'restore') renameSync(WHOLE, 'package.json');
else {
  copyFileSync('package.json', WHOLE);
  const {
    scripts: _scripts,
    devDependencies: _dependencies,
    allowScripts: _allowed,
    ...packed
  } = JSON.parse(readFileSync(WHOLE, 'utf8'));
  writeFileSync('package.json', `${JSON.stringify(packed, null, 2)}\n`);
}
