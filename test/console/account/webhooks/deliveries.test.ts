/** The list of a webhook's deliveries and the page of one, in a browser without scripts. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { nextTurn } from '../../../../src/async/delay.ts'
import type { WebhookId } from '../../../../src/domain/ids.ts'
import { accountStream } from '../../../../src/domain/ids.ts'
import type { Position } from '../../../../src/log/event-log.ts'
import type { WebhookDelivery } from '../../../../src/webhooks/deliveries/delivery-store.ts'
import { type Receiver, startReceiver } from '../../../webhooks/receiver.ts'
import { type House, idIn, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
let receiver: Receiver
let answer: () => Response | number = () => 204
beforeAll(async () => {
  house = await startHouse({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '0' } })
  ann = await house.setUp()
  house.service.startDeliverer()
  receiver = startReceiver(() => answer())
})
afterAll(async () => {
  await receiver.stop()
  await house.close()
})
afterEach(async () => {
  answer = () => 204
  for (const { webhook_id } of await house.service.deps.webhooks.list(house.accountId))
    await ann.post(`${house.own}/webhooks/${webhook_id}/delete`)
})

const create = async (types: readonly string[], description = 'Warehouse'): Promise<string> =>
  to(await ann.post(`${house.own}/webhooks`, { url: receiver.url, description, types }))
const grant = (amount: number) =>
  house.service.deps.accounts.handle(
    { type: 'grant', accountId: house.accountId, amount },
    { accountId: house.accountId, correlationId: 'test', causationId: 'test' },
  )
async function pageWhen(path: string, condition: (text: string) => boolean, who = ann): Promise<string> {
  for (;;) {
    const text = await who.get(path)
    if (condition(text)) return text
    await nextTurn()
  }
}
const plain = (text: string) =>
  text
    .slice(text.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#34;', '"')
    .replaceAll(/\s+/g, ' ')
const deliveryIn = (text: string) => /href="([^"]+\/deliveries\/[^"]+)"/.exec(text)![1]!

test('a delivery has a page with the body and the headers that were sent, and every attempt', async () => {
  const path = await create(['CreditsGranted'])
  answer = () => new Response('The warehouse is closed.', { status: 503 })
  await grant(1)
  const list = await pageWhen(path, (text) => text.includes('badge bad'))
  expect(plain(list)).toContain('CreditsGranted this account')
  const text = await ann.get(deliveryIn(list))
  const { body, headers } = receiver.received.at(-1)!
  expect(plain(text)).toContain(body)
  expect(plain(text)).toContain(`webhook-id: ${headers.get('webhook-id')}`)
  expect(plain(text)).toContain(`webhook-timestamp: ${headers.get('webhook-timestamp')}`)
  expect(plain(text)).toContain(`user-agent: ${headers.get('user-agent')}`)
  expect(plain(text)).toContain('is not stored')
  expect(text.match(/The warehouse is closed\./g)).toHaveLength(2)
  expect(plain(text)).toContain('Credits were added.')
  answer = () => 204
  const again = to(await ann.post(`${path}/replay`, { event_id: idIn(deliveryIn(list)), back: 'delivery' }))
  expect(again).toBe(deliveryIn(list))
  await pageWhen(again, (page) => page.includes('badge good'))
})

test('a delivery of a run names its task and its title', async () => {
  const path = await create(['RunRequested'])
  await startRun(ann, house, 'copper lamp')
  const list = await pageWhen(path, (text) => text.includes('204 in '))
  expect(plain(list)).toMatch(/RunRequested [^<]* · copper lamp/)
})

test('a test stands among the deliveries, with a page of its own, and in the filter of its state', async () => {
  const path = await create(['CreditsGranted'])
  await ann.submit(`${path}/test`)
  const list = await ann.get(path)
  expect(plain(list)).toMatch(/just now \( [\d-]+ [\d:]+ UTC \) Test delivered 1 204 in/)
  expect(list).not.toContain('Nothing has been delivered yet')
  expect(await ann.get(`${path}?state=failed`)).toContain('No delivery is failed.')
  const page = await ann.get(deliveryIn(list))
  expect(plain(page)).toContain(receiver.received.at(-1)!.body)
  expect(page).toContain('Send another test')
  await grant(1)
  const both = await pageWhen(path, (text) => text.includes('CreditsGranted</a>'))
  expect(both.indexOf('CreditsGranted</a>')).toBeLessThan(both.indexOf('>Test</a>'))
})

test('deliveries that failed are sent again together, or those that were chosen', async () => {
  const path = await create(['CreditsGranted'])
  answer = () => 500
  for (const amount of [1, 2, 3]) await grant(amount)
  const list = await pageWhen(path, (text) => text.split('badge bad').length === 4)
  const [one, two] = [...list.matchAll(/name="event_id" value="([^"]+)" form=/g)].map(([, id]) => id!)
  answer = () => 204
  const chosen = await ann.submit(`${path}/replay`, { event_id: [one!, two!, one!] })
  expect(chosen).toContain('2 deliveries will be sent again')
  await pageWhen(`${path}?state=failed`, (text) => text.split('badge bad').length === 2)
  expect(await ann.submit(`${path}/replay-failed`, { hours: '24' })).toContain(
    '1 delivery will be sent again',
  )
  await pageWhen(`${path}?state=failed`, (text) => text.includes('No delivery is failed.'))
  expect(await ann.submit(`${path}/replay-failed`, { hours: '1' })).toContain(
    'No delivery failed in that time.',
  )
  expect(await ann.submit(`${path}/replay`)).toContain('Select at least one delivery first.')
  const wrong = [{ event_id: ['unknown'] }, { event_id: Array.from({ length: 26 }, (_, i) => `e${i}`) }]
  expect((await ann.post(`${path}/replay`, wrong[0]!)).status).toBe(404)
  expect((await ann.post(`${path}/replay`, wrong[1]!)).status).toBe(400)
  expect((await ann.post(`${path}/replay-failed`, { hours: '-1' })).status).toBe(400)
})

test('answers are text: HTML, binary and long ones', async () => {
  const path = await create(['CreditsGranted'])
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>'
  const bodies = [hostile, new Uint8Array([0, 1, 255, 27, 127]), '&'.repeat(5000), '\u202Eevil\u202C']
  for (const [i, body] of bodies.entries()) {
    answer = () => new Response(body, { status: 500 })
    await grant(1)
    const list = await pageWhen(path, (text) => text.split('badge bad').length === i + 2)
    const text = await ann.get(deliveryIn(list))
    for (const page of [list, text]) {
      expect(page).not.toContain('<script>alert')
      expect(page).not.toContain('<img src=x')
      expect(page).not.toMatch(/[\0\x01\x1b\x7f]/)
      expect(page.length).toBeLessThan(200_000)
    }
    if (i === 1) expect(text).toContain('␀␁\uFFFD␛␡')
  }
})

test('a delivery that is tried again looks other than one that is not tried yet', async () => {
  const path = await create(['CreditsGranted'])
  const delivery = (eventId: string, attempts: WebhookDelivery['attempts']): WebhookDelivery => ({
    ...{ webhookId: idIn(path) as WebhookId, eventId, position: 1e9 as Position, revision: 0 },
    ...{ stream: accountStream(house.accountId), type: 'CreditsGranted', state: 'pending', attempts },
    ...{ attemptsSinceQueued: attempts.length, nextAt: Date.now() + 3_600_000, once: false, queuedAt: 0 },
  })
  const at = new Date(0).toISOString()
  const error = 'The host refused the connection.'
  await house.stores.deliveries.put([
    delivery('new', []),
    delivery('again', [{ at, status: null, duration_ms: 3, error, response: null }]),
  ])
  const list = await ann.get(path)
  expect(list).toMatch(/deliveries\/again"[\s\S]*?<span class="badge warn">[\s\S]*?retrying/)
  expect(list).toMatch(/deliveries\/new"[\s\S]*?<span class="badge busy">[\s\S]*?pending/)
  const text = plain(await ann.get(`${path}/deliveries/again`))
  expect(text.split(error)).toHaveLength(2)
  expect(text).not.toContain('no answer')
})

test('a page of 1,000 deliveries with 20 long answers each is small', async () => {
  const path = await create(['CreditsGranted'])
  const webhookId = idIn(path) as WebhookId
  const response = '<"&>'.repeat(1024)
  const attempts = Array.from({ length: 20 }, (_, i) => ({
    ...{ at: new Date(Date.UTC(2026, 0, 1, i)).toISOString(), status: 500, duration_ms: 30_000 },
    ...{ error: 'The endpoint responded with 500.', response },
  }))
  const stream = accountStream(house.accountId)
  const delivery = (n: number): WebhookDelivery => ({
    ...{ webhookId, eventId: `event-${n}`, position: (1e9 + n) as Position, stream, revision: n },
    ...{ type: 'CreditsGranted', state: 'failed', attempts, attemptsSinceQueued: 20 },
    ...{ nextAt: null, once: false, queuedAt: Date.now() },
  })
  for (let i = 0; i < 1000; i += 100)
    await house.stores.deliveries.put(Array.from({ length: 100 }, (_, n) => delivery(i + n)))
  for (const page of [path, `${path}/deliveries/event-999`]) {
    expect((await ann.get(page)).length).toBeLessThan(200_000)
  }
  const older = /href="([^"]+cursor=[^"]+)"/.exec(await ann.get(path))![1]!.replaceAll('&#38;', '&')
  expect(await ann.get(older)).toContain('event-974')
})

test('a viewer sees deliveries and answers, but not what is sent, and endpoints of one host apart', async () => {
  const path = await create(['CreditsGranted'], 'The second warehouse')
  await create(['CreditsGranted'], '')
  await grant(1)
  const list = await pageWhen(path, (text) => text.includes('204 in '))
  const viewer = await house.joins('viewer', 'Vic')
  const shown = await viewer.get(deliveryIn(list))
  expect(shown).toContain('Members and owners see what is sent.')
  expect(shown).not.toContain('balance_after')
  expect(shown).not.toContain('Replay')
  const member = await house.joins('member', 'Mia')
  expect(await member.get(deliveryIn(list))).toContain('balance_after')
  expect((await member.post(`${path}/replay-failed`, { hours: '1' })).status).toBe(403)
  const endpoints = await viewer.get(`${house.own}/webhooks`)
  expect(endpoints).toContain('The second warehouse')
  expect(endpoints).not.toContain('/hook<')
})

test('the page of a delivery that the endpoint does not have is 404, also that of another endpoint', async () => {
  const path = await create(['CreditsGranted'])
  const other = await create(['KeyCreated'])
  await grant(1)
  const delivery = idIn(deliveryIn(await pageWhen(path, (text) => text.includes('204 in '))))
  for (const missing of [`${path}/deliveries/none`, `${other}/deliveries/${delivery}`])
    expect((await ann.send(missing)).status).toBe(404)
})
