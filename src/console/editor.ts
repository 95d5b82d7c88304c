// The statement's editor: CodeMirror in a shadow root, where its styles are constructed sheets, so that the
// page's policy need not allow inline ones.
import { autocompletion } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  placeholder,
  tooltips,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completeSql } from './completion.ts';
import { element } from './element.ts';
import type { ErrorPlace } from './error-place.ts';
import { sqlTokens } from './sql-words.ts';
import { HIDDEN, hiddenName } from './visible.ts';

export interface Editor {
  readonly text: () => string;
  setText(text: string): void;
  /** Underlines the place, until the text changes; undefined takes the underline away. */
  markError(place: ErrorPlace | undefined): void;
  /** Puts the cursor at the underlined place, or where it was. */
  focus(): void;
  /** In the place of what is selected. */
  insert(text: string): void;
}

export interface EditorEvents {
  readonly onRun: () => void;
  readonly onChange: () => void;
  /** Escape where the editor itself has no use for it. */
  readonly onEscape: () => void;
}

const setError = StateEffect.define<ErrorPlace | undefined>();
const errorMark = Decoration.mark({ class: 'cm-error', attributes: { 'aria-invalid': 'true' } });

const errorField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setError)) {
        const { from = 0, to = 0 } = effect.value ?? {};
        return to > from ? Decoration.set(errorMark.range(from, to)) : Decoration.none;
      }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--syntax-keyword)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--syntax-string)' },
  { tag: tags.number, color: 'var(--syntax-number)' },
  { tag: tags.typeName, color: 'var(--syntax-function)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.operator, color: 'var(--soft)' },
]);

const appearance = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.6',
    maxHeight: 'min(42vh, var(--editor-most))',
  },
  // All of the box is text to click into.
  '.cm-content': { padding: '12px 0', caretColor: 'var(--ink)', minHeight: 'var(--editor-least)' },
  '.cm-line': { padding: '0 16px' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--wash)', outline: '1px solid var(--line-strong)' },
  '.cm-error': {
    textDecoration: 'underline wavy var(--danger) 1.5px',
    textUnderlineOffset: '4px',
    backgroundColor: 'var(--danger-wash)',
    borderRadius: '3px',
  },
  '.cm-hidden': { color: 'var(--danger)', fontSize: '0.8em' },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line-strong)',
    borderRadius: '10px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
    margin: '3px 0',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '13px',
    maxHeight: '16em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal', marginLeft: '1em' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': { padding: '4px 10px', fontFamily: 'var(--mono)', fontSize: '12px' },
});

/** A link's statement must not look like another one. */
const hiddenCharacters = highlightSpecialChars({
  addSpecialChars: HIDDEN,
  render: (code, description) =>
    element('span', { class: 'cm-hidden', title: description ?? '' }, hiddenName(code)),
});

/**
 * A browser that types over coloured text keeps the colours in a style attribute, which the page's policy
 * refuses: CodeMirror is told the text instead of finding it in the document.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing) return false;
    if (view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

export function createEditor(host: HTMLElement, events: EditorEvents): Editor {
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
  const run = (): boolean => {
    events.onRun();
    return true;
  };
  const escapeKey = (): boolean => {
    events.onEscape();
    return false;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
        // Tab is left to the page, so that the keyboard gets out of the editor again.
        keymap.of([{ key: 'Escape', run: escapeKey }, ...historyKeymap, ...standardKeymap]),
        history(),
        StreamLanguage.define(sqlTokens),
        syntaxHighlighting(colours),
        bracketMatching(),
        hiddenCharacters,
        autocompletion({ override: [completeSql], icons: false }),
        tooltips({ position: 'absolute' }),
        placeholder('select * from …'),
        errorField,
        typedOver,
        appearance,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'SQL statement; Control and Enter runs it',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) events.onChange();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
      });
    },
    markError(place) {
      const end = view.state.doc.length;
      const bounded = place && { from: Math.min(place.from, end), to: Math.min(place.to, end) };
      view.dispatch({ effects: setError.of(bounded) });
    },
    focus() {
      const mark = view.state.field(errorField).iter();
      if (mark.value !== null) view.dispatch({ selection: { anchor: mark.from }, scrollIntoView: true });
      view.focus();
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
  };
}
