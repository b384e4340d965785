import { readdirSync, readFileSync } from 'node:fs';

const PLACES = ['README.md', 'docs', 'examples', 'deploy'];

/** The name of the repository and the version, which are written by hand in package.json alone. */
export function namesOf(root) {
  const { version, repository } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const [, name] = /github\.com\/(.+)\.git$/.exec(repository.url);
  return { name, version };
}

/** The texts that name the version: path → text with the current ones. */
export function namingTexts(root) {
  const { version } = namesOf(root);
  const named = (text) =>
    text
      .replace(/(?<=\btradeform(?:@v?|[:-]))\d+\.\d+\.\d+\b/g, version)
      .replace(/(?<=^(?:version|appVersion): )\d+\.\d+\.\d+$/gm, version);
  const paths = PLACES.flatMap((place) =>
    place.endsWith('.md')
      ? [place]
      : readdirSync(root + place, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && /\.(?:md|ya?ml|txt)$/.test(entry.name))
          .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length)),
  );
  return paths
    .map((path) => [path, readFileSync(root + path, 'utf8')])
    .flatMap(([path, text]) => (named(text) === text ? [] : [[path, named(text)]]));
}
