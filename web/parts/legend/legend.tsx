/** A line, a colour or a pattern, by the class of an element that shows it, and what it means. */
export interface Meaning {
  readonly look: string;
  readonly text: string;
}

/** What the lines, colours and patterns of a drawing mean. */
export function Legend({ meanings }: { readonly meanings: readonly Meaning[] }) {
  return (
    <p class="meanings quiet">
      {meanings.map(({ look, text }) => (
        <span key={text} class="meaning">
          <span class={look} /> {text}
        </span>
      ))}
    </p>
  );
}
