/**
 * The AsyncAPI document of the event streams, generated from the event types.
 *
 * @module
 */
import { EVENT_NAMES, EVENT_TYPES, type EventType, streamOf } from '../../domain/events.ts'
import { dataSchema } from '../../feed/cloud-events.ts'
import { Components, pascal, type Schema } from './components.ts'
import type { DocumentOptions } from './document.ts'
import { EventSchema } from './schemas.ts'

/** An AsyncAPI 3.0 document. */
export function asyncApi({ version, publicUrl }: DocumentOptions): object {
  const components = new Components()
  const { protocol, host, pathname } = new URL(publicUrl)
  const messages = Object.fromEntries(EVENT_NAMES.map((name) => [name, message(name, components)]))
  const ofRun = EVENT_NAMES.filter((name) => streamOf(name) === 'run')
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Gleaner events',
      version,
      description:
        'Everything that happens is an event. Streams send past events first, then new ones. The events of a subject ' +
        'are in order; nothing is lost and nothing is sent twice. Resume with `Last-Event-ID`.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      api: {
        host,
        protocol: protocol.slice(0, -1),
        ...(pathname === '/' ? {} : { pathname }),
        security: [{ $ref: '#/components/securitySchemes/apiKey' }],
      },
    },
    channels: {
      events: channel('/v1/events/stream', EVENT_NAMES, {
        summary: "All events of the key's account, or of all accounts for the operator; scope `events`.",
      }),
      runEvents: channel('/v1/runs/{run_id}/events', ofRun, {
        summary: 'The events of one run, up to its last event; scope `runs`.',
        parameters: { run_id: { description: 'Id of the run' } },
      }),
    },
    operations: {
      sendEvents: operation('events'),
      sendRunEvents: operation('runEvents'),
    },
    components: {
      messages,
      schemas: Object.fromEntries(
        Object.entries(components.schemas).map(([name, schema]) => [name, titled(schema, name)]),
      ),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `gln_…`' } },
    },
  }
}

function channel(address: string, names: readonly EventType[], rest: object): object {
  const messages = names.map((name) => [name, { $ref: `#/components/messages/${name}` }])
  return { address, ...rest, messages: Object.fromEntries(messages) }
}

const operation = (channel: string): object => ({
  action: 'send',
  channel: { $ref: `#/channels/${channel}` },
  description: 'Server-Sent Events: `id` is the `sequence`, `event` the name of the type, `data` the event.',
})

function message(name: EventType, components: Components): object {
  const { v, about, schema } = EVENT_TYPES[name]
  const fields: Schema = {
    type: 'object',
    properties: {
      type: { const: `gleaner.${name}` },
      dataschema: { const: dataSchema(name, String(v)) },
      // As a separate component.
      data: components.schema({ ...schema, $id: `${name}Data` }),
    },
  }
  return {
    name,
    title: name,
    summary: about,
    description: `Streams: \`${streamOf(name)}-…\`. Version ${v}.`,
    contentType: 'application/json',
    payload: components.schema({ $id: `${name}Event`, allOf: [EventSchema, fields] }),
  }
}

/** Adds a title to each object within a schema: generators name their types after it. */
function titled(schema: Schema, name: string): Schema {
  const named = (part: unknown, suffix = ''): unknown =>
    typeof part === 'object' && part !== null ? titled(part as Schema, name + suffix) : part
  const { properties, items, anyOf } = schema as Record<string, object | undefined>
  return {
    ...(properties && { title: name }),
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [key, named(part, pascal(key))]),
      ),
    }),
    ...(items && { items: named(items, 'Item') }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((part) => named(part)) }),
  }
}
