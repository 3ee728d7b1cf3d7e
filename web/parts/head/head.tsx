import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface HeadProps {
  readonly title: ComponentChildren;
  /** The title of the window. */
  readonly name: string;
  /** A line below the title. */
  readonly detail?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The head of a page: its title, details and actions. */
export function Head({ title, name, detail, actions }: HeadProps) {
  useEffect(() => {
    document.title = `${name} · Weft`;
  }, [name]);
  return (
    <header class="head">
      <div class="head-words">
        <h1 class="head-title">{title}</h1>
        {detail && <div class="head-detail">{detail}</div>}
      </div>
      {actions && <div class="head-actions">{actions}</div>}
    </header>
  );
}

interface SectionProps {
  readonly title: string;
  readonly detail?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page with its own title. */
export function Section({ title, detail, actions, children }: SectionProps) {
  return (
    <section class="section" aria-label={title}>
      <div class="section-head">
        <h2>{title}</h2>
        {detail && <div class="quiet">{detail}</div>}
        {actions && <div class="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
