/** Writes results.jsonl by gojq: README.md of this folder. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORPUS } from './corpus.ts';

const folder = import.meta.dirname;
const lines = Object.entries(CORPUS).flatMap(([group, { inputs, programs }]) => {
  const asked = [...new Set(programs)].map((program) => JSON.stringify([program, inputs])).join('\n');
  const options = { cwd: join(folder, 'oracle'), input: asked, maxBuffer: 2 ** 28 } as const;
  const answers = execFileSync('go', ['run', '.'], { ...options, env: { ...process.env, TZ: 'UTC' } });
  return [JSON.stringify({ group, inputs }), answers.toString().trimEnd()];
});
writeFileSync(join(folder, 'results.jsonl'), `${lines.join('\n')}\n`);
