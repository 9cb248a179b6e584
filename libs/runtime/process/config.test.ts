import { describe, expect, test } from 'vitest';
import { databaseSettings, parseConfig, processSettings, publicUrlSetting, rabbitmqSettings } from './config.ts';

describe('a wrong setting is named, with what it must be', () => {
  test.each([
    [{}, 'RABBITMQ_URL: is missing; set a URL such as amqp://127.0.0.1:5672'],
    [{ RABBITMQ_URL: '' }, 'RABBITMQ_URL: is missing; set a URL such as amqp://127.0.0.1:5672'],
    [
      { RABBITMQ_URL: 'localhost' },
      'RABBITMQ_URL: must be a URL such as amqp://127.0.0.1:5672; for a cluster, those of its nodes, separated by commas',
    ],
    [
      { RABBITMQ_URL: 'http://localhost' },
      'RABBITMQ_URL: must be a URL such as amqp://127.0.0.1:5672; for a cluster, those of its nodes, separated by commas',
    ],
  ])('%j', (environment, problem) => {
    expect(parseConfig(rabbitmqSettings, environment)).toEqual({ problems: [problem] });
  });

  test('a number', () => {
    expect(parseConfig(processSettings, { OPS_PORT: '9090/tcp' })).toEqual({
      problems: ['OPS_PORT: must be a number'],
    });
  });

  test('each of several', () => {
    const parsed = parseConfig(
      { ...processSettings, ...databaseSettings },
      { OPS_PORT: '99999', LOG_LEVEL: 'loud', MONGODB_URL: 'mongodb://127.0.0.1' },
    );
    expect('problems' in parsed && parsed.problems.map((problem) => problem.split(':', 1)[0])).toEqual([
      'LOG_LEVEL',
      'OPS_PORT',
    ]);
  });
});

test('settings have their defaults, and other programs’ variables are left alone', () => {
  expect(parseConfig(processSettings, { PATH: '/bin', OPS_PORT: '0' })).toEqual({
    settings: { LOG_LEVEL: 'info', OPS_PORT: 0, OPS_HOST: '127.0.0.1' },
  });
});

test.each([
  ['https://worktrack.example', 'https://worktrack.example'],
  ['https://worktrack.example/', 'https://worktrack.example'],
  ['https://example.com/worktrack//', 'https://example.com/worktrack'],
])('where clients reach the service is %s: a path can follow it', (PUBLIC_URL, read) => {
  expect(parseConfig({ PUBLIC_URL: publicUrlSetting }, { PUBLIC_URL })).toEqual({ settings: { PUBLIC_URL: read } });
});
