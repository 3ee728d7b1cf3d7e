/** The options of `stopper`. */
export interface StopOptions {
  /** Closes the service. */
  readonly close: () => Promise<void>;
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** How long the closing may last, milliseconds. */
  readonly patience: number;
}

/**
 * Closes the service. If that fails or lasts too long, the process ends nevertheless, with the code 1: acknowledged
 * writes are on the disk, and the next start continues the rest. Further calls have no effect.
 */
export function stopper({ close, exit, patience }: StopOptions): () => Promise<void> {
  let isStopping = false;
  return async () => {
    if (isStopping) return;
    isStopping = true;
    const late = setTimeout(() => {
      console.error(
        `Weft could not be closed within ${patience / 1000} s, and ends; the next start continues its work`,
      );
      exit(1);
    }, patience);
    try {
      await close();
      exit(0);
    } catch (error) {
      console.error('Weft could not be closed, and ends; the next start continues its work:', error);
      exit(1);
    } finally {
      clearTimeout(late);
    }
  };
}
