import { computed, type Signal, signal } from '@preact/signals';
import type { Workflow } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { isAbort, type Problem, toApiError } from '../api/errors.ts';
import { textOfBase64 } from '../format/text.ts';

const REST_MS = 250;

/** A workflow in the editor: the stored text, the edited text, and the problems that the compiler finds. */
export class Draft {
  readonly text: Signal<string>;
  /** The stored text on which the edited text is based. */
  readonly base: Signal<string>;
  /** The present stored text, if another version was stored in the meantime. */
  readonly foreign = signal<string | undefined>(undefined);
  readonly problems = signal<readonly Problem[]>([]);
  /** A request to the compiler is in progress. */
  readonly isChecking = signal(false);
  readonly error = signal('');
  readonly isChanged = computed(() => this.text.value !== this.base.value);

  readonly #namespace: string;
  readonly #node: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();

  constructor(namespace: string, { node, revision }: Workflow) {
    const source = textOfBase64(revision.source);
    this.#namespace = namespace;
    this.#node = node.path;
    this.text = signal(source);
    this.base = signal(source);
  }

  /** Sets the text, and sends it to the compiler when typing pauses. */
  readonly write = (text: string): void => {
    if (text === this.text.value) return;
    this.text.value = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), REST_MS);
  };

  /** Takes over the stored text. If the edited text has changes, it becomes `foreign` instead. */
  readonly follow = ({ revision }: Workflow): void => {
    const source = textOfBase64(revision.source);
    if (source === this.base.value) {
      this.foreign.value = undefined;
    } else if (this.isChanged.value) {
      this.foreign.value = source;
    } else {
      this.#settle(source);
    }
  };

  /** Discards the changes. */
  readonly revert = (): void => {
    this.#settle(this.foreign.value ?? this.base.value);
  };

  #settle(source: string): void {
    this.base.value = source;
    this.text.value = source;
    this.foreign.value = undefined;
    this.problems.value = [];
    void this.check();
  }

  /** Requests the problems of the text from the compiler; an earlier request is aborted. */
  async check(): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal: asked } = this.#asking;
    this.isChecking.value = true;
    try {
      const path = { namespace: this.#namespace, node: this.#node };
      const { problems } = await call('validateWorkflow', path, { body: this.text.value, signal: asked });
      if (asked.aborted) return;
      this.problems.value = problems;
      this.error.value = '';
    } catch (error) {
      if (isAbort(error)) return;
      this.error.value = toApiError(error).message;
    }
    this.isChecking.value = false;
  }

  /** Stores the text as the latest revision. Throws ApiError; problems of the text are kept. */
  readonly store = async (): Promise<void> => {
    const text = this.text.value;
    const path = { namespace: this.#namespace, node: this.#node };
    try {
      await call('updateWorkflow', path, { body: text, type: 'text/yaml' });
    } catch (error) {
      const failure = toApiError(error);
      if (failure.problems.length > 0) this.problems.value = failure.problems;
      throw failure;
    }
    this.base.value = text;
    this.foreign.value = undefined;
  };
}

const drafts = new Map<string, Draft>();

/** The draft of a workflow, which is kept while the console is open, so that visiting other pages loses no changes. */
export function draftOf(namespace: string, workflow: Workflow): Draft {
  const name = `${namespace}${workflow.node.path}`;
  const found = drafts.get(name);
  if (found !== undefined) return found;
  const draft = new Draft(namespace, workflow);
  drafts.set(name, draft);
  return draft;
}

/** Whether a workflow has changes that are not stored. */
export const hasChanges = (): boolean => [...drafts.values()].some((draft) => draft.isChanged.peek());
