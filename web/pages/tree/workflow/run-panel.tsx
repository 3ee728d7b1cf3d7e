import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { call } from '../../../data/api/client.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { cutMiddle, prettyJson } from '../../../data/format/text.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { go } from '../../../data/navigation/location.ts';
import { inputSchema } from '../../../data/workflow/input-schema.ts';
import { useReading } from '../../../data/workflow/reading.ts';
import { type PastInput, pastInputs } from '../../../data/workflow/runs.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Editor } from '../../../parts/editor/editor.tsx';
import { SchemaForm } from '../../../parts/form/schema-form.tsx';
import { ErrorNote, Remark } from '../../../parts/note/note.tsx';
import { Time } from '../../../parts/value/value.tsx';

const MOST_INPUTS = 5;

/** Inputs of earlier runs; pressing one takes it. */
function PastInputs({
  inputs,
  onTake,
}: {
  readonly inputs: readonly PastInput[];
  readonly onTake: (text: string) => void;
}) {
  if (inputs.length === 0) return null;
  return (
    <section aria-label="Earlier inputs">
      <h2 class="minor">Earlier inputs</h2>
      <ul>
        {inputs.map(({ run, text }) => (
          <li key={run.id}>
            <button type="button" class="past-input" onClick={() => onTake(prettyJson(text))}>
              <code class="grows cut">{text.replace(/\s+/g, ' ')}</code>
              <span class="quiet">
                <Time at={run.createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function usePastInputs(namespace: string, path: string) {
  const inputs = useSignal<readonly PastInput[]>([]);
  useEffect(() => {
    pastInputs(namespace, path, MOST_INPUTS).then(into(inputs), () => {
      // Past inputs are an optional help: the panel works without them.
    });
  }, [namespace, path, inputs]);
  return inputs.value;
}

/** Why a text cannot be an input, in the words of the JSON parser. */
function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface RunPanelProps {
  readonly namespace: string;
  readonly path: string;
  /** The stored text: this text runs, not the one in the editor. */
  readonly source: string;
  readonly isChanged: boolean;
}

/** Starts a workflow with an input: by a form where the workflow has a schema for it, and as JSON. */
export function RunPanel({ namespace, path, source, isChanged }: RunPanelProps) {
  const text = useSignal('{}');
  const task = useTask();
  const inputs = usePastInputs(namespace, path);
  const reading = useReading();
  const schema = useMemo(() => inputSchema(reading.documentOf(source)), [source, reading.isLoaded]);
  const problem = problemOf(text.value);
  const start = () =>
    task.run(async () => {
      const { instance } = await call('executeWorkflow', { namespace, node: path }, { body: text.value });
      go(addresses.run(namespace, instance));
    });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {isChanged && <Remark>What is stored runs, not what is written in the editor.</Remark>}
      {schema !== undefined && <SchemaForm schema={schema} text={text.value} onChange={into(text)} />}
      <div class="stack">
        <h2 class="minor">Input</h2>
        <Editor isSmall language="json" label="Input" value={text.value} onChange={into(text)} />
        {problem !== undefined && <p class="field-note wrong">No JSON: {problem}</p>}
      </div>
      {task.error.value && <ErrorNote title="Nothing was started" error={task.error.value} />}
      <div class="line">
        <Button kind="primary" icon="play" type="submit" isBusy={task.isBusy.value} disabled={problem !== undefined}>
          Start
        </Button>
        <span class="quiet cut">{cutMiddle(path, 24, 16)}</span>
      </div>
      <PastInputs inputs={inputs} onTake={into(text)} />
    </form>
  );
}
