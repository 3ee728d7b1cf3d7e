import { AsyncLocalStorage } from 'node:async_hooks';

/** Whether work may use the reserve still: what it has begun may go on after it. */
const permits = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Runs a function whose changes are stored while the disk is full, as long as the reserve lasts. */
export async function withReserve<T>(work: () => Promise<T>): Promise<T> {
  const permit = { isOpen: true };
  try {
    return await permits.run(permit, work);
  } finally {
    permit.isOpen = false;
  }
}

/** As `withReserve`, for a function that awaits nothing. */
export function withReserveNow(work: () => unknown): void {
  const permit = { isOpen: true };
  try {
    permits.run(permit, work);
  } finally {
    permit.isOpen = false;
  }
}

/** Whether the present work may use the reserve. */
export const mayUseReserve = (): boolean => permits.getStore()?.isOpen === true;
