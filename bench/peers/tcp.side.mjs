import { connect, createServer } from 'node:net';

/** The floor: JSON in length-prefixed frames on one socket, and nothing between the two processes. */
export async function serve({ respond }) {
  const server = createServer({ noDelay: true }, (socket) => {
    onFrames(socket, (id, value) => write(socket, id, respond(value)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: server.address().port };
}

export async function connectTo({ address }) {
  const socket = connect({ port: address, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  const pending = new Map();
  let lastId = 0;
  onFrames(socket, (id, value) => {
    pending.get(id)(value);
    pending.delete(id);
  });
  return {
    call: (input) =>
      new Promise((resolve) => {
        const id = ++lastId;
        pending.set(id, resolve);
        write(socket, id, input);
      }),
  };
}

function write(socket, id, value) {
  const json = JSON.stringify(value);
  const length = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(8 + length);
  frame.writeUInt32BE(length, 0);
  frame.writeUInt32BE(id, 4);
  frame.write(json, 8);
  socket.write(frame);
}

function onFrames(socket, take) {
  let rest = Buffer.alloc(0);
  socket.on('data', (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    let offset = 0;
    while (rest.length - offset >= 8) {
      const end = offset + 8 + rest.readUInt32BE(offset);
      if (end > rest.length) break;
      take(rest.readUInt32BE(offset + 4), JSON.parse(rest.toString('utf8', offset + 8, end)));
      offset = end;
    }
    rest = rest.subarray(offset);
  });
}
