import { call } from '../api/client.ts';
import { type Completions, completionsAt, type Schema } from './completions.ts';

/** Returns the completions at a position of a text. */
export type Complete = (text: string, position: number) => Promise<Completions | undefined>;

let schema: Schema | undefined;

/** Completions of the workflow language by the schema of the service; none if the schema cannot be read. */
export const completeWorkflow: Complete = async (text, position) => {
  schema ??= (await call('getWorkflowSchema', {}).catch(() => undefined)) as Schema | undefined;
  return schema && completionsAt(schema, text, position);
};
