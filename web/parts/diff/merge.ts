import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { highlighting, theme } from '../editor/look.ts';

/** Shows the differences between two texts. Returns the function that removes them. */
export function openDiff(host: HTMLElement, texts: { readonly before: string; readonly after: string }, label: string) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    doc: texts.after,
    extensions: [
      theme,
      highlighting,
      lineNumbers(),
      yaml(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      unifiedMergeView({
        original: texts.before,
        mergeControls: false,
        collapseUnchanged: { margin: 3, minSize: 6 },
        syntaxHighlightDeletions: true,
      }),
    ],
  });
  return () => view.destroy();
}
