import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/** A signal made of other signals and of properties; `inputs` are the properties that it is made of. */
export function useDerived<T>(compute: () => T, inputs: readonly unknown[]): ReadonlySignal<T> {
  return useMemo(() => computed(compute), inputs);
}
