import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkCommand, parseStart, parseStop, stopCommand } from './options.ts';

const defaults = { port: undefined, dataDir: '.worktrack', replicas: {}, detach: false, monitoring: false };

describe('the options of npm start', () => {
  it.each([
    { args: [], options: defaults },
    { args: ['--port', '0'], options: { ...defaults, port: 0 } },
    { args: ['--port=9000', '--detach'], options: { ...defaults, port: 9000, detach: true } },
    { args: ['--monitoring'], options: { ...defaults, monitoring: true } },
    { args: ['--data-dir', '/var/lib/worktrack'], options: { ...defaults, dataDir: '/var/lib/worktrack' } },
    { args: ['--replicas', 'feedback=3'], options: { ...defaults, replicas: { feedback: 3 } } },
    { args: ['--replicas', 'feedback=3, keys=2'], options: { ...defaults, replicas: { feedback: 3, keys: 2 } } },
    {
      args: ['--replicas', 'feedback=3', '--replicas', 'gateway=2'],
      options: { ...defaults, replicas: { feedback: 3, gateway: 2 } },
    },
  ])('understand $args', ({ args, options }) => {
    expect(parseStart(args)).toEqual(options);
  });

  it.each([
    { args: ['--prot', '80'], line: /--prot/ },
    { args: ['start'], line: /start/ },
    { args: ['--port'], line: /--port/ },
    { args: ['--port', '65536'], line: /--port must be a number from 0 to 65535, not "65536"/ },
    { args: ['--port', '80a'], line: /not "80a"/ },
    { args: ['--port', ''], line: /not ""/ },
    { args: ['--replicas', 'feedback'], line: /--replicas must have the form feedback=3/ },
    { args: ['--replicas', 'feedback=0'], line: /from 1 to 32/ },
    { args: ['--replicas', 'feedback=33'], line: /from 1 to 32/ },
    { args: ['--replicas', 'inbox=2'], line: /one of keys, workitems, feedback, events, gateway/ },
  ])('reject $args in one line that says what is right', ({ args, line }) => {
    const parse = () => parseStart(args);
    expect(parse).toThrow(line);
    expect(parse).toThrow(expect.objectContaining({ name: 'StartError', message: expect.not.stringContaining('\n') }));
  });

  it('ask for help', () => {
    expect(parseStart(['--help', '--port', 'x'])).toBe('help');
    expect(parseStop(['--help'])).toBe('help');
  });
});

describe('the command that stops a stack', () => {
  it.each([
    { dataDir: '.worktrack', command: '`npm run stop`' },
    { dataDir: resolve('.worktrack'), command: '`npm run stop`' },
    { dataDir: '/var/lib/worktrack', command: '`npm run stop -- --data-dir /var/lib/worktrack`' },
    { dataDir: "Ada's data", command: "`npm run stop -- --data-dir 'Ada'\\''s data'`" },
  ])('with $dataDir', ({ dataDir, command }) => {
    expect(stopCommand(dataDir)).toBe(command);
  });
});

describe('the command that makes another link finds the same stack', () => {
  it.each([
    { dataDir: resolve('.worktrack'), command: '`npx worktrack login-link`' },
    { dataDir: '/srv/data', command: '`WORKTRACK_DATA_DIR=/srv/data npx worktrack login-link`' },
    { dataDir: '/srv/my data', command: "`WORKTRACK_DATA_DIR='/srv/my data' npx worktrack login-link`" },
  ])('with $dataDir', ({ dataDir, command }) => {
    expect(linkCommand(dataDir)).toBe(command);
  });
});
