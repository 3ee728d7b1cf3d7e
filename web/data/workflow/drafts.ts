import { computed, type Signal, signal } from '@preact/signals';
import type { Workflow } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { isAbort, type Problem, toApiError } from '../api/errors.ts';
import { textOfBase64 } from '../format/text.ts';

const REST_MS = 250;

/** A workflow's text under work: the stored text, the edited text, and the problems that the compiler finds. */
export class Draft {
  readonly text: Signal<string>;
  /** The text that was stored when the work began, or was last stored. */
  readonly base: Signal<string>;
  /** The text that is stored now, if another version was stored meanwhile. */
  readonly foreign = signal<string | undefined>(undefined);
  readonly problems = signal<readonly Problem[]>([]);
  /** The compiler was asked and has not answered yet. */
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

  /** Takes another text, and asks the compiler when typing rests. */
  readonly write = (text: string): void => {
    if (text === this.text.value) return;
    this.text.value = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), REST_MS);
  };

  /** Takes the text that is stored now. Without changes of ours it becomes the text; else it is shown as foreign. */
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

  /** Goes back to the stored text. */
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

  /** Asks the compiler for the problems of the text; an older question is given up. */
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

/** The draft of a workflow; it stays while the console is open, so that other pages can be visited without a loss. */
export function draftOf(namespace: string, workflow: Workflow): Draft {
  const name = `${namespace}${workflow.node.path}`;
  const found = drafts.get(name);
  if (found !== undefined) return found;
  const draft = new Draft(namespace, workflow);
  drafts.set(name, draft);
  return draft;
}

/** Whether some workflow has changes that are not stored. */
export const hasChanges = (): boolean => [...drafts.values()].some((draft) => draft.isChanged.peek());
