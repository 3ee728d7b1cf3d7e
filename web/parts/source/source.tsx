import { useEffect, useRef } from 'preact/hooks';

interface SourceProps {
  readonly text: string;
  readonly label: string;
  /** Lines to mark, counted from 1. */
  readonly marked?: { readonly from: number; readonly to: number } | undefined;
  readonly isWrong?: boolean;
}

/** A text with the numbers of its lines, some of them marked and scrolled to. */
export function Source({ text, label, marked, isWrong = false }: SourceProps) {
  const root = useRef<HTMLPreElement>(null);
  const first = marked?.from;
  useEffect(() => {
    if (first === undefined) return;
    const line = root.current?.querySelector<HTMLElement>('.marked');
    const box = root.current?.closest<HTMLElement>('.source-scroll');
    if (line && box) box.scrollTop = line.offsetTop - box.clientHeight / 3;
  }, [first]);
  const isMarked = (number: number): boolean => marked !== undefined && number >= marked.from && number <= marked.to;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region is reached by the keyboard
    <section class="source-scroll" aria-label={label} tabIndex={0}>
      <pre class={`source${isWrong ? ' wrong' : ''}`} ref={root}>
        {text
          .replace(/\n$/, '')
          .split('\n')
          .map((line, index) => (
            <span key={`${index + 1} ${line}`} class={`source-line${isMarked(index + 1) ? ' marked' : ''}`}>
              <span class="source-number" aria-hidden="true">
                {index + 1}
              </span>
              {`${line}\n`}
            </span>
          ))}
      </pre>
    </section>
  );
}
