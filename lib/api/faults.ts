import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Meter } from '../ports/meter.ts';

const logger = new Logger({ serviceName: 'weft' });

/** What a call is about: the ids and names by which a run, a workflow, a namespace are found. */
export type About = Readonly<Record<string, string | undefined>>;

type Numbered = Pick<Context, 'awsRequestId'>;

/** Notes a fault in the log, under the number of the call, which is answered, and counts it. */
export function noteFault(
  error: unknown,
  about: About,
  { awsRequestId }: Partial<Numbered>,
  meter: Meter | undefined,
): string {
  const requestId = awsRequestId ?? 'no number';
  logger.error('a fault of the service', { ...about, requestId, error: error as Error });
  meter?.note({ Faults: 1 });
  return requestId;
}

export interface Noted<Input> {
  readonly about: (input: Input, error: unknown) => About | Promise<About>;
  readonly meter: () => Meter | undefined;
  /** Whether what is thrown is an answer, for a state machine to read, and no fault. */
  readonly isAnswer?: (error: unknown) => boolean;
}

/**
 * A handler that answers no request: what it throws goes on, to whoever tries again, and into the log, in the form in
 * which faults of requests are there.
 */
export function noting<Input, Output>(
  work: (input: Input) => Promise<Output>,
  { about, meter, isAnswer = () => false }: Noted<Input>,
): (input: Input, context?: Numbered) => Promise<Output> {
  return async (input, context) => {
    try {
      return await work(input);
    } catch (error) {
      if (isAnswer(error)) throw error;
      // Who cannot read a run cannot say more of it either.
      const known = await Promise.resolve(about(input, error)).catch(() => ({}));
      noteFault(error, known, context ?? {}, meter());
      throw error;
    }
  };
}
