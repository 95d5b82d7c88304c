// Options, variables, defaults and their origins; and that what is unknown is named.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import {
  optionName,
  printConfig,
  readArguments,
  settingsHelp,
  variableName,
} from '../../src/cli/arguments.ts';
import { RETIRED, SETTINGS, type SettingName } from '../../src/cli/config.ts';

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
  refused(['--prot', '1'], {}, 'unknown option --prot');
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

test('the printed settings can be given again as options', () => {
  const first = readArguments(['--chains', '1,5', '--rate-limit', '3', '--data', '/a b'], {});
  const again = printConfig(first)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, option = '', value = ''] = /^(\S+) +("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
      return [option, JSON.parse(value) as string];
    });
  assert.equal(readArguments(again, {}).config, first.config);
});

test('help has a line for every setting', () => {
  for (const name of Object.keys(SETTINGS)) assert.match(settingsHelp(), `${optionName(name)} `);
});

test.run();
