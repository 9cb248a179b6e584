import { describe, expect, test } from 'vitest';
import { Destinations } from './destination.ts';
import { AllowedNetworks, networksSetting } from './networks.ts';

const NO_NETWORKS = new Destinations(new AllowedNetworks([]), 'WEBHOOK_ALLOWED_NETWORKS');

/** Spellings of one address, as they may appear in a URL. */
const inUrls = (hosts: readonly string[]) => hosts.map((host) => `https://${host}/hook`);

const LOOPBACK = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '127.000.000.001', '0177.0.0.1', '0x7f.0.0.1'],
  ...['0x7f000001', '0X7F000001', '2130706433', '017700000001', '0x7f.1', '0177.1', '127.0.0.1:8443', '127.0.0.1:22'],
  ...['%31%32%37.0.0.1', '１２７.０.０.１', '127。0。0。1', '127.0.0．1', '①②⑦.0.0.1', '０ｘ７ｆ.1'],
  ...[
    'localhost',
    'LOCALHOST',
    'LocalHost',
    'localhost.',
    'a.localhost',
    'a.b.localhost',
    'localhost:443',
    'loc%61lhost',
  ],
  ...['ｌｏｃａｌｈｏｓｔ', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'foo.localhost.'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[::1]:8443'],
];
const THIS_NETWORK = [
  ...['0.0.0.0', '0', '0x0', '00', '0.0', '0.1.2.3', '0.255.255.255', '[::]', '[0:0:0:0:0:0:0:0]', '[::0]'],
];
const PRIVATE = [
  ...['10.0.0.0', '10.0.0.1', '10.255.255.255', '10.1', '012.0.0.1', '0xa.0.0.1', '167772161', '0x0a000001'],
  ...['172.16.0.0', '172.16.0.1', '172.20.10.5', '172.31.255.255', '2886729729', '0xac.0x10.0.1'],
  ...['192.168.0.0', '192.168.1.1', '192.168.255.255', '3232235777', '0xc0a80101', '192.168.257', '030052000401'],
];
const LINK_LOCAL = [
  ...['169.254.0.1', '169.254.169.254', '169.254.255.255', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376'],
  ...['169.254.43518', '169.16689662', '[fe80::1]', '[fe80::a9fe:a9fe]', '[febf::1]', '[fe90:1:2:3::4]'],
];
const SHARED = ['100.64.0.0', '100.64.0.1', '100.100.100.200', '100.127.255.255', '1681915905', '0x64.0x40.0.1'];
const SPECIAL = [
  ...['192.0.0.1', '192.0.0.170', '192.0.0.192', '192.0.2.1', '198.51.100.7', '203.0.113.99', '192.88.99.1'],
  ...['198.18.0.1', '198.19.255.255', '240.0.0.1', '250.1.2.3', '255.255.255.255', '4294967295', '0xffffffff'],
];
const MULTICAST = ['224.0.0.1', '224.0.0.251', '239.255.255.250', '232.1.2.3', '[ff02::1]', '[ff05::2]', '[ff0e::101]'];
const UNIQUE_LOCAL = ['[fc00::1]', '[fd00::1]', '[fd12:3456:789a::1]', '[fdff:ffff::1]', '[fd00:ec2::254]'];
const IPV4_INSIDE = [
  // Mapped, translated and compatible.
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:10.0.0.1]', '[::ffff:a00:1]', '[::ffff:169.254.169.254]'],
  ...[
    '[::ffff:192.168.1.1]',
    '[::ffff:0:0]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:100.64.0.1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...['[::ffff:0:a00:1]', '[::127.0.0.1]', '[::7f00:1]', '[::10.0.0.1]', '[::169.254.169.254]', '[::8.8.8.8]'],
  // NAT64, of the well-known prefix and of the local one.
  ...[
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::c0a8:101]',
  ],
  ...['[64:ff9b:1::1]', '[64:ff9b:1::8.8.8.8]', '[64:ff9b:1:fffe::a00:1]', '[64:ff9b:0:0:0:1:808:808]'],
  // 6to4.
  ...[
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2002:c0a8:101::1]',
    '[2002:a9fe:a9fe::1]',
    '[2002:ac10:1::]',
    '[2002:6440:1::]',
  ],
  // Teredo: with the server, and with the client.
  ...[
    '[2001:0:7f00:1::]',
    '[2001:0:a00:1:0:0:f7f7:f7f7]',
    '[2001:0:808:808:0:0:80ff:fffe]',
    '[2001:0:808:808::f5ff:fffe]',
  ],
  ...['[2001:0:4136:e378:8000:63bf:5601:5601]', '[2001::a9fe:a9fe:0:0:f7f7:f7f7]'],
  // ISATAP.
  ...[
    '[2606:4700::5efe:10.0.0.1]',
    '[2606:4700::5efe:7f00:1]',
    '[2606:4700::200:5efe:192.168.1.1]',
    '[fe80::5efe:8.8.8.8]',
  ],
];
const NOT_GLOBAL = [
  ...[
    '[100::1]',
    '[100:0:0:1::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[2001:db8::1]',
    '[2001:db8:ffff::1]',
  ],
  ...[
    '[2001:1ff:ffff::1]',
    '[3fff::1]',
    '[3fff:fff:ffff::1]',
    '[4000::1]',
    '[5f00::1]',
    '[8000::1]',
    '[fec0::1]',
    '[1::1]',
  ],
  ...['[2620:4f:8000::1]', '[1fff:ffff::1]', '[e000::1]'],
];
const PUBLIC = [
  ...[
    'example.com',
    'hooks.example.com:8443',
    'xn--bcher-kva.example',
    'bücher.example',
    '8.8.8.8',
    '1.1.1.1',
    '134744072',
  ],
  ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255'],
  ...['169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
  ...[
    '198.20.0.0',
    '223.255.255.255',
    '[2606:4700:4700::1111]',
    '[2a00:1450:4001:80b::200e]',
    '[2001:4860:4860::8888]',
  ],
  ...[
    '[2002:808:808::1]',
    '[64:ff9b::8.8.8.8]',
    '[2001:0:808:808::f7f7:f7f7]',
    '[2606:4700::5efe:8.8.8.8]',
    '[2001:200::1]',
  ],
  ...['[::ffff:8.8.8.8]', '[2400::1]', '[3ffe::1]', 'notlocalhost', 'localhost.example.com'],
];

const REFUSED = {
  ...{ LOOPBACK, THIS_NETWORK, PRIVATE, LINK_LOCAL, SHARED, SPECIAL, MULTICAST, UNIQUE_LOCAL, IPV4_INSIDE, NOT_GLOBAL },
};

test('there are more than 200 cases, each once', () => {
  const all = [...Object.values(REFUSED).flat(), ...PUBLIC];
  expect(all.length).toBeGreaterThan(200);
  expect(new Set(all).size).toBe(all.length);
});

describe.each(Object.entries(REFUSED))('%s', (_, hosts) => {
  test.each(inUrls(hosts))('%s is refused', (url) => {
    expect(NO_NETWORKS.problemOf(url)).toMatch(/not public/);
  });
});

test.each(inUrls(PUBLIC))('%s is not refused', (url) => {
  expect(NO_NETWORKS.problemOf(url)).toBeUndefined();
});

describe('what WEBHOOK_ALLOWED_NETWORKS names', () => {
  const named = new Destinations(
    new AllowedNetworks(networksSetting.parse('10.1.0.0/16, 127.0.0.1,fd00:1::/32,::1')),
    'WEBHOOK_ALLOWED_NETWORKS',
  );
  test.each([
    'http://10.1.2.3/',
    'https://10.1.255.255/',
    'http://127.0.0.1:9000/',
    'http://[::ffff:10.1.2.3]/',
    'https://[64:ff9b::10.1.2.3]/',
    'http://[2002:a01:203::1]/',
    'http://[fd00:1::5]/',
    'http://localhost/',
    'http://167838211/',
    'http://service.internal/',
  ])('%s may be sent to', (url) => expect(named.problemOf(url)).toBeUndefined());
  test.each([
    'https://10.2.0.1/',
    'https://127.0.0.2/',
    'https://[fd00:2::1]/',
    'https://[::ffff:10.2.0.1]/',
    'https://169.254.169.254/',
    'https://[2001:0:a01:203::5601:5601]/',
  ])('%s may not', (url) => expect(named.problemOf(url)).toMatch(/not public/));
  test.each(['http://8.8.8.8/', 'http://[2606:4700:4700::1111]/', 'http://10.2.0.1/'])(
    '%s may not be sent to without TLS',
    (url) => expect(named.problemOf(url)).toMatch(/https/),
  );
});

test.each([
  ['http://example.com/', /https/],
  ['https://user@example.com/', /user or a password/],
  ['https://user:password@example.com/', /user or a password/],
  ['https://:password@example.com/', /user or a password/],
  ['https://example.com/#part', /fragment/],
  ['ftp://example.com/', /https/],
  ['file:///etc/passwd', /https/],
  ['gopher://example.com/', /https/],
  ['data:text/plain,a', /https/],
])('%s is refused', (url, why) => expect(NO_NETWORKS.problemOf(url)).toMatch(why));

test.each(['10.0.0.0/33', 'a', '10.0.0', 'fd00::/129', '10.0.0.0/8;11.0.0.0/8', '10.0.0.0/-1', '/8', '10.0.0.0/8/9'])(
  'a setting %s is refused',
  (setting) => expect(networksSetting.safeParse(setting).success).toBe(false),
);
