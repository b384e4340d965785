import { fileURLToPath } from 'node:url';
import { anchorOf, DOCS, plainHeaders, readmeFirst, repositoryLinks, sitePath } from './links.mjs';
import { sidebar } from './navigation.mjs';
import { withPolicy } from './policy.mjs';

const below = (path) => fileURLToPath(new URL(path, import.meta.url));

export default {
  title: 'tradeform',
  description: 'Declarative GitOps for trading tasks: plan, review and apply from YAML in git.',
  lang: 'en',
  srcDir: DOCS,
  outDir: below('../../dist-docs'),
  cacheDir: below('../node_modules/.cache/vitepress'),
  rewrites: sitePath,
  metaChunk: true,
  markdown: {
    html: false,
    anchor: { slugify: anchorOf },
    config: (md) => md.use(readmeFirst).use(repositoryLinks).use(plainHeaders),
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  transformHtml: withPolicy,
  // The search index is one chunk, loaded by the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    sidebar: sidebar(),
  },
};
