import * as z from 'zod/mini';

/** A Prometheus instant vector: seconds since 1970 with a fraction, and the value as decimal text. */
const sample = z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) });
export const metrics = z.object({ results: z.array(sample), warnings: z.nullable(z.array(z.string())) });

const counts = z.record(z.string(), z.number());
const outcomes = z.object({ success: z.number(), failure: z.number(), transitions: counts });

const stateFlow = z.object({
  name: z.string(),
  invokers: counts,
  invokersRepresentation: counts,
  totalExecutions: z.number(),
  totalMilliseconds: z.number(),
  totalSuccesses: z.number(),
  totalFailures: z.number(),
  unhandledErrors: counts,
  unhandledErrorsRepresentation: counts,
  totalRetries: z.number(),
  outcomes,
  meanExecutionsPerInstance: z.number(),
  meanMillisecondsPerInstance: z.number(),
  successRate: z.number(),
  failureRate: z.number(),
  meanRetries: z.number(),
  meanOutcomes: outcomes,
});

/** The transitions of runs from state to state. */
export const flowMetrics = z.object({
  totalInstancesRun: z.number(),
  totalInstanceMilliseconds: z.number(),
  successfulExecutions: z.number(),
  failedExecutions: z.number(),
  errorCodes: counts,
  errorCodesRepresentation: counts,
  sampleSize: z.number(),
  meanInstanceMilliseconds: z.number(),
  successRate: z.number(),
  failureRate: z.number(),
  states: z.array(stateFlow),
});

export const prices = z.object({
  namespace: z.string(),
  pricedOn: z.string(),
  region: z.string(),
  workflows: z.array(
    z.object({
      workflow: z.string(),
      runs: z.array(
        z.object({
          op: z.enum(['execute', 'wait', 'webhook', 'event']),
          least: z.number(),
          most: z.number(),
          lines: z.array(z.object({ what: z.string(), least: z.number(), most: z.number(), price: z.number() })),
        }),
      ),
    }),
  ),
});
