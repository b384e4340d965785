import { LIMITS } from '../../model/kind.ts';
import { CONFIG, ofFamily, type Rule } from './rule.ts';

/**
 * A JSON escape takes at most six bytes for each character, so a shorter document cannot fill a body unless aliases repeat it.
 */
const SURELY_SMALL = 8_000;
/** Room for what the manifest lacks: field names of the body, the marker, an id, defaults. */
const REST = 1_024;

/** The request body fits in 64 KiB, counted in UTF-8 bytes (HAZARDS 23). */
export const bodySize: Rule = {
  name: 'body-size',
  check(input, report) {
    for (const manifest of ofFamily(input, 'task', 'template')) {
      const config = manifest.object(...CONFIG);
      if (config === undefined || manifest.places.length < SURELY_SMALL) continue;
      const rest = [manifest.list('spec', 'linked_wallets') ?? [], manifest.text('spec', 'name') ?? ''];
      const bytes = new TextEncoder().encode(JSON.stringify([config, ...rest])).length + REST;
      if (bytes <= LIMITS.bodyBytes) continue;
      report(
        manifest,
        CONFIG,
        {
          code: 'body-too-large',
          message: `the request body would have about ${bytes} bytes; the service accepts ${LIMITS.bodyBytes}`,
          hint: 'shorten the sell-side objects',
        },
        'key',
      );
    }
  },
};
