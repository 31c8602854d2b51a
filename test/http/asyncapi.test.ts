/** The AsyncAPI document: valid, complete, and consistent with the events that are sent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import specs from '@asyncapi/specs'
import Ajv, { type AnySchemaObject } from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { EVENT_NAMES, EVENT_TYPES, streamOf } from '../../src/domain/events.ts'
import type { CloudEvent } from '../../src/feed/cloud-events.ts'
import { endpointsOf } from '../../src/http/api.ts'
import { OPERATOR_KEY, type Service, startService } from './service.ts'

type AsyncApi = {
  servers: { api: { host: string; protocol: string; pathname?: string } }
  channels: Record<string, { address: string; messages: Record<string, { $ref: string }> }>
  components: { messages: Record<string, object>; schemas: Record<string, object> }
}

let service: Service
let document: AsyncApi
beforeAll(async () => {
  service = await startService({
    env: { PUBLIC_URL: 'https://gleaner.example/base' },
    endpoints: endpointsOf,
  })
  document = (await (await service.send('/asyncapi.json')).json()) as AsyncApi
})
afterAll(() => service.close())

test('the AsyncAPI document is valid AsyncAPI 3.0', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  const check = ajv.compile(specs.schemasWithoutId['3.0.0'] as AnySchemaObject)
  check(document)
  expect(check.errors ?? []).toEqual([])
})

test('the AsyncAPI document names the public address of the service', () => {
  expect(document.servers.api).toMatchObject({
    host: 'gleaner.example',
    protocol: 'https',
    pathname: '/base',
  })
})

test('the AsyncAPI document lists every event type, and each channel the types that it sends', () => {
  expect(Object.keys(document.components.messages)).toEqual([...EVENT_NAMES])
  const { events, runEvents } = document.channels
  expect(events!.address).toBe('/v1/events/stream')
  expect(Object.keys(events!.messages)).toEqual([...EVENT_NAMES])
  expect(runEvents!.address).toBe('/v1/runs/{run_id}/events')
  expect(Object.keys(runEvents!.messages)).toEqual(EVENT_NAMES.filter((name) => streamOf(name) === 'run'))
})

test('streamOf names the kind of stream that each event type is written to', () => {
  const of = Map.groupBy(EVENT_NAMES, streamOf)
  expect([...of.keys()].sort()).toEqual([
    'account',
    'address',
    'key',
    'login',
    'person',
    'run',
    'source',
    'webhook',
  ])
  expect(of.get('run')!.every((name) => 'run_id' in EVENT_TYPES[name].schema.properties)).toBe(true)
  expect(of.get('webhook')!.every((name) => name.startsWith('Webhook'))).toBe(true)
  for (const name of ['MemberInvited', 'InvitationWithdrawn', 'MemberRemoved', 'AccountRenamed'] as const)
    expect(of.get('account')).toContain(name)
  for (const name of ['PersonJoined', 'PasswordChanged', 'IdentityLinked', 'SessionsRevoked'] as const)
    expect(of.get('person')).toContain(name)
  expect(of.get('person')).toContain('IdentityUnlinked')
})

test('every schema of an object has a name, by which generators call its type', () => {
  const unnamed: string[] = []
  const titles = new Set<string>()
  const look = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties, title } = schema as { properties?: object; title?: string }
    if (properties && title === undefined && !at.includes('/allOf/')) unnamed.push(at)
    if (title !== undefined) {
      expect(titles.has(title)).toBe(false)
      titles.add(title)
    }
    for (const [key, part] of Object.entries(schema)) look(part, `${at}/${key}`)
  }
  const { schemas, messages } = document.components
  for (const [name, schema] of Object.entries(schemas)) look(schema, name)
  expect(unnamed).toEqual([])
  for (const name of EVENT_NAMES)
    expect(messages[name]).toMatchObject({ payload: { $ref: `#/components/schemas/${name}Event` } })
})

test('real events match the schema of their type', async () => {
  const { key } = await service.openAccount(10)
  const run = async () =>
    (await service.post('/v1/sample/search', key, { query: 'x' })).headers.get('run-id')!
  await service.finish(await run(), { items: [{ id: '1' }] })
  await service.finish(await run(), { status: 'failed', code: 'not-found' })
  await service.post(`/v1/runs/${await run()}/cancel`, key, {})
  const opened = await service.post(
    '/admin/accounts',
    OPERATOR_KEY,
    { name: 'a', credits: 5 },
    { 'idempotency-key': 'k' },
  )
  const { account_id } = (await opened.json()) as { account_id: string }
  await service.post('/admin/set-entitlements', OPERATOR_KEY, { account_id, limits: { concurrent_runs: 1 } })
  const creation = await service.post('/admin/create-key', OPERATOR_KEY, { account_id, name: 'x' })
  const { key_id } = (await creation.json()) as { key_id: string }
  await service.post('/admin/revoke-key', OPERATOR_KEY, { key_id })

  const page = await service.send('/v1/events?limit=500', { key: OPERATOR_KEY })
  const { events } = (await page.json()) as { events: CloudEvent[] }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(document, 'events')
  const types = new Set<string>()
  for (const event of events) {
    const name = event.type.slice('gleaner.'.length)
    types.add(name)
    const check = ajv.getSchema(`events#/components/messages/${name}/payload`)!
    check(event)
    expect({ event, errors: check.errors ?? [] }).toEqual({ event, errors: [] })
    expect(event.subject).toStartWith(`${streamOf(name as (typeof EVENT_NAMES)[number])}-`)
  }
  expect(types.size).toBeGreaterThan(12)
})

test('an event names its actor: the key of a call, the operator, or the service', async () => {
  const { key, accountId } = await service.openAccount(10)
  const answer = await service.post('/v1/sample/search', key, { query: 'x' })
  await service.post(`/v1/runs/${answer.headers.get('run-id')}/cancel`, key, {})
  await service.post('/admin/grant-credits', OPERATOR_KEY, { account_id: accountId, amount: 5 })
  const written = (await service.events()).filter(({ meta }) => meta.account_id === accountId)
  const actorsOf = (...types: string[]) =>
    new Set(written.flatMap(({ type, meta }) => (types.includes(type) ? [meta.actor] : [])))
  const [byKey] = actorsOf('RunRequested')
  expect(byKey).toMatch(/^key:key_[0-9a-z]{26}$/)
  expect(actorsOf('RunRequested', 'CreditsCharged', 'RunCancelled')).toEqual(new Set([byKey!]))
  expect(actorsOf('AccountOpened')).toEqual(new Set(['service']))
  expect([...actorsOf('CreditsGranted')].at(-1)).toBe('operator')
})
