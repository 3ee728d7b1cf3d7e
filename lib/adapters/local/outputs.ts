import type { Lambdas } from '../../ports/callees/lambdas.ts';
import type { Web } from '../../ports/callees/web.ts';
import type { Containers } from '../../ports/containers.ts';

/** Resolves when everything written so far is on the disk. */
export type WhenDurable = () => Promise<void>;

/**
 * Containers that see only durable data: their inputs, and the answers to their requests, wait until everything written
 * before them is on the disk.
 */
export function durableContainers(containers: Containers, whenDurable: WhenDurable): Containers {
  const after = async <T>(work: () => Promise<T>): Promise<T> => {
    await whenDurable();
    return work();
  };
  const before = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await whenDurable();
    return result;
  };
  return {
    problem: () => containers.problem(),
    prepare: (revision) => after(() => containers.prepare(revision)),
    status: (ids) => containers.status(ids),
    call: (id, call) => {
      const { host } = call;
      const durableHost = {
        log: (text: string) => before(host.log(text)),
        variable: (...asked: Parameters<typeof host.variable>) => before(host.variable(...asked)),
        setVariable: (...set: Parameters<typeof host.setVariable>) => before(host.setVariable(...set)),
      };
      return after(() => containers.call(id, { ...call, host: durableHost }));
    },
    cancel: (id, actionId) => after(() => containers.cancel(id, actionId)),
    remove: (id) => after(() => containers.remove(id)),
    output: (pod, from) => containers.output(pod, from),
  };
}

/** Requests to other servers that wait until everything written before them is on the disk. */
export function durableWeb(web: Web, whenDurable: WhenDurable): Web {
  return {
    async get(url, headers, ms) {
      await whenDurable();
      return web.get(url, headers, ms);
    },
    async send(request) {
      await whenDurable();
      return web.send(request);
    },
    async deliver(request) {
      await whenDurable();
      return web.deliver(request);
    },
  };
}

/** Invocations that wait until everything written before them is on the disk. */
export const durableLambdas = (lambdas: Lambdas, whenDurable: WhenDurable): Lambdas => ({
  async invoke(invocation) {
    await whenDurable();
    return lambdas.invoke(invocation);
  },
});
