import { createHash } from 'node:crypto';
import { subjectText } from '../subject.ts';
import { html } from './escape.ts';
import { pageBody } from './layout.ts';
import { HTML_MARK, type Page } from './model.ts';
import script from './script.js?raw';
import style from './style.css?raw';

/**
 * One file that loads nothing and runs only its own script. The content is readable without the script, which filters, sorts
 * and opens.
 */
export function pageText(page: Page): string {
  const { view } = page;
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  const title = `tradeform ${view.command} · ${subjectText(view.subject, String)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${HTML_MARK}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${html`<title>${title}</title>`}
<style>${style}</style>
</head>
<body>
${pageBody(page)}
<script>${script}</script>
</body>
</html>
`;
}

/**
 * A hash in an attribute. A run of its letters may look like a wallet address, which redaction would replace by a name, so the
 * letters are separated.
 */
function hashOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64');
  return `sha256-${hash.replace(/(.{11})(.)/g, (_all, run: string, next: string) => `${run}&#${next.charCodeAt(0)};`)}`;
}
