import { signal } from '@preact/signals';
import type { AuditEntry } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { type ApiError, toApiError } from '../api/errors.ts';

/** The filters of the audit log, as in the address. */
export interface AuditFilters {
  readonly namespace: string;
  readonly actor: string;
  /** RFC 3339; empty: no limit. */
  readonly start: string;
}

const PAGE = 200;

/** The entries of the audit log, the newest first, read page by page. */
export class Changes {
  readonly entries = signal<readonly AuditEntry[] | undefined>(undefined);
  readonly error = signal<ApiError | undefined>(undefined);
  readonly isBusy = signal(false);
  /** There are further pages. */
  readonly hasMore = signal(false);

  readonly #filters: AuditFilters;
  #next: string | undefined;

  constructor(filters: AuditFilters) {
    this.#filters = filters;
  }

  /** Reads the next page. */
  async read(): Promise<void> {
    if (this.isBusy.peek()) return;
    this.isBusy.value = true;
    try {
      const query = { ...this.#filters, limit: PAGE, cursor: this.#next };
      const { entries, next } = await call('listAudit', {}, { query });
      this.entries.value = [...(this.entries.peek() ?? []), ...entries];
      this.#next = next;
      this.hasMore.value = next !== undefined;
      this.error.value = undefined;
    } catch (error) {
      this.error.value = toApiError(error);
    } finally {
      this.isBusy.value = false;
    }
  }
}
