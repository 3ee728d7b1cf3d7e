import type { FollowSettings } from './settings.ts';

/** What is known of a namespace that follows a repository. */
export interface FollowStatus {
  readonly namespace: string;
  readonly url: string;
  readonly branch: string | null;
  readonly folder: string | null;
  /** The commit that the namespace has; null before the first one. */
  readonly commit: string | null;
  readonly subject: string | null;
  /** When the namespace got it, RFC 3339. */
  readonly syncedAt: string | null;
  /** When the repository was looked at last, RFC 3339. */
  readonly checkedAt: string | null;
  /** Why the newest commit is not in the namespace; null: it is, or no look has ended yet. */
  readonly error: string | null;
}

/** A namespace that follows a repository: its settings, what is known of it, and how it is woken. */
export class Followed {
  readonly settings: FollowSettings;
  status: FollowStatus;
  #isWanted = false;
  #wake: () => void = () => undefined;

  constructor(settings: FollowSettings) {
    const { namespace, url, branch = null, folder = null } = settings;
    this.settings = settings;
    const unknown = { commit: null, subject: null, syncedAt: null, checkedAt: null, error: null };
    this.status = { namespace, url, branch, folder, ...unknown };
  }

  /** Ends the pause before the next look; while a look is under way, another one follows it. */
  pull(): void {
    this.#isWanted = true;
    this.#wake();
  }

  /** Resolves after the interval, by `pull`, or when the signal is aborted. */
  async pause(signal: AbortSignal): Promise<void> {
    if (!this.#isWanted && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.settings.every).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', this.#wake, { once: true });
      });
      signal.removeEventListener('abort', this.#wake);
    }
    this.#isWanted = false;
  }
}
