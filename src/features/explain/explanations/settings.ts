import type { Explanation } from './explanation.ts';

/** Options, settings, credentials, and files that commands write. */
export const SETTINGS = {
  'invalid-option': {
    means:
      'The command line names an option, command or value that does not exist, or two that exclude each other.',
    matters: 'Nothing was read or sent.',
    act: 'Look at the help of the command.',
    example: 'tradeform plan --help',
  },
  'max-bytes-too-small': {
    means:
      'The summary of the plan and the addresses that it deletes, replaces, starts and stops take more bytes than --max-bytes allows.',
    matters:
      'Everything else of a plan is shortened; a comment that leaves out a start or a deletion would be worse than none.',
    act: 'Give the number of bytes that the message names, or plan in parts with --target. The text and the JSON of the plan have no limit.',
    example: 'tradeform plan -o markdown --max-bytes 100000',
  },
  'base-url-missing': {
    means: 'Neither the project file, nor the environment, nor an option says where the service is.',
    matters: 'There is no default: a plan for the wrong service would create everything there.',
    act: 'Write base_url into the environment of the project file; --base-url and TRADEFORM_BASE_URL go before it.',
  },
  'base-url-invalid': {
    means: 'The base URL is not https (or http on loopback), or holds credentials, a query or a fragment.',
    matters: 'The token goes along with every request.',
    act: 'Write the plain URL with its version segment.',
    example: 'base_url: https://example.invalid/v1',
  },
  'token-missing': {
    means: 'No API token is set.',
    matters: 'Every request needs one. There is no option for it, so that it stands in no shell history.',
    act: 'Put it into a file that only you can read, or into TRADEFORM_TOKEN.',
    example: 'export TRADEFORM_TOKEN_FILE=~/.config/tradeform/token\nchmod 600 ~/.config/tradeform/token',
  },
  'token-malformed': {
    means:
      'What is given as a token does not have the documented form: svc_live_, 8 hex digits, a dot and a secret.',
    matters: 'It was cut, or is something else, which must not be sent anywhere.',
    act: 'Copy the token again. The secret part is shown only once, when the token is created.',
  },
  'token-file-mode': {
    means: 'Other users of the machine can read the token file.',
    matters: 'Whoever reads it can trade with it.',
    act: 'Run chmod 600 on it, and rotate the token if others had access.',
  },
  'tls-setting-ignored': {
    means: 'NODE_TLS_REJECT_UNAUTHORIZED is 0. tradeform ignores this and checks every certificate.',
    matters:
      'The variable turns the check off for every program of Node that is started here. Whoever answers in place of a server then gets the token.',
    act: 'Remove the variable. To trust an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS.',
    example: 'export NODE_EXTRA_CA_CERTS=/etc/ssl/own-authority.pem',
  },
  'format-left': {
    means: 'In its canonical form the file would lose a comment, or say something else.',
    matters: 'Comments say why a value is what it is; `tradeform fmt` loses none.',
    act: 'Put the comment on a line of its own, above the field that it speaks of, and run it again.',
  },
  'file-unwritable': {
    means: 'A file that the command was to write could not be written.',
    matters:
      'A plan that was not saved cannot be applied; a report that was not written is missed by whoever waits for it.',
    act: 'Name a path that can be written to, in a folder that exists.',
  },
  'plan-file-invalid': {
    means:
      'A file is no plan, was changed since it was saved, has a newer format, or is a report that was made with --redact-wallets.',
    matters: 'A saved plan is carried out as it stands; its checksum covers the whole file.',
    act: 'Plan again. Plans are not edited: change the manifests instead.',
  },
} as const satisfies Record<string, Explanation>;
