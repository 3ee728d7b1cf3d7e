/**
 * A separate process for the kill test: `node process.ts <folder> <executions> [answering]`. It resumes the executions
 * of the folder, starts new ones, and prints a line of JSON for each accepted start, each call of the function and, at
 * the end, all outcomes. No execution ends before a process is `answering`.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { localExecutions } from '../../../../lib/adapters/local/executions/executions.ts';
import { systemClock } from '../../../../lib/adapters/portable/clock.ts';
import type { Machine } from '../../../../lib/ports/executions.ts';

const [folder = '', count = '0', mode] = process.argv.slice(2);
const effects = join(folder, 'effects.jsonl');
const tokens = join(folder, 'tokens.txt');
const names = Array.from({ length: Number(count) }, (_, index) => `run-${index}`);
const ROUNDS = 4;

const INVOKE = 'arn:aws:states:::lambda:invoke';
const NAME = '{% $states.context.Execution.Name %}';
const LOOPING: Machine = {
  name: 'looping',
  tier: 'STANDARD',
  definition: JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'Begin',
    States: {
      Begin: { Type: 'Pass', Assign: { round: 0 }, Next: 'Effect' },
      Effect: {
        Type: 'Task',
        Resource: INVOKE,
        Arguments: { FunctionName: 'effect', Payload: { name: NAME, round: '{% $round %}' } },
        Assign: { round: '{% $round + 1 %}' },
        Next: 'Done?',
      },
      'Done?': { Type: 'Choice', Choices: [{ Condition: `{% $round = ${ROUNDS} %}`, Next: 'Ask' }], Default: 'Pause' },
      Pause: { Type: 'Wait', Seconds: '{% $round = 2 ? 1 : 0 %}', Next: 'Effect' },
      Ask: {
        Type: 'Task',
        Resource: `${INVOKE}.waitForTaskToken`,
        Arguments: { FunctionName: 'ask', Payload: {} },
        End: true,
      },
    },
  }),
};

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const functions: Record<string, (payload: unknown, token: string) => unknown> = {
  effect: (payload) => {
    appendFileSync(effects, `${JSON.stringify(payload)}\n`);
    tell({ effect: payload });
  },
  ask: (_, token) => appendFileSync(tokens, `${token}\n`),
};

const database = new LocalDatabase({ file: join(folder, 'executions.sqlite') });
const executions = localExecutions({
  database,
  clock: systemClock(),
  invoke: async (name, payload, { token = '' }) => functions[name]?.(payload, token),
});

tell({ resumed: await executions.resume() });
const handle = await executions.define(LOOPING);
for (const name of names) {
  await executions.start(handle, name, { name });
  tell({ started: name });
}
const isRunning = (name: string): boolean => executions.describe(handle, name)?.status === 'RUNNING';
while (names.some(isRunning)) {
  await sleep(20);
  const asked = mode === 'answering' && existsSync(tokens) ? readFileSync(tokens, 'utf8').trim().split('\n') : [];
  for (const token of asked) await executions.answer(token, { output: 'answered' });
}
tell({ endings: Object.fromEntries(names.map((name) => [name, executions.describe(handle, name)])) });
await executions.close();
await database.close();
