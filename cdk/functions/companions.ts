import { join } from 'node:path';
import type { ICommandHooks } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Packages of the CommonJS kind call `require`, which a module does not have. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

interface Bundled {
  readonly entry: string;
  readonly options: string;
}

/** Files that lie beside a function: what each is made of, and with which options of its own. */
const BUNDLED = {
  /** The thread for scripts, as lib/language/sandbox/sandbox.ts wants it: the engines inside. */
  'sandbox-worker.mjs': {
    entry: join('lib', 'language', 'sandbox', 'worker.ts'),
    options: `--loader:.wasm=binary --banner:js="${REQUIRE}"`,
  },
  /** What is laid into images of containers: it runs there alone with Node. */
  'beside.mjs': { entry: join('lib', 'containers', 'sidecar', 'lambda.ts'), options: '' },
} as const satisfies Record<string, Bundled>;

/** The folder of the console's files. */
const CONSOLE = 'console';

export type Companion = keyof typeof BUNDLED | typeof CONSOLE;

/** The command that makes one, from the repository's folder into another: the same files give the same bytes. */
export function companionCommand(name: Companion, root: string, to: string): string {
  if (name === CONSOLE)
    return `"${process.execPath}" "${join(root, 'bin', 'console', 'build.ts')}" "${join(to, name)}"`;
  const { entry, options } = BUNDLED[name];
  return [
    `"${join(root, 'node_modules', '.bin', 'esbuild')}"`,
    `"${join(root, entry)}"`,
    '--bundle --platform=node --target=node24 --format=esm --log-level=warning --minify-whitespace --minify-syntax',
    options,
    `--outfile="${join(to, name)}"`,
  ].join(' ');
}

/** Lays them beside a function when it is bundled. */
export const companionHooks = (names: readonly Companion[]): ICommandHooks => ({
  beforeBundling: () => [],
  beforeInstall: () => [],
  afterBundling: (from, to) => names.map((name) => companionCommand(name, from, to)),
});
