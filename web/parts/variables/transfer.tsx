import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { toApiError } from '../../data/api/errors.ts';
import type { OnProgress } from '../../data/api/transfer.ts';
import { byteSize } from '../../data/format/text.ts';

/** A transfer with its progress. */
export interface Transfer {
  readonly progress: Signal<{ readonly done: number; readonly all: number | undefined } | undefined>;
  readonly error: Signal<string>;
  run(work: (onProgress: OnProgress) => Promise<void>): Promise<void>;
}

/** The transfer of a component. */
export function useTransfer(): Transfer {
  const progress = useSignal<{ readonly done: number; readonly all: number | undefined } | undefined>(undefined);
  const error = useSignal('');
  return useMemo(
    () => ({
      progress,
      error,
      run: async (work) => {
        error.value = '';
        try {
          await work((done, all) => {
            progress.value = { done, all };
          });
        } catch (failure) {
          error.value = toApiError(failure).message;
        }
        progress.value = undefined;
      },
    }),
    [progress, error],
  );
}

/** The progress or the error of a transfer. */
export function Progress({ transfer }: { readonly transfer: Transfer }) {
  const { progress, error } = transfer;
  if (error.value !== '') return <p class="transfer-error">Nothing was changed: {error.value}</p>;
  if (progress.value === undefined) return null;
  const { done, all } = progress.value;
  return (
    <div class="line">
      <progress max={all} value={done} aria-label="Transfer" />
      <span class="quiet">{all === undefined ? byteSize(done) : `${byteSize(done)} of ${byteSize(all)}`}</span>
    </div>
  );
}
