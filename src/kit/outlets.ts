import type { Outlets } from '../core/command/io.ts';

/** All that takes the documents of a command: layouts for browsers and forges, and monitors. */
export const OUTLETS: Outlets = {
  layouts: {
    html: async ({ page }) => (await import('./html/layout.ts')).pageText(await page()),
    sarif: async ({ findings }) => (await import('./formats/sarif.ts')).sarifText(await findings()),
    github: async ({ findings }) => (await import('./formats/github.ts')).githubText(await findings()),
    gitlab: async ({ findings }) => (await import('./formats/gitlab.ts')).gitlabText(await findings()),
  },
  monitors: async () => (await import('./notify/monitors.ts')).monitors,
};
