import { enginePorts } from '../lib/adapters/aws/deployed.ts';
import { type StepInput, step } from '../lib/engine/steps.ts';

/** What state machines call while they run. Errors leave by their names: the machine's retries know them. */
export const handler = (input: StepInput): Promise<unknown> => step(enginePorts(), input);
