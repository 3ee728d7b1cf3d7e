import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { PACKAGE_FOLDER } from '../../lib/adapters/portable/package.ts';
import { COPIES, copiesOf, type ExtraFile } from './extra-files.ts';

const FUNCTIONS = join(PACKAGE_FOLDER, 'functions');
const BUILDER = join(PACKAGE_FOLDER, 'bin', 'functions', 'build.ts');

let built: string | undefined;

/**
 * The folder of all bundles: that of the published package (docs/decisions/038), or of a checkout one that is built at the
 * first call of a process and deleted at the end of the process. CDK's own bundling starts esbuild by npm for each function.
 */
function bundleFolder(): string {
  if (existsSync(join(FUNCTIONS, COPIES))) return FUNCTIONS;
  if (built !== undefined) return built;
  const folder = mkdtempSync(join(tmpdir(), 'weft-functions-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', BUILDER, folder], { stdio: 'inherit' });
  built = folder;
  return built;
}

/** The code of a function: its folder, and its files of those that lie beside several functions. */
export function bundledCode(path: string, extraFiles: readonly ExtraFile[]): Code {
  const tryBundle = (to: string): boolean => {
    const folder = bundleFolder();
    cpSync(join(folder, path), to, { recursive: true });
    for (const name of copiesOf(extraFiles)) copyFileSync(join(folder, COPIES, name), join(to, name));
    return true;
  };
  // The image is required, and not used: the files are put together here. The command distinguishes the functions.
  const bundling = { image: DockerImage.fromRegistry('scratch'), command: [path], local: { tryBundle } };
  return Code.fromAsset(FUNCTIONS, { assetHashType: AssetHashType.OUTPUT, bundling });
}
