/**
 * The services that Restate calls: `restate.ts FOLDER_OF_PACKAGES PORT`. Sends a message when it listens, and answers each
 * message with its counts.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

type Handler = (context: Context, key: string) => Promise<unknown>;
type Client = Record<string, (key: string) => Promise<unknown>>;

/** The part of the package that is used. */
interface Context {
  run(name: string, step: () => Promise<unknown>): Promise<unknown>;
  serviceClient(service: { name: string }): Client;
  promise(name: string): PromiseLike<unknown> & { resolve(value: unknown): Promise<void> };
}
interface Restate {
  service(definition: { name: string; handlers: Record<string, Handler> }): unknown;
  workflow(definition: { name: string; handlers: Record<string, Handler> }): unknown;
  serve(options: { services: readonly unknown[]; port: number }): Promise<number>;
  RestatePromise: { all(promises: readonly Promise<unknown>[]): Promise<unknown> };
}

const [, , packages = '', port = ''] = process.argv;
const restate = createRequire(join(packages, 'package.json'))('@restatedev/restate-sdk') as Restate;

const step = (context: Context, n: number) => context.run(`step-${n}`, async () => n);
const callChild = (context: Context, key: string) => context.serviceClient({ name: 'child' })['run']?.(key) ?? key;
const counts = { ended: 0, waiting: 0 };

const child = restate.service({ name: 'child', handlers: { run: async (_, key) => key } });
const bench = restate.service({
  name: 'bench',
  handlers: {
    one: (context) => step(context, 0),
    async begin(context) {
      await step(context, 0);
      counts.ended += 1;
    },
    async chain(context) {
      for (let n = 0; n < 10; n += 1) await step(context, n);
    },
    async calls(context, key) {
      for (let n = 0; n < 10; n += 1) await callChild(context, key);
    },
    fan: (context, key) =>
      restate.RestatePromise.all(Array.from({ length: 20 }, () => callChild(context, key) as Promise<unknown>)),
  },
});
const waiter = restate.workflow({
  name: 'waiter',
  handlers: {
    async run(context) {
      counts.waiting += 1;
      const value = await context.promise('go');
      counts.waiting -= 1;
      return value;
    },
    signal: (context) => context.promise('go').resolve('go'),
  },
});

await restate.serve({ services: [child, bench, waiter], port: Number(port) });
process.on('message', () => process.send?.(counts));
process.send?.('listens');
