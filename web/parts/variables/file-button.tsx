import { useRef } from 'preact/hooks';
import { Button } from '../button/button.tsx';

/** A button that asks for a file. */
export function FileButton({ label, onFile }: { readonly label: string; readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label={label}
        ref={input}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
