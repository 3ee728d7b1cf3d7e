import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Meter } from '../ports/telemetry/meter.ts';

const logger = new Logger({ serviceName: 'weft' });

/** The ids and names that a fault concerns, by which its run, workflow or namespace can be found. */
export type FaultContext = Readonly<Record<string, string | undefined>>;

type Invocation = Pick<Context, 'awsRequestId'>;

/** Logs a fault of the service with the id of the invocation, counts it, and returns the id. */
export function logFault(
  error: unknown,
  context: FaultContext,
  { awsRequestId }: Partial<Invocation>,
  meter: Meter | undefined,
): string {
  const requestId = awsRequestId ?? 'no number';
  logger.error('a fault of the service', { ...context, requestId, error: error as Error });
  meter?.note({ Faults: 1 });
  return requestId;
}

/** How a handler logs its faults. */
export interface FaultLogOptions<Input> {
  readonly about: (input: Input, error: unknown) => FaultContext | Promise<FaultContext>;
  readonly meter: () => Meter | undefined;
  /** Whether the error is an outcome that a state machine reads, and no fault. */
  readonly isAnswer?: (error: unknown) => boolean;
}

/**
 * A handler of a Lambda without requests. It logs each error in the same form as the faults of requests, and throws it
 * again, so that the invocation is retried.
 */
export function withFaultLog<Input, Output>(
  handle: (input: Input) => Promise<Output>,
  { about, meter, isAnswer = () => false }: FaultLogOptions<Input>,
): (input: Input, invocation?: Invocation) => Promise<Output> {
  return async (input, invocation) => {
    try {
      return await handle(input);
    } catch (error) {
      if (isAnswer(error)) throw error;
      // Without access to the database, the run is not known.
      const context = await Promise.resolve(about(input, error)).catch(() => ({}));
      logFault(error, context, invocation ?? {}, meter());
      throw error;
    }
  };
}
