// The form of a query: editor, params and switches, its address, and the draft that outlasts a reload. Runs nothing.
import { copyButton } from './copy-button.ts';
import { createEditor, type Editor } from './editor.ts';
import { found } from './element.ts';
import { BASE } from './gateway.ts';
import { keep, kept } from './memory.ts';
import { createMenu } from './menu.ts';
import { readParams, takesParams } from './params.ts';
import { membersOf, readQuery } from './past.ts';
import {
  curlOf,
  EMPTY_QUERY,
  type FileFormat,
  fileUrl,
  hashOf,
  type Query,
  queryUrl,
  type View,
} from './place.ts';

export interface QueryFormEvents {
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly onExplain: () => void;
  readonly onSave: () => void;
  /** Another form of the answer was chosen. */
  readonly onSwitch: () => void;
  /** For the link that is copied. */
  readonly view: () => View;
}

export interface QueryForm {
  readonly editor: Editor;
  readonly query: () => Query;
  fill(query: Query): void;
  /** Whether it can be sent; where it cannot, it is said why, and the focus is there. */
  check(): boolean;
  /** Says what the gateway found wrong with the params. */
  markParams(problem: string): void;
  setRunning(is: boolean): void;
  /** What was written last: in this tab at this address, or, where the address says nothing, in any. */
  readonly draft: () => Query | undefined;
}

const FILES: readonly (readonly [FileFormat, string])[] = [
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
  ['parquet', 'Parquet'],
  ['arrow', 'Arrow'],
];

/** After the last letter. */
const KEEP_MS = 300;

export function createQueryForm(events: QueryFormEvents): QueryForm {
  const form = found<HTMLFormElement>('query-form');
  const runButton = found<HTMLButtonElement>('run');
  const stopButton = found<HTMLButtonElement>('stop');
  const liveUrl = found<HTMLInputElement>('live-url');
  const params = found<HTMLInputElement>('params');
  const paramsProblem = found('params-problem');
  const extract = found<HTMLInputElement>('extract');
  const unwrap = found<HTMLInputElement>('unwrap');
  const address = found<HTMLDetailsElement>('address');
  const formats = [...form.querySelectorAll<HTMLInputElement>('input[name=format]')];
  let keeping: ReturnType<typeof setTimeout> | undefined;

  const query = (): Query => {
    const format = formats.find((radio) => radio.checked)?.value === 'objects' ? 'objects' : 'table';
    const options = format === 'objects';
    return {
      // Half a character has no place in an address.
      statement: editor.text().toWellFormed(),
      params: found('params-line').hidden ? '' : params.value.toWellFormed(),
      format,
      extract: options && extract.checked,
      unwrap: options && unwrap.checked,
    };
  };
  const markParams = (problem: string): void => {
    paramsProblem.textContent = problem;
    params.setAttribute('aria-invalid', String(problem !== ''));
  };
  const keepDraft = (): void => {
    clearTimeout(keeping);
    const draft = { hash: location.hash, query: query() };
    keep('draft', draft, 'tab');
    keep('draft', draft);
  };
  /** Address and draft follow editor and switches. */
  const refresh = (): void => {
    found('params-line').hidden = !takesParams(editor.text()) && params.value.trim() === '';
    liveUrl.value = queryUrl(BASE, query());
    for (const box of [extract, unwrap]) box.disabled = query().format === 'table';
    clearTimeout(keeping);
    keeping = setTimeout(keepDraft, KEEP_MS);
  };
  const editor = createEditor(found('editor'), {
    onRun: events.onRun,
    onChange: refresh,
    onEscape: events.onStop,
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    events.onRun();
  });
  stopButton.addEventListener('click', events.onStop);
  found('explain').addEventListener('click', events.onExplain);
  found('save').addEventListener('click', events.onSave);
  params.addEventListener('input', () => {
    // What is being written is not wrong yet; what was wrong may be right now.
    if (params.getAttribute('aria-invalid') === 'true') markParams(readParams(params.value).problem ?? '');
    refresh();
  });
  form.addEventListener('change', (event) => {
    if (event.target === params) markParams(readParams(params.value).problem ?? '');
    if (event.target === liveUrl || event.target === params) return;
    refresh();
    events.onSwitch();
  });
  found('url-tools').append(
    copyButton('Copy URL', () => liveUrl.value),
    createMenu(
      'Copy URL as',
      ...FILES.map(([format, label]) => copyButton(label, () => fileUrl(BASE, query(), format))),
    ).box,
    copyButton('Copy curl', () => curlOf(BASE, query())),
    copyButton(
      'Copy link',
      () => new URL(hashOf({ page: 'query', query: query(), view: events.view() }), location.href).href,
    ),
  );
  liveUrl.addEventListener('focus', () => liveUrl.select());
  addEventListener('pagehide', keepDraft);
  // On a narrow screen the answer is worth more than its address.
  const wide = matchMedia('(min-width: 861px)');
  const fold = (): void => {
    address.open = wide.matches;
  };
  wide.addEventListener('change', fold);
  fold();

  return {
    editor,
    query,
    fill(to) {
      editor.setText(to.statement);
      params.value = to.params;
      for (const radio of formats) radio.checked = radio.value === to.format;
      extract.checked = to.extract;
      unwrap.checked = to.unwrap;
      markParams('');
      refresh();
    },
    check() {
      const { statement, params: list } = query();
      const { problem = '' } = readParams(list);
      markParams(problem);
      if (statement.trim() === '') editor.focus();
      else if (problem !== '') params.focus();
      return statement.trim() !== '' && problem === '';
    },
    markParams,
    setRunning(is) {
      const hadFocus = document.activeElement === runButton || document.activeElement === stopButton;
      runButton.hidden = is;
      stopButton.hidden = !is;
      if (hadFocus) (is ? stopButton : runButton).focus();
      form.classList.toggle('is-running', is);
    },
    draft() {
      const own = membersOf(kept('draft', 'tab'));
      if (own['hash'] === location.hash) return readQuery(own['query']);
      const isBare = !/[#&]q=./.test(location.hash);
      return isBare ? readQuery(membersOf(kept('draft'))['query']) : undefined;
    },
  };
}

/** The same query, whatever wrote it. */
export function isSameQuery(one: Query, other: Query | undefined): boolean {
  return other !== undefined && hashOf(placed(one)) === hashOf(placed(other));
}

function placed(query: Query): { page: 'query'; query: Query; view: View } {
  return { page: 'query', query: { ...EMPTY_QUERY, ...query }, view: 'table' };
}
