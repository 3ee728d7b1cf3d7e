import { useEffect, useRef } from 'preact/hooks';

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** What changed from one text to another, line by line; what is the same is folded. */
export function Diff({ before, after, label }: DiffProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let stop = () => {};
    let isGone = false;
    import('./merge.ts').then(({ openDiff }) => {
      if (!isGone && host.current !== null) stop = openDiff(host.current, { before, after }, label);
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [before, after, label]);
  return <div class="diff editor-host" ref={host} />;
}
