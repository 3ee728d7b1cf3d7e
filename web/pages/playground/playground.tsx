import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../data/api/client.ts';
import { isAbort, toApiError } from '../../data/api/errors.ts';
import { into } from '../../data/api/task.ts';
import { readJson } from '../../data/format/json.ts';
import { base64OfText } from '../../data/format/text.ts';
import { place } from '../../data/navigation/location.ts';
import { Editor } from '../../parts/editor/editor.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Json } from '../../parts/json/json.tsx';

const REST_MS = 300;
const QUERY = '{greeting: ("Hello, " + .name), count: (.items | length)}';
const DATA = '{\n  "name": "Ada",\n  "items": [1, 2, 3]\n}';

type Outcome = { readonly results: readonly string[] } | { readonly error: string };

/** Runs the query when typing pauses; an earlier request is aborted. */
function useOutcome(query: string, data: string): Outcome | undefined {
  const outcome = useSignal<Outcome | undefined>(undefined);
  const running = useRef(new AbortController());
  useEffect(() => {
    const timer = setTimeout(() => {
      running.current.abort();
      running.current = new AbortController();
      const body = { query, data: base64OfText(data) };
      call('runJq', {}, { body, signal: running.current.signal }).then(
        ({ results }) => into(outcome)({ results }),
        (error: unknown) => {
          if (!isAbort(error)) into(outcome)({ error: toApiError(error).message });
        },
      );
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [query, data, outcome]);
  return outcome.value;
}

function Result({ text, index }: { readonly text: string; readonly index: number }) {
  const read = readJson(text);
  if ('problem' in read) return <pre class="plain-text">{text}</pre>;
  return <Json value={read.value} label={`Result ${index + 1}`} />;
}

/** A page to try queries on data. */
export function PlaygroundPage() {
  const query = useSignal(place.peek().query.get('query') ?? QUERY);
  const data = useSignal(place.peek().query.get('data') ?? DATA);
  const outcome = useOutcome(query.value, data.value);
  return (
    <div class="page">
      <Head
        title="jq"
        name="jq"
        detail={<span>The queries of workflows, tried on data. They run on the service.</span>}
      />
      <div class="playground">
        <section aria-label="Query" class="playground-part">
          <h2>Query</h2>
          <Editor language="jq" label="Query" value={query.value} onChange={into(query)} />
        </section>
        <section aria-label="Data" class="playground-part">
          <h2>Data</h2>
          <Editor language="json" label="Data" value={data.value} onChange={into(data)} />
        </section>
        <section aria-label="Result" class="playground-part result" aria-live="polite">
          <h2>Result</h2>
          <div class="playground-result">
            {outcome !== undefined && 'error' in outcome && <p class="transfer-error note-message">{outcome.error}</p>}
            {outcome !== undefined &&
              'results' in outcome &&
              outcome.results.map((text, index) => <Result key={`${index} ${text}`} text={text} index={index} />)}
          </div>
        </section>
      </div>
    </div>
  );
}
