/** What no test noticed, or none runs. */
export const MISSED = ['Survived', 'NoCoverage'];
export const NOTICED = ['Killed', 'Timeout'];

/**
 * Stryker's report as text: a row for each file and for all, then every mutant that no test noticed, with its place and
 * what was put there. The score is the share of mutants noticed, of all that could be run.
 */
export function table({ files }) {
  const names = Object.keys(files).sort();
  const rows = names.map((name) => row(name, files[name].mutants));
  const all = row(
    'all',
    names.flatMap((name) => files[name].mutants),
  );
  const missed = names.flatMap((name) =>
    files[name].mutants
      .filter(({ status }) => MISSED.includes(status))
      .map((mutant) => line(name, files[name].source, mutant)),
  );
  const heading = ['', 'killed', 'timeout', 'survived', 'no test', 'score'];
  return `${aligned([heading, ...rows, all])}\n\nNot noticed: ${missed.length}\n\n${missed.join('\n')}\n`;
}

function row(name, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [noticed, valid] = [count(...NOTICED), count(...NOTICED, ...MISSED)];
  const score = valid === 0 ? '-' : `${((100 * noticed) / valid).toFixed(1)} %`;
  return [
    name,
    ...['Killed', 'Timeout', 'Survived', 'NoCoverage'].map((status) => String(count(status))),
    score,
  ];
}

function line(name, source, { location: { start, end }, mutatorName, replacement, status }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const short = (text) => text.replace(/\s+/g, ' ').slice(0, 120);
  const untested = status === 'NoCoverage' ? ' (no test)' : '';
  return `${name}:${start.line}:${start.column} ${mutatorName}${untested}\n    - ${short(lines.join('\n'))}\n    + ${short(replacement ?? '')}`;
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  return rows
    .map((cells) =>
      cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
    )
    .join('\n');
}
