import 'reflect-metadata';
import { Controller, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';

const PATTERN = 'items.get';

const transport = (url) => ({
  transport: Transport.RMQ,
  options: {
    urls: [url],
    queue: 'bench.nest',
    queueOptions: { durable: false, autoDelete: true },
    noAck: true,
    persistent: false,
    socketOptions: { connectionOptions: { noDelay: true } },
  },
});

export async function serve({ url, respond }) {
  class ItemsController {
    get(input) {
      return respond(input);
    }
  }
  // Node strips types, not decorators: they are functions, and called as such.
  MessagePattern(PATTERN)(
    ItemsController.prototype,
    'get',
    Object.getOwnPropertyDescriptor(ItemsController.prototype, 'get'),
  );
  Controller()(ItemsController);
  class AppModule {}
  Module({ controllers: [ItemsController] })(AppModule);
  const app = await NestFactory.createMicroservice(AppModule, { ...transport(url), logger: false });
  await app.listen();
  return {};
}

export async function connectTo({ url }) {
  Logger.overrideLogger(false);
  const client = ClientProxyFactory.create(transport(url));
  await client.connect();
  return { call: (input) => firstValueFrom(client.send(PATTERN, input)) };
}
