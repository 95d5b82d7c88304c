// The description of a table.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tableDocument } from '../../src/catalog/document.ts';

const record = {
  name: 't_1_7',
  chainId: 1,
  tableId: '7',
  prefix: 't',
  createdAt: 1_700_000_000,
  columns: [
    { name: 'id', type: 'integer', constraints: ['primary key autoincrement'] },
    { name: 'a<b', type: 'text', constraints: [] },
  ],
  tableConstraints: [],
};
const links = {
  externalUriPrefix: 'https://tables.example',
  basePath: '/api/v1',
  animationRendererUri: '',
  metadataRendererUri: '',
};

const noRenderers = { ...links, animationRendererUri: 'none', metadataRendererUri: 'none' };

test('a description has the members of the reference, in its order, and leaves out what is empty', () => {
  assert.is(
    tableDocument(record, noRenderers),
    '{"name":"t_1_7","external_url":"https://tables.example/api/v1/tables/1/7",' +
      '"image":"https://bafkreifhuhrjhzbj4onqgbrmhpysk2mop2jimvdvfut6taiyzt2yqzt43a.ipfs.dweb.link",' +
      '"attributes":[{"display_type":"date","trait_type":"created","value":1700000000}],' +
      '"schema":{"columns":[{"name":"id","type":"integer","constraints":["primary key autoincrement"]},{"name":"a<b","type":"text"}]}}',
  );
});

test('without a renderer of its own, a description points to the pictures of this gateway', () => {
  const document = JSON.parse(tableDocument(record, links));
  assert.is(document.animation_url, 'https://tables.example/api/v1/tables/1/7.html');
  assert.is(document.image, 'https://tables.example/api/v1/tables/1/7.svg');
});

test('renderers give an address each', () => {
  const document = JSON.parse(
    tableDocument(
      { ...record, tableConstraints: ['check(id<9)'] },
      {
        ...links,
        animationRendererUri: 'https://render.example/a',
        metadataRendererUri: 'https://render.example/m',
      },
    ),
  );
  assert.is(document.animation_url, 'https://render.example/a/1/7.html');
  assert.is(document.image, 'https://render.example/m/1/7.svg');
  assert.equal(document.schema.table_constraints, ['check(id<9)']);
});

test.run();
