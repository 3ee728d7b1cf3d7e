/**
 * Writes verdicts.txt, what gojsonschema 1.2.0 says of the corpus: `node test/language/schemas/oracle/record.ts`. It needs
 * Go, which the test that compares the verdicts does not.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMAS, VALUES } from './corpus.ts';

const { dirname } = import.meta;
const { status, stdout } = spawnSync('go', ['run', '.'], {
  cwd: dirname,
  input: JSON.stringify({ schemas: SCHEMAS, values: VALUES }),
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(1);
writeFileSync(join(dirname, 'verdicts.txt'), stdout);
