// Whose request it is: peers, trusted proxies and forged headers; and whose bucket an address draws from.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketKey, createClientAddress } from '../../src/limit/address.ts';

test('X-Forwarded-For is believed from nobody by default', () => {
  const client = createClientAddress('');
  assert.is(client('9.9.9.9', '1.2.3.4'), '9.9.9.9');
  assert.is(client('9.9.9.9', undefined), '9.9.9.9');
  assert.is(client(undefined, '1.2.3.4'), 'unknown');
});

test('an IPv4 peer of a dual-stack socket is its IPv4 address', () => {
  const client = createClientAddress('');
  assert.is(client('::ffff:9.9.9.9', undefined), '9.9.9.9');
  assert.is(client('2001:db8::1', undefined), '2001:db8::1');
});

test('with one trusted proxy the last entry counts, whatever a client wrote before it', () => {
  const client = createClientAddress('1');
  assert.is(client('10.0.0.1', '1.2.3.4'), '1.2.3.4');
  assert.is(client('10.0.0.1', '6.6.6.6, 7.7.7.7,1.2.3.4'), '1.2.3.4');
  assert.is(client('10.0.0.1', undefined), '10.0.0.1');
});

test('with two trusted proxies the last but one entry counts', () => {
  const client = createClientAddress('2');
  assert.is(client('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2'), '1.2.3.4');
  assert.is(client('10.0.0.1', '1.2.3.4'), '1.2.3.4', 'a shorter chain is read to its end');
});

test('proxies trusted by address are walked past from the right', () => {
  const client = createClientAddress('10.0.0.0/8, 2001:db8:1::/48 192.0.2.7');
  assert.is(client('10.1.1.1', '6.6.6.6, 1.2.3.4, 192.0.2.7, 10.2.2.2'), '1.2.3.4');
  assert.is(client('2001:db8:1::9', '1.2.3.4'), '1.2.3.4');
  assert.is(client('8.8.8.8', '1.2.3.4'), '8.8.8.8', 'a stranger is not a proxy');
  assert.is(client('10.1.1.1', '10.3.3.3, 10.2.2.2'), '10.3.3.3', 'where all are proxies, the first one');
});

test('malformed entries end the walk at the last address that is known', () => {
  const client = createClientAddress('3');
  for (const bad of ['unknown', '', '1.2.3', 'x'.repeat(1000), '_hidden', '1.2.3.4.5', '[::1', "' or 1=1"])
    assert.is(client('10.0.0.1', `6.6.6.6, ${bad}, 10.0.0.2`), '10.0.0.2', bad);
});

test('ports and brackets of entries are left out', () => {
  const client = createClientAddress('1');
  assert.is(client('10.0.0.1', '1.2.3.4:5678'), '1.2.3.4');
  assert.is(client('10.0.0.1', '[2001:db8::1]:443'), '2001:db8::1');
  assert.is(client('10.0.0.1', '::ffff:1.2.3.4'), '1.2.3.4');
});

test('all addresses of an IPv6 /64 draw from one bucket, and others from others', () => {
  const key = '2001:db8:1:2::/64';
  for (const address of [
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002::',
    '2001:db8:1:2:0:0:0:9%eth0',
  ])
    assert.is(bucketKey(address), key, address);
  assert.is.not(bucketKey('2001:db8:1:3::1'), key);
  assert.is(bucketKey('::1'), '0:0:0:0::/64');
  assert.is(bucketKey('fe80::1:2:3:4'), 'fe80:0:0:0::/64');
  assert.is(bucketKey('1::2:3:4:5:6'), '1:0:0:2::/64');
  assert.is(bucketKey('64:ff9b::1.2.3.4'), '64:ff9b:0:0::/64');
  assert.is(bucketKey('1.2.3.4'), '1.2.3.4');
});

test.run();
