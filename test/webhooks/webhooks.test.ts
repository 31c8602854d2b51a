/** Webhooks over HTTP, with a deliverer and endpoints on loopback. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { nextTurn } from '../../src/async/delay.ts'
import type { WebhookId } from '../../src/domain/ids.ts'
import { type Client, type Service, startService } from '../http/service.ts'
import { isSignedBy, type Receiver, startReceiver } from './receiver.ts'

let service: Service
let client: Client
const receivers: Receiver[] = []
const receive: typeof startReceiver = (answer) => {
  const receiver = startReceiver(answer)
  receivers.push(receiver)
  return receiver
}

beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '0,0,0' } })
  client = await service.openAccount()
  service.startDeliverer()
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop()
  await service.close()
})

const call = async (method: string, path: string, body?: object, key = client.key) => {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const answer = await service.send(`/v1/webhooks${path}`, { method, key, ...init })
  return { status: answer.status, body: answer.status === 204 ? null : await answer.json() }
}
async function created(receiver: { url: string }, more: object = {}, key = client.key) {
  const { status, body } = await call('POST', '', { url: receiver.url, ...more }, key)
  expect({ status, body }).toMatchObject({ status: 201, body: { url: receiver.url, state: 'enabled' } })
  return body as { webhook_id: WebhookId; secret: string }
}
async function endedRun(key = client.key): Promise<string> {
  const answer = await service.post('/v1/sample/search', key, { query: 'otter' })
  const { run_id } = await answer.json()
  await service.finish(run_id)
  return run_id
}
/** Polls until the answer meets the condition. */
async function when<T>(ask: () => Promise<T>, condition: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (condition(answer)) return answer
    // The deliverer runs in this process and needs a turn.
    await nextTurn()
  }
}
// biome-ignore lint/suspicious/noExplicitAny: JSON, which the assertions check
type Json = any
const deliveriesWhen = (id: string, condition: (deliveries: Json[]) => boolean): Promise<Json[]> =>
  when(async () => (await call('GET', `/${id}/deliveries`)).body.deliveries, condition)
const stateWhen = (id: string, state: string) =>
  when(
    async () => (await call('GET', `/${id}`)).body,
    (body) => body.state === state,
  )
const remove = (id: string) => call('DELETE', `/${id}`)

describe('an endpoint', () => {
  test('gets the ends of runs as the feed shows them, signed with its secret', async () => {
    const receiver = receive()
    const { webhook_id, secret } = await created(receiver)
    const run = await endedRun()
    const [one] = await receiver.until((all) => all.length === 1)
    expect(one!.headers.get('content-type')).toBe('application/cloudevents+json')
    expect(isSignedBy(secret, one!)).toBe(true)
    const feed = await (await service.send('/v1/events?types=RunSucceeded', { key: client.key })).json()
    expect(one!.event as object).toEqual(feed.events.at(-1))
    expect(one!.event).toMatchObject({ type: 'gleaner.RunSucceeded', data: { run_id: run } })
    expect(one!.headers.get('webhook-id')).toBe(one!.event.id)
    const [delivery] = await deliveriesWhen(webhook_id, ([first]) => first?.state === 'delivered')
    expect(delivery).toMatchObject({
      event_id: one!.event.id,
      type: 'gleaner.RunSucceeded',
      subject: `run-${run}`,
      attempts: [{ status: 204, error: null, response: '' }],
      next_attempt_at: null,
    })
    expect((await call('GET', `/${webhook_id}`)).body).toMatchObject({
      failing_since: null,
      last_success_at: expect.any(String),
    })
    await remove(webhook_id)
  })

  test('gets only its chosen event types and no event of another account', async () => {
    const mine = receive()
    const { webhook_id } = await created(mine, { types: ['RunRequested'] })
    const other = await service.openAccount()
    await endedRun(other.key)
    const run = await endedRun()
    await mine.until((all) => all.length === 1)
    await call('PATCH', `/${webhook_id}`, { types: ['RunSucceeded'] })
    const second = await endedRun()
    await mine.until((all) => all.length === 2)
    expect(mine.received.map(({ event }) => [event.type, event.data.run_id])).toEqual([
      ['gleaner.RunRequested', run],
      ['gleaner.RunSucceeded', second],
    ])
    await remove(webhook_id)
  })

  test('that fails gets all attempts; then its delivery is shown as failed and can be replayed', async () => {
    let isUp = false
    const receiver = receive(() => (isUp ? 200 : new Response('down for now', { status: 500 })))
    const { webhook_id } = await created(receiver)
    await endedRun()
    const [delivery] = await deliveriesWhen(webhook_id, ([first]) => first?.state === 'failed')
    expect(delivery.attempts).toHaveLength(4)
    expect(delivery.attempts[3]).toMatchObject({
      status: 500,
      response: 'down for now',
      error: 'The endpoint responded with 500.',
    })
    expect((await call('GET', `/${webhook_id}`)).body.failing_since).toBe(delivery.attempts[0].at)
    isUp = true
    const replay = await call('POST', `/${webhook_id}/replay`, { event_id: delivery.event_id })
    expect(replay).toEqual({ status: 202, body: { deliveries: 1 } })
    const [again] = await deliveriesWhen(webhook_id, ([first]) => first?.state === 'delivered')
    expect(again.attempts).toHaveLength(5)
    expect((await call('GET', `/${webhook_id}`)).body.failing_since).toBeNull()
    await remove(webhook_id)
  })

  test('that answers 410 is disabled at once, and continues where it stopped when it is enabled again', async () => {
    let status = 410
    const receiver = receive(() => status)
    const { webhook_id } = await created(receiver)
    await endedRun()
    await deliveriesWhen(webhook_id, ([first]) => first?.state === 'failed')
    expect(await stateWhen(webhook_id, 'disabled')).toMatchObject({ disabled_reason: 'gone' })
    const missed = await endedRun()
    status = 200
    await call('PATCH', `/${webhook_id}`, { state: 'enabled' })
    await receiver.until((all) => all.length === 2)
    expect(receiver.received[1]!.event.data.run_id).toBe(missed)
    await remove(webhook_id)
  })

  test('is tested with a WebhookTest event, and a success enables it', async () => {
    let status = 503
    const receiver = receive(() => status)
    const { webhook_id, secret } = await created(receiver)
    await call('PATCH', `/${webhook_id}`, { state: 'disabled' })
    const failed = await call('POST', `/${webhook_id}/test`)
    expect(failed).toMatchObject({ status: 200, body: { delivered: false, status: 503, response: '' } })
    expect((await call('GET', `/${webhook_id}`)).body).toMatchObject({
      state: 'disabled',
      disabled_reason: 'requested',
    })
    status = 200
    expect((await call('POST', `/${webhook_id}/test`)).body).toMatchObject({
      delivered: true,
      status: 200,
      error: null,
    })
    expect((await call('GET', `/${webhook_id}`)).body.state).toBe('enabled')
    expect(receiver.received[1]!.event.type).toBe('gleaner.WebhookTest')
    expect(isSignedBy(secret, receiver.received[1]!)).toBe(true)
    await remove(webhook_id)
  })

  test('that answers 410 to a test is disabled', async () => {
    const { webhook_id } = await created(receive(() => 410))
    const tested = await call('POST', `/${webhook_id}/test`)
    expect(tested).toMatchObject({ status: 200, body: { delivered: false, status: 410 } })
    const after = await call('GET', `/${webhook_id}`)
    expect(after.body).toMatchObject({ state: 'disabled', disabled_reason: 'gone' })
    await remove(webhook_id)
  })

  test('that is replayed while it is disabled gets one attempt for each event', async () => {
    const receiver = receive(() => 500)
    const from = new Date().toISOString()
    const { webhook_id } = await created(receiver, { types: ['RunRequested', 'RunSucceeded'] })
    await call('PATCH', `/${webhook_id}`, { state: 'disabled' })
    const run = await endedRun()
    const { body } = await call('POST', `/${webhook_id}/replay`, { from })
    expect(body.deliveries).toBe(2)
    const deliveries = await deliveriesWhen(webhook_id, (all) => all.every(({ state }) => state === 'failed'))
    expect(deliveries).toHaveLength(body.deliveries)
    expect(deliveries.every(({ attempts }) => attempts.length === 1)).toBe(true)
    expect(receiver.received.map(({ event }) => event.data.run_id)).toContain(run)
    const only = await call('POST', `/${webhook_id}/replay`, { from, only_failed: true })
    expect(only.body).toEqual({ deliveries: body.deliveries })
    await remove(webhook_id)
  })

  test('has two signing secrets for a day after a rotation, and one afterwards', async () => {
    const receiver = receive()
    const { webhook_id, secret } = await created(receiver)
    const { body } = await call('POST', `/${webhook_id}/rotate-secret`)
    expect(body.secret).toMatch(/^whsec_/)
    expect(body.secret).not.toBe(secret)
    await endedRun()
    const [one] = await receiver.until((all) => all.length === 1)
    expect([isSignedBy(secret, one!), isSignedBy(body.secret, one!)]).toEqual([true, true])
    service.clock.offset += 24 * 3_600_000 + 1000
    try {
      const { attempt } = { attempt: (await call('POST', `/${webhook_id}/test`)).body }
      expect(attempt.delivered).toBe(true)
      const delivery = receiver.received.at(-1)!
      const time = Number(delivery.headers.get('webhook-timestamp')) * 1000
      expect(Math.abs(time - (Date.now() + service.clock.offset))).toBeLessThan(60_000)
      expect(delivery.headers.get('webhook-signature')!.split(' ')).toHaveLength(1)
    } finally {
      service.clock.offset -= 24 * 3_600_000 + 1000
    }
    await remove(webhook_id)
  })

  test('gets pending deliveries at its new URL after a change', async () => {
    const dead = receive(() => 500)
    const alive = receive()
    const slow = await startService({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '3600' } })
    try {
      const { key } = await slow.openAccount()
      const send = (method: string, path: string, body: object) =>
        slow.send(`/v1/webhooks${path}`, {
          method,
          key,
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        })
      const { webhook_id } = await (await send('POST', '', { url: dead.url })).json()
      slow.startDeliverer()
      const { run_id } = await (await slow.post('/v1/sample/search', key, { query: 'otter' })).json()
      await slow.finish(run_id)
      await dead.until((all) => all.length === 1)
      await send('PATCH', `/${webhook_id}`, { url: alive.url })
      slow.clock.offset += 2 * 3_600_000
      await alive.until((all) => all.length === 1)
      expect(alive.received[0]!.event.data.run_id).toBe(run_id)
    } finally {
      await slow.close()
    }
  })

  test('that fails for five days without a success is disabled; a success in between restarts the five days', async () => {
    let status = 500
    const receiver = receive(() => status)
    const { webhook_id } = await created(receiver)
    const day = 24 * 3_600_000
    const before = service.clock.offset
    try {
      await endedRun()
      await deliveriesWhen(webhook_id, ([first]) => first?.state === 'failed')
      service.clock.offset = before + 4 * day
      status = 200
      await endedRun()
      await deliveriesWhen(webhook_id, ([first]) => first?.state === 'delivered')
      status = 500
      await endedRun()
      await deliveriesWhen(webhook_id, ([first]) => first?.state === 'failed')
      service.clock.offset = before + 8 * day
      await endedRun()
      await deliveriesWhen(webhook_id, (all) => all.length === 4 && all[0]?.state === 'failed')
      expect((await call('GET', `/${webhook_id}`)).body.state).toBe('enabled')
      service.clock.offset = before + 9 * day + 60_000
      await endedRun()
      expect(await stateWhen(webhook_id, 'disabled')).toMatchObject({ disabled_reason: 'failing' })
    } finally {
      service.clock.offset = before
    }
    await remove(webhook_id)
  })

  test('that is enabled again after a long time gets only missed events of the last 30 days', async () => {
    const receiver = receive()
    const { webhook_id } = await created(receiver)
    const day = 24 * 3_600_000
    const before = service.clock.offset
    try {
      await call('PATCH', `/${webhook_id}`, { state: 'disabled' })
      await endedRun()
      service.clock.offset = before + 2 * day
      const missed = await endedRun()
      service.clock.offset = before + 31 * day
      await call('PATCH', `/${webhook_id}`, { state: 'enabled' })
      await receiver.until((all) => all.length === 1)
      const fresh = await endedRun()
      await receiver.until((all) => all.length === 2)
      expect(receiver.received.map(({ event }) => event.data.run_id)).toEqual([missed, fresh])
    } finally {
      service.clock.offset = before
    }
    await remove(webhook_id)
  })

  test('is deleted with its deliveries and its vault record', async () => {
    const receiver = receive()
    const { webhook_id } = await created(receiver)
    await endedRun()
    await deliveriesWhen(webhook_id, (all) => all.length === 1)
    expect(await remove(webhook_id)).toEqual({ status: 204, body: null })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
    ] as const)
      expect({ path, status: (await call(method, `/${webhook_id}${path}`)).status }).toEqual({
        path,
        status: 404,
      })
    expect(await service.stores.deliveries.list(webhook_id, { limit: 10 })).toEqual([])
    expect(
      (await service.stores.vault.records('acc_', Date.now() + 1000)).filter(
        ({ owner }) => owner === client.accountId,
      ),
    ).toEqual([])
  })
})

test('an endpoint whose URL the vault lost reports it, and works again with a new URL and secret', async () => {
  const receiver = receive()
  const { key, accountId } = await service.openAccount()
  const { webhook_id } = await created(receiver, {}, key)
  await service.stores.vault.forget(accountId)
  const host = new URL(receiver.url).host
  expect((await call('GET', '', undefined, key)).body.webhooks).toMatchObject([
    { webhook_id, url: `https://${host}/` },
  ])
  expect((await call('POST', `/${webhook_id}/test`, undefined, key)).body.error).toContain(
    'Set the URL again',
  )
  expect((await call('PATCH', `/${webhook_id}`, { url: receiver.url }, key)).body.url).toBe(receiver.url)
  const { secret } = (await call('POST', `/${webhook_id}/rotate-secret`, undefined, key)).body
  expect((await call('POST', `/${webhook_id}/test`, undefined, key)).body.delivered).toBe(true)
  expect(isSignedBy(secret, receiver.received.at(-1)!)).toBe(true)
  await call('DELETE', `/${webhook_id}`, undefined, key)
})

test('an endpoint that never answers delays no other endpoint, of its account or of another', async () => {
  const hanging = Promise.withResolvers<number>()
  const dead = receive(() => hanging.promise)
  const [alive, others] = [receive(), receive()]
  const other = await service.openAccount()
  const endpoints = [await created(dead), await created(alive)]
  const foreign = await created(others, {}, other.key)
  const runs: string[] = []
  for (let n = 0; n < 10; n++) runs.push(await endedRun())
  const theirs = await endedRun(other.key)
  await alive.until((all) => all.length === runs.length)
  await others.until((all) => all.length === 1)
  expect(new Set(alive.received.map(({ event }) => event.data.run_id))).toEqual(new Set(runs))
  expect(others.received[0]!.event.data.run_id).toBe(theirs)
  // Four at a time, not more.
  expect(dead.received.length).toBeLessThanOrEqual(4)
  hanging.resolve(204)
  for (const { webhook_id } of endpoints) await remove(webhook_id)
  await call('DELETE', `/${foreign.webhook_id}`, undefined, other.key)
})

test('the event log contains neither the URL nor the secret of a webhook', async () => {
  const receiver = receive()
  const { webhook_id, secret } = await created({ url: `${receiver.url}?token=very-secret` })
  await call('POST', `/${webhook_id}/rotate-secret`)
  const text = JSON.stringify(await service.events())
  expect(text).toContain(webhook_id)
  expect(text).not.toContain('very-secret')
  expect(text).not.toContain(secret)
  await remove(webhook_id)
})

test('an account sees no webhook of another account, and only keys with the scope admin see any', async () => {
  const receiver = receive()
  const { webhook_id } = await created(receiver)
  const other = await service.openAccount()
  expect((await call('GET', '', undefined, other.key)).body).toEqual({ webhooks: [] })
  const calls = [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['GET', '/deliveries'],
    ['POST', '/replay', { from: '2026-01-01T00:00:00Z' }],
  ] as const
  for (const [method, path, body] of calls)
    expect({ path, status: (await call(method, `/${webhook_id}${path}`, body, other.key)).status }).toEqual({
      path,
      status: 404,
    })
  const runs = await service.newKey(client.accountId, ['runs', 'events'])
  expect(await call('GET', '', undefined, runs)).toMatchObject({ status: 403, body: { code: 'key-scope' } })
  // An event of another account cannot be replayed.
  const run = await endedRun(other.key)
  const { events } = await (await service.send('/v1/events', { key: other.key })).json()
  const foreign = events.find((event: Json) => event.data.run_id === run).id
  expect((await call('POST', `/${webhook_id}/replay`, { event_id: foreign })).status).toBe(404)
  await remove(webhook_id)
})

test('the 21st endpoint of an account is refused, also among concurrent requests', async () => {
  const receiver = receive()
  const { key } = await service.openAccount()
  const answers = await Promise.all(
    Array.from({ length: 23 }, () => call('POST', '', { url: receiver.url }, key)),
  )
  const statuses = answers.map(({ status }) => status)
  expect([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 409).length]).toEqual([
    20, 3,
  ])
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('too-many-webhooks')
  const { webhooks } = (await call('GET', '', undefined, key)).body
  expect(webhooks).toHaveLength(20)
  for (const { webhook_id } of webhooks) await call('DELETE', `/${webhook_id}`, undefined, key)
})

test('a sweep removes the vault records that no endpoint refers to, and no others', async () => {
  const receiver = receive()
  const { webhook_id } = await created(receiver)
  const lost = await service.stores.vault
  await lost.saveRecord(client.accountId, 'webhook_lost', '{}')
  const here = (await lost.records('acc_', Date.now() + 1000)).filter(
    ({ owner }) => owner === client.accountId,
  )
  expect(here).toHaveLength(2)
  service.clock.offset += 7_200_000
  expect(await service.deps.webhooks.sweep()).toBe(1)
  service.clock.offset -= 7_200_000
  expect((await call('GET', `/${webhook_id}`)).status).toBe(200)
  await remove(webhook_id)
})

describe('invalid input is refused with a pointer to the field', () => {
  const cases: [what: string, body: object, pointer: string][] = [
    ['no url', {}, '/url'],
    ['a url of another scheme', { url: 'ftp://example.org' }, '/url'],
    ['a url with a line break', { url: 'https://127.0.0.1/\nhook' }, '/url'],
    ['a url without slashes', { url: 'https:127.0.0.1' }, '/url'],
    ['a url without encryption', { url: 'http://192.0.2.1/' }, '/url'],
    ['a url with a password', { url: 'https://a:b@127.0.0.1/' }, '/url'],
    ['an address that is not public', { url: 'https://10.0.0.1/' }, '/url'],
    ['a host that does not resolve', { url: 'https://nobody.invalid/' }, '/url'],
    ['an unknown type', { url: 'https://127.0.0.1/', types: ['RunExploded'] }, '/types/0'],
    [
      'a type visible only to the operator',
      { url: 'https://127.0.0.1/', types: ['PersonErased'] },
      '/types/0',
    ],
    ['no types', { url: 'https://127.0.0.1/', types: [] }, '/types'],
    ['an unknown field', { url: 'https://127.0.0.1/', secret: 'x' }, '/secret'],
  ]
  test.each(cases)('%s', async (_what, body, pointer) => {
    const { status, body: problem } = await call('POST', '', body)
    expect({ status, pointer: problem.errors?.[0]?.pointer }).toEqual({ status: 422, pointer })
  })

  const replays: [what: string, body: object, pointer: string][] = [
    ['neither event nor time', {}, '/from'],
    ['event and time', { event_id: 'e', from: '2026-01-01T00:00:00Z' }, '/from'],
    ['an invalid time', { from: '2026-13-45T00:00:00Z' }, '/from'],
    ['a day missing in the calendar', { from: '2026-02-30T00:00:00Z' }, '/from'],
    [
      'an end before the beginning',
      { from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      '/until',
    ],
  ]
  test.each(replays)('a replay of %s', async (_what, body, pointer) => {
    const receiver = receive()
    const { webhook_id } = await created(receiver)
    const { status, body: problem } = await call('POST', `/${webhook_id}/replay`, body)
    expect({ status, pointer: problem.errors?.[0]?.pointer }).toEqual({ status: 422, pointer })
    await remove(webhook_id)
  })

  test('a replay from an hour that does not exist', async () => {
    const { webhook_id } = await created(receive())
    const { body } = await call('POST', `/${webhook_id}/replay`, { from: '2026-01-01T25:00:00Z' })
    expect(body.errors?.[0]?.detail).toBe('must be a time like 2026-01-31T00:00:00Z')
    await remove(webhook_id)
  })
})
