import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view';
import { toSource } from './completion.ts';
import { changesOf, toDiagnostics } from './diagnostics.ts';
import { jq } from './jq.ts';
import { highlighting, theme } from './look.ts';
import type { EditorHandle, EditorOptions, Language } from './options.ts';

const LANGUAGES: Readonly<Record<Language, () => Extension>> = { yaml, json, jq, text: () => [] };

/** Tab leaves a small editor; in a large one it indents, and escape, then tab leaves. */
const keysOf = ({ isSmall }: EditorOptions): Extension =>
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...(isSmall ? [] : [indentWithTab]),
  ]);

/** Marks a change by the page, of which the page is not notified. */
const fromPage = Annotation.define<boolean>();

const gutters = ({ isSmall }: EditorOptions): Extension =>
  isSmall ? [] : [lineNumbers(), foldGutter(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter()];

function extensionsOf(options: EditorOptions, editable: Compartment): Extension[] {
  const { language, label, onChange, complete, isReadOnly = false } = options;
  return [
    theme,
    highlighting,
    gutters(options),
    history(),
    drawSelection(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    tooltips({ position: 'absolute' }),
    LANGUAGES[language](),
    complete === undefined ? [] : autocompletion({ override: [toSource(complete)], icons: false }),
    keysOf(options),
    editable.of(EditorState.readOnly.of(isReadOnly)),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      const isTyped = update.transactions.some((one) => one.docChanged && one.annotation(fromPage) !== true);
      if (isTyped) onChange?.(update.state.doc.toString());
    }),
  ];
}

/**
 * Opens an editor in a shadow tree of an element. There its styles are adopted sheets, which the Content Security Policy
 * allows, and styles of the page do not apply.
 */
export function openEditor(host: HTMLElement, options: EditorOptions): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const editable = new Compartment();
  const state = EditorState.create({ doc: options.value, extensions: extensionsOf(options, editable) });
  const view = new EditorView({ state, parent: root, root });
  return {
    setValue: (value) => {
      if (value === view.state.doc.toString()) return;
      const changes = { from: 0, to: view.state.doc.length, insert: value };
      view.dispatch({ changes, annotations: fromPage.of(true) });
    },
    setProblems: (problems) => view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state.doc, problems))),
    goTo: (line, column) => {
      const { from, to } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      const anchor = Math.min(from + column - 1, to);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    mend: (mend) => view.dispatch({ changes: changesOf(view.state.doc, mend) }),
    close: () => view.destroy(),
  };
}
