import * as z from 'zod/mini';
import { RECORD_MODES } from '../../../domain/record-modes.ts';
import { BROADCAST_KINDS, type BroadcastKind } from '../../../events/broadcasts.ts';
import { limitShapes } from './namespaces.ts';

const text = z._default(z.string(), '');
const flag = z._default(z.boolean(), false);
const names = z._default(z.array(z.string()), []);
/** The specification shows numbers of services as texts; clients send numbers. */
const number = z.union([z.int(), z.string().check(z.regex(/^\d{1,9}$/))]);
const size = z.union([z.int(), z.string()]);

/** A limit of runs; 0 returns to its default value. */
const limit = z.nullish(z.int().check(z.minimum(0), z.maximum(1e15)));
const switches = Object.fromEntries(BROADCAST_KINDS.map((key) => [key, z.nullish(z.boolean())])) as Record<
  BroadcastKind,
  z.ZodMiniOptional<z.ZodMiniNullable<z.ZodMiniBoolean>>
>;

const container = {
  image: text,
  cmd: text,
  size: z._default(size, 0),
  minScale: z._default(number, 0),
  envs: z._default(z.record(z.string(), z.string()), {}),
};

/** The calls that a repetition makes in a failed state: the calls that did not succeed, or all. */
const repeat = z.optional(z.enum(['failed', 'all']));

/** The id and the lease of a task that a worker has taken. */
const held = { task: z.string(), lease: z.string() };

/**
 * The JSON bodies of requests, by the name that routes use. A missing field has its zero value, as in the original's
 * decoder. `strictObject` where the original rejects unknown fields (rest-api reference, 1.3).
 */
export const inputs = {
  mirror: z.strictObject({
    url: text,
    ref: text,
    cron: text,
    passphrase: text,
    publicKey: text,
    privateKey: text,
    insecure: flag,
  }),
  /** `lookback` is an ISO 8601 duration: waits also take events of this period before them. Empty: none. */
  config: z.strictObject({
    broadcast: z.optional(z.strictObject(switches)),
    events: z.optional(z.strictObject({ lookback: z.nullish(z.string()) })),
    record: z.optional(z.enum(RECORD_MODES)),
    limits: z.optional(z.strictObject(limitShapes(limit))),
    egress: z.nullish(z.array(z.string())),
    functions: z.optional(z.strictObject({ native: z.nullish(z.boolean()) })),
    alerts: z.nullish(
      z.strictObject({
        workflow: z.nullish(z.string()),
        url: z.nullish(z.string()),
        secret: z.nullish(z.string()),
        within: z.nullish(z.string()),
      }),
    ),
    mail: z.nullish(
      z.strictObject({
        host: z.nullish(z.string()),
        port: z.nullish(z.int()),
        tls: z.nullish(z.enum(['implicit', 'starttls'])),
        insecure: z.nullish(z.boolean()),
        user: z.nullish(z.string()),
        password: z.nullish(z.string()),
        from: z.nullish(z.string()),
      }),
    ),
    partitions: z.nullish(z.int()),
  }),
  rerunMany: z.strictObject({
    dryRun: z._default(z.boolean(), true),
    at: z.optional(z.iso.datetime()),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 20),
    after: text,
    repeat,
  }),
  job: z.strictObject({
    action: z.enum(['cancel', 'rerun']),
    from: z._default(z.string().check(z.maxLength(200)), ''),
    revision: z._default(z.enum(['pinned', 'latest']), 'pinned'),
    repeat: z._default(z.enum(['failed', 'all']), 'failed'),
  }),
  rerun: z.strictObject({ patch: z.optional(z.array(z.unknown())), repeat, dryRun: z.optional(z.boolean()) }),
  toggle: z.strictObject({ live: flag }),
  eventLogging: z.strictObject({ logger: text }),
  attributes: z.strictObject({ attributes: names }),
  rename: z.object({ new: text }),
  tag: z.strictObject({ tag: text }),
  router: z.strictObject({
    live: flag,
    route: z._default(z.array(z.strictObject({ ref: text, weight: z._default(z.int(), 0) })), []),
  }),
  /** Unknown names are accepted if their values are texts (rest-api reference, 10). */
  registry: z.catchall(z.object({ reg: text, data: text }), z.string()),
  registryName: z.catchall(z.object({ reg: text }), z.string()),
  registryTest: z.object({ url: text, username: text, password: text }),
  service: z.object({ name: text, ...container }),
  /** Clients without traffic management send no percentage: for them, the newest revision gets all traffic. */
  serviceRevision: z.object({ ...container, trafficPercent: z._default(number, 100) }),
  traffic: z.object({ values: z.optional(z.array(z.object({ revision: text, percent: z._default(number, 0) }))) }),
  /** `by` is the name of the decider, by default that of the key; `form` has the values of the form. */
  decision: z.strictObject({
    choice: z.string(),
    by: z._default(z.string().check(z.maxLength(200)), ''),
    form: z._default(z.record(z.string(), z.unknown()), {}),
  }),
  /** Durations are ISO 8601 texts. */
  poll: z.strictObject({
    worker: z._default(z.string().check(z.maxLength(200)), ''),
    max: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
    lease: z.optional(z.string()),
    wait: z._default(z.string(), 'PT20S'),
  }),
  taskOutput: z.strictObject({ ...held, output: z._default(z.unknown(), null) }),
  taskFailure: z.strictObject({ ...held, code: text, message: text, retry: z.optional(z.string()) }),
  taskLease: z.strictObject({ ...held, duration: z.optional(z.string()) }),
  jq: z.strictObject({ query: text, data: text }),
  signIn: z.strictObject({ code: text, verifier: text, redirectUri: text, nonce: text, refreshToken: text }),
  key: z.strictObject({
    name: z.string(),
    permission: z.enum(['worker', 'read', 'run', 'write', 'admin']),
    namespaces: names,
  }),
} as const satisfies Record<string, z.ZodMiniType>;

export type InputName = keyof typeof inputs;
