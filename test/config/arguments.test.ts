// Options, variables, defaults and their origins; and that what is unknown is named.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import { optionName, printConfig, readArguments, variableName } from '../../src/cli/arguments.ts';
import { SETTINGS, type SettingName } from '../../src/cli/config.ts';
import { helpText } from '../../src/cli/help.ts';
import { RETIRED } from '../../src/cli/retired.ts';
import { bytesText, durationText } from '../../src/cli/value.ts';

function refused(args: readonly string[], env: Record<string, string>, ...words: readonly string[]): void {
  try {
    readArguments(args, env);
  } catch (error) {
    assert.instance(error, OperatorError);
    for (const word of words) assert.match((error as Error).message, word);
    assert.not.match((error as Error).message, '\n');
    return;
  }
  assert.unreachable(`${args.join(' ')} was taken`);
}

test('without options and variables every setting has its default', () => {
  const { config, origins } = readArguments([], { HOME: '/root' });
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    assert.equal(config[name], SETTINGS[name].default);
    assert.is(origins[name], 'default');
  }
});

test('an option beats a variable, and both say where the value comes from', () => {
  const env = { TABLEGATE_PORT: '1', TABLEGATE_RATE_LIMIT: '7' };
  const { config, origins } = readArguments(['--port', '2', '--base-path=/x/'], env);
  assert.is(config.port, 2);
  assert.is(origins.port, '--port');
  assert.is(config.rateLimit, 7);
  assert.is(origins.rateLimit, 'TABLEGATE_RATE_LIMIT');
  assert.is(config.basePath, '/x');
  assert.throws(() => Object.assign(config, { port: 3 }), /read only/);
});

test('names are kebab-case options and TABLEGATE_ variables', () => {
  assert.is(optionName('maxBodyBytes'), '--max-body-bytes');
  assert.is(variableName('maxBodyBytes'), 'TABLEGATE_MAX_BODY_BYTES');
});

test('a setting of the version before still works under its old name, with a warning', () => {
  const { config, origins, warnings } = readArguments(['--wide-workers', '3'], { TABLEGATE_WIDE_NICE: '4' });
  assert.is(config.scanWorkers, 3);
  assert.is(origins.scanWorkers, '--wide-workers');
  assert.is(config.scanNice, 4);
  assert.equal(warnings, [
    '--wide-workers is called --scan-workers now: the next version knows only that name',
    'TABLEGATE_WIDE_NICE is called TABLEGATE_SCAN_NICE now: the next version knows only that name',
  ]);
  const both = readArguments(['--wide-workers', '3', '--scan-workers', '5'], {});
  assert.is(both.config.scanWorkers, 5, 'the new name beats the old one');
  refused(['--wide-workers', 'many'], {}, '--wide-workers must be a whole number');
});

test('a setting that has no meaning any more is taken with a warning, whatever its value', () => {
  for (const [name, place] of Object.entries(RETIRED)) {
    assert.not.ok(name in SETTINGS, name);
    if (place !== null) continue;
    const { config, warnings } = readArguments([optionName(name), 'x'], { [variableName(name)]: 'y' });
    assert.equal(
      warnings,
      [optionName(name), variableName(name)].map(
        (origin) => `${origin} has no meaning any more: leave it out, the next version refuses it`,
      ),
    );
    assert.equal(config, readArguments([], {}).config);
  }
  assert.equal(readArguments([], {}).warnings, []);
});

test('an unknown option or variable is named, with the nearest one that exists', () => {
  refused(['--prot', '1'], {}, 'unknown option --prot; did you mean --port?');
  refused(['--follwo', 'x'], {}, 'did you mean --follow?');
  refused(['--qqqqqq', 'x'], {}, 'unknown option --qqqqqq; --help=all lists them');
  refused([`--${'x'.repeat(100_000)}`, 'x'], {}, 'unknown option');
  refused(['--rate', '1'], {}, 'unknown option --rate', '--rate-limit');
  refused([], { TABLEGATE_RATELIMIT: '1' }, 'unknown variable TABLEGATE_RATELIMIT', 'TABLEGATE_RATE_LIMIT');
  refused(['8080'], {}, 'unexpected argument "8080"');
  refused(['--constructor', 'x'], {}, 'unknown option --constructor');
});

test('a bad value is named with what is accepted', () => {
  refused(['--port', 'x'], {}, '--port must be a whole number from 0 to 65535', '"x"');
  for (const port of ['', '-1', '1.5', '65536', '1e3', ' 80'])
    refused(['--port', port], {}, '--port must be');
  refused([], { TABLEGATE_PORT: '' }, 'TABLEGATE_PORT must be');
  refused(['--port'], {}, '--port needs a value');
  refused(['--external-uri-prefix', 'ftp://x'], {}, 'http or https URL');
  refused(['--base-path', 'api'], {}, 'a path such as /api/v1');
  refused(['--chains', '1,x'], {}, 'chain ids');
  refused(['--log-format', 'xml'], {}, 'one of text, json');
  refused(['--log-level', 'loud'], {}, 'one of error, warn, info, debug');
  for (const proxies of ['nobody', '10.0.0.0/33', '1.2.3.4/x', '::1/129', '1.2.3.4/8/8', '100'])
    refused(['--trust-proxy', proxies], {}, '--trust-proxy must be a count');
});

test('an address with a name or a password in it is refused, and neither is repeated', () => {
  const told = (args: readonly string[]): string => {
    try {
      readArguments(args, {});
    } catch (error) {
      assert.instance(error, OperatorError);
      return (error as Error).message;
    }
    return 'taken';
  };
  for (const name of ['--trino', '--external-uri-prefix'])
    assert.is(
      told([name, 'http://olga:s3cret@trino:8080']),
      `${name} must be an http or https URL without a name or a password in it, not "http://...@trino:8080"`,
    );
  for (const args of [
    ['--trino', 'http://olga@trino'],
    ['--trino', 'http://:s3cret@trino'],
    ['--trino', 'http://olga:s3cret/more@trino'],
    ['--trino', 'olga:s3cret@trino:8080'],
    ['--trino', 'ftp://olga:s3c@ret@trino'],
    ['--pull', 'https://olga:s3cret@store/place'],
    ['http://olga:s3cret@trino'],
  ])
    assert.match(told(args), /^(?!.*(s3c|ret@|olga)).*\.\.\.@/);
});

test('proxies are a count or addresses and networks', () => {
  for (const proxies of ['0', '2', '10.0.0.0/8', '10.0.0.1, ::1 2001:db8::/32'])
    assert.is(readArguments(['--trust-proxy', proxies], {}).config.trustProxy, proxies);
});

test('the printed settings show every value and origin, but no secret', () => {
  const text = printConfig(readArguments(['--api-keys', 'hush,quiet', '--chains', '1,5'], {}));
  for (const name of Object.keys(SETTINGS)) assert.match(text, new RegExp(`^${optionName(name)} `, 'm'));
  assert.match(text, /^--chains +"1,5" +--chains$/m);
  assert.match(text, /^--api-keys +\(2 hidden\) +--api-keys$/m);
  assert.not.match(text, 'hush');
});

test('a bad secret is not repeated', () => {
  refused(['--api-keyz', 'hush'], {}, 'unknown option --api-keyz');
});

test('the printed settings can be given again as options, with their units', () => {
  const given = [
    '--chains',
    '1,5',
    '--rate-limit',
    '3',
    '--data',
    '/a b',
    '--every',
    '1500',
    '--max-body-bytes',
    '777',
  ];
  const first = readArguments(given, {});
  const text = printConfig(first);
  assert.match(text, /^--deadline-ms +"10s" +default$/m);
  assert.match(text, /^--max-statement-bytes +"35kB" +default$/m);
  assert.match(text, /^--max-result-bytes +"1GiB" +default$/m);
  assert.match(text, /^--every +"1500ms" +--every$/m);
  assert.match(text, /^--max-body-bytes +"777" +--max-body-bytes$/m);
  const again = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, option = '', value = ''] = /^(\S+) +("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
      return [option, JSON.parse(value) as string];
    });
  assert.equal(readArguments(again, {}).config, first.config);
});

test('every time and every size is taken with its unit, and as a bare number as before', () => {
  const names = (unit: string): SettingName[] =>
    (Object.keys(SETTINGS) as SettingName[]).filter((name) => SETTINGS[name].unit === unit);
  assert.ok(names('ms').length >= 5);
  for (const name of names('ms'))
    for (const [text, ms] of [
      ['60000', 60_000],
      ['60000ms', 60_000],
      ['60s', 60_000],
      ['1m', 60_000],
      ['1.5 min', 90_000],
    ] as const)
      assert.is(readArguments([optionName(name), text], {}).config[name], ms, `${name} ${text}`);
  assert.ok(names('bytes').length >= 8);
  for (const name of names('bytes')) {
    const ok = name === 'maxStatementBytes' ? 1_000 : 500_000_000;
    for (const text of [String(ok), `${ok / 1000}kB`, `${ok / 1e6}MB`, `${ok / 1000}KB`, `${ok} b`])
      assert.is(readArguments([optionName(name), text], {}).config[name], ok, `${name} ${text}`);
  }
  const { config } = readArguments(
    ['--unread-bytes', '1.5GiB', '--stream-bytes', '2MiB', '--drain-ms', '0'],
    {},
  );
  assert.is(config.unreadBytes, 1.5 * 1024 ** 3);
  assert.is(config.streamBytes, 2 * 1024 ** 2);
  assert.is(config.drainMs, 0);
});

test('a time or a size that is none is refused with examples and its bounds', () => {
  for (const text of [
    '',
    'x',
    '-1s',
    '1e3',
    '10 parsecs',
    '1s 1s',
    '10S',
    '0x10',
    '9'.repeat(400),
    'NaN',
    '2h',
  ])
    refused(
      [`--deadline-ms=${text}`],
      {},
      '--deadline-ms must be a time such as 500ms, 10s or 1m, from 1ms to 1h',
    );
  for (const text of [
    '',
    'x',
    '-1kB',
    '1e3',
    '1.5',
    '1 XiB',
    '1kiBB',
    'B',
    '1GiB',
    '9'.repeat(400),
    'Infinity',
    'constructor',
  ])
    refused([`--max-statement-bytes=${text}`], {}, 'must be bytes, or such as 35kB or 2GiB, from 1 to 1MB');
});

test('texts of times and sizes are the shortest that mean the same', () => {
  for (const [ms, text] of [
    [0, '0'],
    [1, '1ms'],
    [999, '999ms'],
    [2000, '2s'],
    [90_000, '90s'],
    [60_000, '1m'],
    [86_400_000, '1d'],
  ] as const)
    assert.is(durationText(ms), text);
  for (const [size, text] of [
    [0, '0'],
    [777, '777'],
    [1000, '1kB'],
    [1024, '1KiB'],
    [35_000, '35kB'],
    [2 ** 30, '1GiB'],
    [1e13, '10TB'],
  ] as const)
    assert.is(bytesText(size), text);
});

test('the short help is a screenful, and the long one has every setting', () => {
  const short = helpText(false).trimEnd().split('\n');
  assert.ok(short.length <= 40, `${short.length} lines`);
  for (const line of short) assert.ok(line.length <= 120, line);
  for (const word of ['--help=all', '--follow', '--port', '--rate-limit', 'import SOURCE'])
    assert.match(helpText(false), word);
  const all = helpText(true);
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    assert.is(all.split(`  ${optionName(name)} `).length, 2, name);
    assert.match(all, SETTINGS[name].help);
  }
});

test.run();
