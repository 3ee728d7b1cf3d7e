import { setImmediate as turn } from 'node:timers/promises';
import { stepFunctions } from '../../lib/adapters/aws/executions/executions.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import * as workflows from '../../lib/domain/tree/workflows.ts';
import { createWorkflow } from '../../lib/engine/changes/publishing.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { MemoryPorts } from '../engine/world/memory-ports.ts';
import { VirtualTime } from '../engine/world/virtual-time.ts';
import { QuotaStepFunctions } from './step-functions.ts';

export const STEPS = 'arn:aws:lambda:eu-test-1:123456789012:function:weft-steps';

/** The engine over memory and over Step Functions with its limits, in virtual time. */
export class QuotaSpace {
  readonly memory = new MemoryPorts();
  readonly time = new VirtualTime();
  readonly aws = new QuotaStepFunctions(() => this.time.clock.now());
  readonly #given: Partial<Pick<RunnerPorts, 'table'>>;
  ports: RunnerPorts;

  /** `given`: a table with indexes, for tests of thousands of items. */
  constructor(given: Partial<Pick<RunnerPorts, 'table'>> = {}) {
    this.#given = given;
    this.ports = this.deployed('weft--0001-');
  }

  /** The ports of an installation whose machines have names with this prefix. */
  deployed(namePrefix: string): RunnerPorts {
    const executions = stepFunctions({
      stepsFunctionArn: STEPS,
      roleArn: 'arn:aws:iam::123456789012:role/machines',
      namePrefix,
      client: this.aws.client(),
      sleep: (ms) => new Promise((resolve) => this.time.alarm(ms, () => resolve(undefined))),
    });
    const clock = { ...this.memory.ports.clock, now: () => this.time.clock.now() };
    return { ...this.memory.ports, ...this.#given, clock, executions };
  }

  /** Creates the namespace `demo` with this workflow, and stores it as a request does. */
  async store(path: string, source: string): Promise<workflows.Opened> {
    await namespaces.create(this.ports, 'demo').catch(() => undefined);
    return createWorkflow(this.ports, { namespace: 'demo', path: `/${path}`, source });
  }

  open(path: string): Promise<workflows.Opened> {
    return workflows.open(this.ports, 'demo', `/${path}`);
  }

  /** Resolves with the result of some work; meanwhile time passes to the next timer whenever no other work is left. */
  async pass<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) {
      for (let turns = 0; turns < 30 && !isDone; turns += 1) await turn();
      this.time.fireNext(Number.POSITIVE_INFINITY);
    }
    return done;
  }
}
