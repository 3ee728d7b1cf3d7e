import { join } from 'node:path';
import type { ICommandHooks } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Defines `require` for bundled CommonJS packages, because a module has none. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

interface BundledFile {
  readonly entry: string;
  readonly options: string;
}

/** Files that are bundled beside a function: the source of each, and its own esbuild options. */
const BUNDLED_FILES = {
  /** The worker thread that lib/language/sandbox/sandbox.ts starts, with the script engines. */
  'sandbox-worker.mjs': {
    entry: join('lib', 'language', 'sandbox', 'worker.ts'),
    options: `--loader:.wasm=binary --banner:js="${REQUIRE}"`,
  },
  /** The module that sends mails by SMTP; lib/egress/delivery.ts loads it for the first mail. */
  'smtp.mjs': { entry: join('lib', 'egress', 'smtp.ts'), options: `--banner:js="${REQUIRE}"` },
  /** The sidecar that is copied into images of containers, where only Node exists. */
  'beside.mjs': { entry: join('lib', 'containers', 'sidecar', 'lambda', 'main.ts'), options: '' },
} as const satisfies Record<string, BundledFile>;

/** The folder of the console's files. */
const CONSOLE = 'console';

export type ExtraFile = keyof typeof BUNDLED_FILES | typeof CONSOLE;

/** The command that makes an extra file or folder. It is deterministic: the same sources give the same bytes. */
export function extraFileCommand(name: ExtraFile, root: string, to: string): string {
  if (name === CONSOLE)
    return `"${process.execPath}" "${join(root, 'bin', 'console', 'build.ts')}" "${join(to, name)}"`;
  const { entry, options } = BUNDLED_FILES[name];
  return [
    `"${join(root, 'node_modules', '.bin', 'esbuild')}"`,
    `"${join(root, entry)}"`,
    '--bundle --platform=node --target=node24 --format=esm --log-level=warning --minify-whitespace --minify-syntax',
    options,
    `--outfile="${join(to, name)}"`,
  ].join(' ');
}

/** The license of Weft. */
const LICENSE = 'LICENSE';

/** The licenses of the packages that its bundles contain. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/** The folder of the published package with one copy of each file that lies beside several functions. */
export const COPIES = 'copies';

/** The files of that folder that lie beside a function. The files of the console are in the folder of its function. */
export const copiesOf = (names: readonly ExtraFile[]): string[] => [
  ...names.filter((name) => name !== CONSOLE),
  LICENSE,
  NOTICES,
];

const COPY = "require('node:fs').copyFileSync(process.argv[1], process.argv[2])";

/** The commands that put the licenses into a folder. */
const licenseCommands = (root: string, to: string): string[] => [
  `"${process.execPath}" -e "${COPY}" "${join(root, LICENSE)}" "${join(to, LICENSE)}"`,
  `"${process.execPath}" "${join(root, 'bin', 'licenses', 'write.ts')}" "${join(to, NOTICES)}"`,
];

/** Bundles extra files after a function was bundled, and puts the licenses beside them. */
export const extraFileHooks = (names: readonly ExtraFile[]): ICommandHooks => ({
  beforeBundling: () => [],
  beforeInstall: () => [],
  afterBundling: (from, to) => [...names.map((name) => extraFileCommand(name, from, to)), ...licenseCommands(from, to)],
});
