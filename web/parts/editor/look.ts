import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The marks of problems of one severity. Those of CodeMirror are `data:` images, which the Content Security Policy blocks. */
const severityLook = (severity: string, colour: string) => ({
  [`.cm-diagnostic-${severity}`]: { borderLeft: `3px solid ${colour}` },
  [`.cm-lintRange-${severity}`]: {
    backgroundImage: 'none',
    textDecoration: `underline wavy ${colour} 1px`,
    textUnderlineOffset: '3px',
  },
  [`.cm-lint-marker-${severity}`]: { content: '"●"', color: colour, fontSize: '9px', paddingLeft: '2px' },
});

/** The editor in the colours of the page: its shadow tree inherits custom properties. */
export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--code)', lineHeight: '20px' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px 0 4px' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--raised)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklch, var(--focus) 6%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--ink)', backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in oklch, var(--focus) 22%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in oklch, var(--focus) 14%, transparent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--chosen)',
    outline: '1px solid var(--edge)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    backgroundColor: 'var(--raised)',
    boxShadow: 'var(--lift)',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--code)', maxHeight: '240px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--chosen)', color: 'var(--ink)' },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'pre-wrap', maxWidth: '480px' },
  '.cm-diagnosticAction': {
    padding: '2px 8px',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    font: 'inherit',
    cursor: 'pointer',
  },
  ...severityLook('error', 'var(--failed)'),
  ...severityLook('warning', 'var(--retrying)'),
  ...severityLook('info', 'var(--quiet)'),
  '.cm-gutter-lint': { width: '14px' },
  '.cm-foldGutter span': { color: 'var(--quiet)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': {
    border: '1px solid var(--control)',
    borderRadius: '4px',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
  },
  '.cm-button': {
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
  },
  '.cm-changedText': { background: 'color-mix(in oklch, var(--done) 26%, transparent)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--done-tint)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--failed-tint)', paddingLeft: '4px' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in oklch, var(--failed) 26%, transparent)' },
  '.cm-changeGutter': { width: '3px', paddingLeft: '0' },
  '.cm-collapsedLines': {
    padding: '2px 12px',
    background: 'var(--sunken)',
    color: 'var(--quiet)',
    fontFamily: 'var(--words)',
  },
});

/** Names are coloured, values are plain. */
export const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--link)' },
    { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
    { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--waiting)' },
    { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--retrying)' },
    { tag: [tags.string, tags.content], color: 'var(--ink)' },
    { tag: [tags.variableName, tags.labelName], color: 'var(--done)' },
    { tag: [tags.punctuation, tags.separator, tags.operator, tags.bracket], color: 'var(--quiet)' },
    { tag: tags.invalid, color: 'var(--failed)' },
  ]),
);
