import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Variable } from '../../../clients/api/operations.ts';
import type { ApiError } from '../../data/api/errors.ts';
import { into } from '../../data/api/task.ts';
import { byteSize } from '../../data/format/text.ts';
import type { VariableList, VariableStore } from '../../data/variables/stores.ts';
import { Button } from '../button/button.tsx';
import { Empty, ErrorNote, Skeleton } from '../note/note.tsx';
import { Pages } from '../pages/pages.tsx';
import { Time } from '../value/value.tsx';
import { NewVariable } from './new-variable.tsx';
import { VariablePreview } from './preview.tsx';

interface VariablesProps {
  readonly store: VariableStore;
  /** The name of the open variable. */
  readonly open: Signal<string>;
}

function useVariables(store: VariableStore, offset: number) {
  const list = useSignal<VariableList | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    list.value = undefined;
    return store.follow(offset, {
      onFrame: (variables) => {
        list.value = variables;
      },
      onState: () => {},
      onError: (failure) => {
        error.value = failure;
      },
    });
  }, [store, offset, list, error]);
  return { list: list.value, error: error.value };
}

interface RowProps {
  readonly variable: Variable;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Row({ variable, isOpen, onOpen }: RowProps) {
  return (
    <button type="button" class="variable" aria-expanded={isOpen} onClick={onOpen}>
      <code class="variable-name cut">{variable.name}</code>
      <span class="quiet cut">{variable.mimeType}</span>
      <span class="variable-size">{byteSize(Number(variable.size))}</span>
      <span class="quiet variable-time">
        <Time at={variable.updatedAt} />
      </span>
    </button>
  );
}

function Items({ store, open, list }: VariablesProps & { readonly list: readonly Variable[] }) {
  return (
    <ul class="variable-list" aria-label="Variables">
      {list.map((variable) => {
        const isOpen = open.value === variable.name;
        return (
          <li key={variable.name}>
            <Row variable={variable} isOpen={isOpen} onOpen={() => into(open)(isOpen ? '' : variable.name)} />
            {isOpen && (
              <div class="variable-open">
                <VariablePreview key={variable.checksum} store={store} variable={variable} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Variables with their types and sizes; the value of one opens below its row. */
export function Variables({ store, open }: VariablesProps) {
  const from = useSignal(0);
  const { list: page, error } = useVariables(store, from.value);
  const list = page?.results;
  const isAdding = useSignal(false);
  if (error !== undefined) return <ErrorNote title="The variables cannot be listed" error={error} />;
  if (list === undefined) return <Skeleton />;
  const add = store.mayWrite && !isAdding.value && (
    <Button icon="plus" onClick={() => into(isAdding)(true)}>
      New variable
    </Button>
  );
  return (
    <div class="variables">
      {isAdding.value && <NewVariable store={store} onDone={() => into(isAdding)(false)} />}
      {list.length === 0 && !isAdding.value && (
        <Empty icon="variables" title="No variables" action={add}>
          <p>
            Values that {store.owner} keeps: JSON, text, images, files of any type. A setter state writes one, a getter
            state reads it.
          </p>
        </Empty>
      )}
      {list.length > 0 && (
        <>
          <div class="variables-tools">{add}</div>
          <Items {...{ store, open, list }} />
          <Pages info={page?.pageInfo} count={list.length} from={from} />
        </>
      )}
    </div>
  );
}
