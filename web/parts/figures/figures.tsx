import type { ComponentChildren } from 'preact';

export interface Figure {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly detail?: ComponentChildren;
  readonly href?: string | undefined;
  readonly mood?: 'failed' | 'running' | 'waiting' | undefined;
}

function Content({ label, value, detail, mood }: Figure) {
  return (
    <>
      <span class="figure-label">{label}</span>
      <span class={`figure-value${mood === undefined ? '' : ` is-${mood}`}`}>{value}</span>
      {detail !== undefined && <span class="figure-detail">{detail}</span>}
    </>
  );
}

/** Numbers side by side; a number with an address is a link to the counted things. */
export function Figures({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) {
  return (
    <ul class="figures" aria-label={label}>
      {figures.map((figure) => (
        <li key={figure.label} class="figure">
          {figure.href === undefined ? (
            <div class="figure-box">
              <Content {...figure} />
            </div>
          ) : (
            <a class="figure-box" href={figure.href}>
              <Content {...figure} />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
