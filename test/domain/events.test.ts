import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FormatRegistry, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  EVENT_NAMES,
  EVENT_TYPES,
  isEventType,
  isTerminalEvent,
  TERMINAL_EVENTS,
} from '../../src/domain/events.ts'
import { knownEvent } from '../../src/domain/known-event.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
FormatRegistry.Set('date-time', (text) => TIME.test(text) && !Number.isNaN(Date.parse(text)))

/** A stored event as a log of its time holds it. Examples are never changed, because logs are not. */
type Example = { type: string; data: Record<string, unknown>; meta: Record<string, unknown> }

const folder = join(import.meta.dirname, 'events')
const examples = readdirSync(folder).map((file) => {
  const [type, version] = file.split('.')
  const example = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example
  return { file, type: type!, version: Number(version), example }
})
/** A strict version of a schema: examples must not have undeclared fields. */
const strict = (schema: TSchema) => ({ ...schema, additionalProperties: false })
const META = Type.Object(
  {
    ...Object.fromEntries(
      ['$correlationId', '$causationId', 'account_id', 'actor', 'at', 'v'].map((name) => [
        name,
        Type.String(),
      ]),
    ),
  },
  { additionalProperties: false },
)

describe('stored events of every version', () => {
  test.each(EVENT_NAMES)('%s has an example of each version', (type) => {
    const versions = examples.filter((e) => e.type === type).map((e) => e.version)
    const expected = Array.from({ length: EVENT_TYPES[type].v }, (_, i) => i + 1)
    expect(versions.sort((a, b) => a - b)).toEqual(expected)
  })

  test.each(examples)('$file can be read', ({ type, version, example }) => {
    expect(example.type).toBe(type)
    expect(example.meta.v).toBe(`${version}`)
    expect(Value.Check(META, example.meta)).toBe(true)
    const event = knownEvent(type, version, example.data)
    if (!event) throw new Error(`${type} is no event type any more`)
    expect(event.type).toBe(type as never)
    expect([...Value.Errors(strict(EVENT_TYPES[event.type].schema), event.data)]).toEqual([])
  })

  test.each(EVENT_NAMES)('the newest example of %s has every field, including optional ones', (type) => {
    const { v, schema } = EVENT_TYPES[type]
    const example = examples.find((e) => e.type === type && e.version === v)
    const missing = Object.keys(schema.properties).filter((name) => !(name in (example?.example.data ?? {})))
    expect(missing).toEqual([])
  })
})

describe('knownEvent', () => {
  const { data } = examples.find((e) => e.type === 'KeyRevoked')!.example
  test('leaves events of the current version as they are', () => {
    expect(knownEvent('KeyRevoked', 1, data)?.data).toBe(data as never)
  })
  test('returns undefined for unknown types and future versions', () => {
    expect(knownEvent('SomethingNew', 1, data)).toBeUndefined()
    for (const name of ['constructor', '__proto__', 'toString', ''])
      expect(knownEvent(name, 1, {})).toBeUndefined()
    expect(knownEvent('KeyRevoked', EVENT_TYPES.KeyRevoked.v + 1, data)).toBeUndefined()
  })
  test('refuses an event of a version that is not read any more', () => {
    expect(() => knownEvent('KeyRevoked', 0, data)).toThrow('KeyRevoked in version 0')
    expect(() => knownEvent('KeyRevoked', Number.NaN, data)).toThrow('start with an empty one')
  })
})

test('five of the event types are terminal', () => {
  expect(TERMINAL_EVENTS).toHaveLength(5)
  for (const name of EVENT_NAMES) {
    expect(isEventType(name)).toBe(true)
    expect(isTerminalEvent(name)).toBe((TERMINAL_EVENTS as readonly string[]).includes(name))
  }
})

test('each event names its run, account, person or task and is documented', () => {
  for (const name of EVENT_NAMES) {
    const { about, schema, v } = EVENT_TYPES[name]
    expect(about).toMatch(/^[A-Z].*\.$/)
    expect(v).toBeGreaterThanOrEqual(1)
    const fields = Object.keys(schema.properties)
    expect(fields.some((field) => ['run_id', 'account_id', 'person_id', 'task_key'].includes(field))).toBe(
      true,
    )
  }
})
