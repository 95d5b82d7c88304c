// The description of the API as one page for people: no script, nothing from elsewhere. It shows what the
// document says and adds nothing of its own.
import { createHash } from 'node:crypto';
import { PAGE_STYLE } from './page-style.ts';

type Part = { readonly [name: string]: unknown };

/** The page may show itself, and nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
const part = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Backquotes as code, lines that begin with a dash as a list, blank lines between paragraphs. */
function prose(markdown: string): string {
  return markdown
    .split(/\n{2,}/)
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(block)}</p>`;
      return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`;
    })
    .join('');
}

function inline(markdown: string): string {
  return escaped(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly about: Part;
}

/** @param links of the page's head: name and address each */
export function apiPage(document: Part, links: { readonly [name: string]: string }): string {
  const info = part(document['info']);
  const operations = Object.entries(part(document['paths'])).flatMap(([path, item]) =>
    Object.entries(part(item)).map(
      ([method, about]): Operation => ({
        id: text(part(about)['operationId']),
        method,
        path,
        about: part(about),
      }),
    ),
  );
  const tags = list(document['tags']).map((tag) => text(part(tag)['name']));
  const tagged = (tag: string): readonly Operation[] =>
    operations.filter(({ about }) => list(about['tags']).includes(tag));
  const base = text(part(list(document['servers'])[0])['url']).replace(/\/$/, '');
  const schemas = part(part(document['components'])['schemas']);
  const head = Object.entries(links).map(([name, to]) => `<a href="${escaped(to)}">${escaped(name)}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(text(info['title']))} API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${PAGE_STYLE}</style></head>
<body><div class="all"><nav aria-label="Operations">${tags
    .map(
      (tag) =>
        `<h2>${escaped(tag)}</h2><ul>${tagged(tag)
          .map(({ id, about }) => `<li><a href="#${id}">${inline(text(about['summary']))}</a></li>`)
          .join('')}</ul>`,
    )
    .join('')}<div class="bodies"><h2>Bodies</h2><ul>${Object.keys(schemas)
    .map((name) => `<li><a href="#schema-${name}">${name}</a></li>`)
    .join('')}</ul></div></nav>
<main><h1>${escaped(text(info['title']))} API</h1>
<p class="soft">${inline(text(info['summary']))} Version ${escaped(text(info['version']))}. ${head.join(' · ')}</p>
${prose(text(info['description']))}
${tags
  .map(
    (tag) =>
      `<h2>${escaped(tag)}</h2>${tagged(tag)
        .map((operation) => operationPart(operation, base))
        .join('')}`,
  )
  .join('')}
<h2>Bodies</h2>${Object.entries(schemas)
    .map(([name, schema]) => `<h3 id="schema-${name}">${name}</h3>${schemaPart(part(schema))}`)
    .join('')}
</main></div></body></html>
`;
}

function operationPart({ id, method, path, about }: Operation, base: string): string {
  const parameters = list(about['parameters']).map(part);
  const body = part(part(part(about['requestBody'])['content'])['application/json']);
  return `<section aria-labelledby="${id}"><h3 id="${id}">${inline(text(about['summary']))}</h3>
<p class="way"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escaped(base + path)}</code></p>
${prose(text(about['description']))}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><dl>${parameters.map(parameterPart).join('')}</dl>`}
${'schema' in body ? `<h4>Body</h4><p>JSON: ${typeOf(part(body['schema']))}.</p>` : ''}
<h4>Answers</h4><dl>${Object.entries(part(about['responses'])).map(answerPart).join('')}</dl></section>`;
}

function parameterPart(parameter: Part): string {
  const schema = part(parameter['schema']);
  const where = parameter['in'] === 'query' ? '' : `, in the ${text(parameter['in'])}`;
  const need = parameter['required'] === true ? ', required' : '';
  const fallback = 'default' in schema ? ` Default <code>${escaped(String(schema['default']))}</code>.` : '';
  return `<dt>${escaped(text(parameter['name']))}<span class="soft">${typeOf(schema)}${where}${need}</span></dt>
<dd>${inline(text(parameter['description']))}${fallback}${examples(parameter)}</dd>`;
}

function answerPart([status, answer]: readonly [string, unknown]): string {
  const content = Object.entries(part(part(answer)['content']));
  const bodies = content.map(([type, media]) => {
    const schema = part(part(media)['schema']);
    const what =
      '$ref' in schema ? ` ${typeOf(schema)}` : inline(text(schema['description'])).replace(/^/, ' ');
    return `<li><code>${escaped(type)}</code>${what}${examples(part(media))}</li>`;
  });
  return `<dt class="s${status[0]}">${status}</dt><dd>${prose(text(part(answer)['description']))}${
    bodies.length === 0 || status >= '400' ? '' : `<ul>${bodies.join('')}</ul>`
  }</dd>`;
}

function examples(holder: Part): string {
  return Object.entries(part(holder['examples']))
    .map(([name, example]) => {
      const value = part(example)['value'];
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return `<pre aria-label="example: ${escaped(name)}"><code>${escaped(shown)}</code></pre>`;
    })
    .join('');
}

/** In a few words. */
function typeOf(schema: Part): string {
  const reference = text(schema['$ref']);
  if (reference !== '') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  }
  if ('enum' in schema) {
    const values = list(schema['enum']).filter((value) => value !== '');
    if (values.length > 12) return `one of ${values.length} words`;
    return values.map((value) => `<code>${escaped(String(value))}</code>`).join(', ');
  }
  if (schema['type'] === 'array') return `list of ${typeOf(part(schema['items']))}`;
  const types = Array.isArray(schema['type']) ? schema['type'].join(', ') : text(schema['type']);
  return escaped(types === '' ? 'any value' : types);
}

function schemaPart(schema: Part): string {
  const about = prose(text(schema['description']));
  const members = Object.entries(part(schema['properties']));
  if (members.length === 0) return `${about}<p>${typeOf(schema)}</p>`;
  return `${about}<dl>${members.map(([name, member]) => memberPart(name, part(member))).join('')}</dl>`;
}

function memberPart(name: string, member: Part): string {
  const inner = member['type'] === 'array' ? part(member['items']) : member;
  const nested = 'properties' in inner ? schemaPart({ properties: inner['properties'] }) : '';
  const codes =
    name === 'code' && 'enum' in member
      ? `<p>${list(member['enum'])
          .map((code) => `<code>${escaped(String(code))}</code>`)
          .join(' ')}</p>`
      : '';
  return `<dt>${escaped(name)}<span class="soft">${typeOf(member)}</span></dt><dd>${inline(text(member['description']))}${codes}${nested}</dd>`;
}
