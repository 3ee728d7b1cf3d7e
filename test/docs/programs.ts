import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Block } from './blocks.ts';

const ROOT = process.cwd();
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The modules of the package, in this repository. */
const MODULES = { 'weft-workflows/client': 'clients/api/index.ts', 'weft-workflows/worker': 'clients/worker.ts' };

const CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    // A program that is shown does not use each name that it declares, and checks no index.
    noUnusedLocals: false,
    noUncheckedIndexedAccess: false,
    noImplicitAny: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: Object.fromEntries(Object.entries(MODULES).map(([name, path]) => [name, [join(ROOT, path)]])),
  },
  include: ['*'],
};

/** What tsc finds in the programs: `docs/tools.md:144 client.ts(3,5): error …`. */
export async function typeProblems(programs: readonly Block[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-shown-'));
  try {
    const files = programs.map(({ page, line, language }) => `${page.replaceAll('/', '-')}-${line}.${language}`);
    await Promise.all(programs.map(({ text }, at) => writeFile(join(folder, files[at] ?? ''), text)));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    await promisify(execFile)(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], { cwd: folder });
    return [];
  } catch (error) {
    if (typeof (error as { stdout?: unknown }).stdout !== 'string') throw error;
    return (error as { stdout: string }).stdout.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Compiles each program, and reads its imports: a name that the package does not have is a problem. */
const CHECK = `
import ast, json, sys
import weft_workflows
found = []
for place, text in json.load(sys.stdin):
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        found.append(f"{place}: {error}")
        continue
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "weft_workflows":
            found += [f"{place}: no {name.name}" for name in node.names if not hasattr(weft_workflows, name.name)]
json.dump(found, sys.stdout)
`;

/** What Python finds in the programs. Throws if python3 is missing. */
export function pythonProblems(programs: readonly Block[]): string[] {
  const input = JSON.stringify(programs.map(({ page, line, text }) => [`${page}:${line}`, text]));
  const env = { ...process.env, PYTHONPATH: join(ROOT, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse(execFileSync('python3', ['-c', CHECK], { input, env, encoding: 'utf8' })) as string[];
}

/** Why no program in Python can be judged here; undefined if it can. */
export function missingPython(): string | undefined {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no python3 of version 3.9 or later';
  }
}
