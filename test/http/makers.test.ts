/** Keys that a person created, directly or with other keys: they can do no more than that person. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { altered } from '../../rigs/support/altered.ts'
import type { Role } from '../../src/domain/roles.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { joins } from './people.ts'
import { problemOf } from './problem-of.ts'
import { type Client, type Service, startService } from './service.ts'
import { messagesOf } from './sse-reader.ts'

const reads: string[] = []
const watched = (log: EventLog): EventLog =>
  altered(log, {
    readStream: (...args) => {
      reads.push(args[0])
      return log.readStream(...args)
    },
  })

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({ stores: ({ log }) => ({ log: watched(log) }) })
})
afterAll(() => service.close())

const opens = async (role: Role) => {
  client = await service.openAccount()
  return joins(service, client.accountId, role)
}
const createKey = (key: string, scopes = ['runs', 'admin', 'events']) =>
  service.post('/admin/create-key', key, { scopes })
const keyOf = async (answer: Response) => ((await answer.json()) as { api_key: string }).api_key
const search = (key: string) => service.post('/v1/sample/search', key, { query: 'x' })
const get = (path: string) => (key: string) => service.send(path, { key })

describe('a key that a key created', () => {
  test('is refused when the person behind the first key left, however many keys are in between', async () => {
    const person = await opens('owner')
    const keys = [await person.newKey()]
    for (let i = 0; i < 3; i++) keys.push(await keyOf(await createKey(keys.at(-1)!)))
    await person.leaves()
    for (const key of keys) {
      expect(await problemOf(get('/v1/account')(key))).toBe('401 revoked-key')
      expect(await problemOf(createKey(key))).toBe('401 revoked-key')
    }
  })

  test('names the person in its event, and a key without a person behind it does not', async () => {
    const person = await opens('owner')
    await createKey(await person.newKey())
    await createKey(client.key)
    const created = (await service.events()).flatMap(({ event, meta }) =>
      event?.type === 'KeyCreated' && meta.account_id === client.accountId ? [event.data.made_by] : [],
    )
    expect(created).toEqual([undefined, undefined, person.personId, undefined])
  })

  test('works on after members come and go, if no person is behind it', async () => {
    const person = await opens('owner')
    const key = await keyOf(await createKey(client.key))
    await person.becomes('viewer')
    await person.leaves()
    expect((await createKey(key)).status).toBe(201)
    expect((await search(key)).status).toBe(202)
  })
})

describe('the role of the person who created a key', () => {
  const calls: readonly [string, (key: string, run: string) => Response | Promise<Response>, Role][] = [
    ['create-key', (key) => createKey(key), 'owner'],
    ['list-keys', get('/admin/list-keys'), 'owner'],
    [
      'creating a webhook',
      (key) => service.post('/v1/webhooks', key, { url: 'https://example.org' }),
      'owner',
    ],
    ['starting a run', search, 'member'],
    [
      'cancelling a run',
      (key, run) => service.send(`/v1/runs/${run}/cancel`, { method: 'POST', key }),
      'member',
    ],
    ['asking for a sign-in', (key) => service.send('/v1/logins/x', { method: 'POST', key }), 'member'],
    ['deleting a login', (key) => service.send('/v1/logins/x', { method: 'DELETE', key }), 'member'],
    ['reading a run', (key, run) => service.send(`/v1/runs/${run}`, { key }), 'viewer'],
    ['listing runs', get('/v1/runs'), 'viewer'],
    ['reading the account', get('/v1/account'), 'viewer'],
    ['listing logins', get('/v1/logins'), 'viewer'],
    ['reading the feed', get('/v1/events'), 'viewer'],
    ['reading the tasks', get('/v1/tasks'), 'viewer'],
  ]
  const ROLES: readonly Role[] = ['owner', 'member', 'viewer']

  test.each(calls)('%s', async (_, call, least) => {
    const person = await opens('owner')
    const direct = await person.newKey()
    const keys = [direct, await keyOf(await createKey(direct))]
    // A promotion gives the access back.
    for (const role of [...ROLES, ...ROLES.toReversed()]) {
      await person.becomes(role)
      const isAllowed = ROLES.indexOf(role) <= ROLES.indexOf(least)
      for (const key of keys) {
        const run = (await search(client.key)).headers.get('run-id')!
        const answer = await call(key, run)
        expect({ role, isRefused: answer.status === 403 }).toEqual({ role, isRefused: !isAllowed })
        if (!isAllowed) expect(await problemOf(answer)).toBe('403 key-scope')
      }
    }
  })

  test('is named in the refusal, with what to do', async () => {
    const person = await opens('owner')
    const key = await person.newKey()
    const detailOf = async (answer: Response) => ((await answer.json()) as { detail: string }).detail
    await person.becomes('member')
    expect(await detailOf(await createKey(key))).toBe(
      'Only an owner of this account can do this, and the person who created this key is a member. ' +
        'Use another key, or ask an owner to change their role.',
    )
    await person.becomes('viewer')
    expect(await detailOf(await search(key))).toBe(
      'Only an owner or a member of this account can do this, and the person who created this key is a viewer. ' +
        'Use another key, or ask an owner to change their role.',
    )
  })

  test('refuses a call without a charge and without an event', async () => {
    const person = await opens('member')
    const key = await person.newKey()
    await person.becomes('viewer')
    const before = (await service.events()).length
    expect(await problemOf(search(key))).toBe('403 key-scope')
    expect((await service.events()).length).toBe(before)
  })

  test('costs no read of the log: each request reads the stream of its key and nothing else', async () => {
    const person = await opens('viewer')
    const streams = async (key: string) => {
      await get('/v1/tasks')(key)
      reads.length = 0
      await get('/v1/tasks')(key)
      return reads.length
    }
    expect(await streams(client.key)).toBe(1)
    expect(await streams(await person.newKey())).toBe(1)
  })
})

describe('a stream', () => {
  test('ends when the person behind its key leaves, even if the key is not revoked', async () => {
    const person = await opens('owner')
    const key = await keyOf(await createKey(await person.newKey()))
    const begun = Promise.withResolvers<void>()
    const ended = (async () => {
      for await (const _ of messagesOf(await service.send('/v1/events/stream', { key }))) begun.resolve()
    })()
    await begun.promise
    await person.leaves()
    await ended
  })

  test('does not end when somebody else leaves, or when the person becomes a viewer', async () => {
    const person = await opens('owner')
    const other = await joins(service, client.accountId, 'member')
    const key = await person.newKey()
    const types: string[] = []
    for await (const { event } of messagesOf(await service.send('/v1/events/stream', { key }))) {
      types.push(event)
      if (event === 'KeyCreated' && types.filter((type) => type === event).length === 2) {
        await other.leaves()
        await person.becomes('viewer')
        await search(client.key)
      }
      if (event === 'RunRequested') break
    }
    expect(types).toContain('MemberRemoved')
    expect(types).toContain('MemberRoleChanged')
  })
})
