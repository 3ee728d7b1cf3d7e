import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tenant } from '../../language/sandbox/sandbox.ts';
import type { EnginePorts } from '../ports.ts';

/** The time of the work is over. The caller discards the work, and repeats it where it has more time. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  constructor() {
    super('the queries of a run took longer than the request, event or tick that began it may last');
  }
}

/** On whose account evaluations are. */
export interface Account extends Tenant {
  /** Resolves when large data may be formatted for a script, as `takeLargeTurn` does; default: at once. */
  readonly takeLargeTurn?: () => Promise<void>;
}

/** The account of a namespace, whose large data is worked on in its turns. */
export const accountOf = (
  { processor }: Pick<EnginePorts, 'processor'>,
  { namespaceId: id, namespace }: { readonly namespaceId: string; readonly namespace: string },
): Account => ({ id, takeLargeTurn: async () => processor?.takeLargeTurn(namespace) });

const current = new AsyncLocalStorage<Account>();

/**
 * Every evaluation that the work makes, also later, is on the account of this tenant: tenants take turns in the sandbox. The
 * work rejects with OutOfTimeError when it evaluates something after its `timeLeft`. Without a `now`, it has that of the
 * work around it.
 */
export function onAccountOf<T>(tenant: Account, work: () => Promise<T>): Promise<T> {
  const { now = presentTenant().now } = tenant;
  return current.run({ ...tenant, now }, work);
}

/** On whose account the present work is; outside `onAccountOf`, the account of the service itself. */
export function presentTenant(): Account {
  return current.getStore() ?? { id: '' };
}

/** Throws OutOfTimeError if the time of the present work is over. */
export function needTime(): void {
  if ((presentTenant().timeLeft?.() ?? 1) <= 0) throw new OutOfTimeError();
}
