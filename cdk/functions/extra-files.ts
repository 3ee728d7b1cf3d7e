/**
 * The files that lie beside several functions: the worker thread that lib/language/sandbox/sandbox.ts starts, with the
 * script engines; the module that sends mails by SMTP, which lib/egress/delivery.ts loads for the first mail; the clients of AWS for
 * secrets that are stored elsewhere (lib/adapters/portable/secrets/aws.ts); the verification of tokens
 * (lib/adapters/portable/tokens/issuer-tokens.ts); the engine of regular expressions (bin/functions/re2.ts); the sidecar that is copied into images of containers, where only Node exists.
 */
export const COPIED_FILES = [
  'sandbox-worker.mjs',
  'smtp.mjs',
  'aws-secrets.mjs',
  'tokens.mjs',
  're2.cjs',
  'beside.mjs',
] as const;

export type CopiedFile = (typeof COPIED_FILES)[number];

/** The folder of the console's files. */
export const CONSOLE = 'console';

export type ExtraFile = CopiedFile | typeof CONSOLE;

/** The license of Weft. */
export const LICENSE = 'LICENSE';

/** The licenses of the packages that its bundles contain. */
export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/** The folder of the bundles with one copy of each file that lies beside several functions. */
export const COPIES = 'copies';

/** The files of that folder that lie beside a function. The files of the console are in the folder of its function. */
export const copiesOf = (names: readonly ExtraFile[]): string[] => [
  ...names.filter((name) => name !== CONSOLE),
  LICENSE,
  NOTICES,
];
