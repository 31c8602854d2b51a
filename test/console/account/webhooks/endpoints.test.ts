/** The pages of webhooks in a browser without scripts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { nextTurn } from '../../../../src/async/delay.ts'
import { isSignedBy, type Receiver, startReceiver } from '../../../webhooks/receiver.ts'
import { type House, startHouse, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
let receiver: Receiver
let status = 204
const HOSTILE = '<script>alert(1)</script>'
beforeAll(async () => {
  house = await startHouse({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRIES_S: '0' } })
  ann = await house.setUp()
  house.service.startDeliverer()
  receiver = startReceiver(() => (status === 204 ? 204 : new Response(HOSTILE, { status })))
})
afterAll(async () => {
  await receiver.stop()
  await house.close()
})

/** Polls a page until it meets the condition. */
async function pageWhen(path: string, condition: (text: string) => boolean): Promise<string> {
  for (;;) {
    const text = await ann.get(path)
    if (condition(text)) return text
    await nextTurn()
  }
}
async function create(
  types: readonly string[] = ['CreditsGranted'],
): Promise<{ path: string; secret: string }> {
  const fields = { url: receiver.url, description: 'Warehouse', types }
  const path = to(await ann.post(`${house.own}/webhooks`, fields))
  const text = await ann.get(path)
  const [secret] = /whsec_[A-Za-z0-9+/=]+/.exec(text.replaceAll('&#43;', '+').replaceAll('&#61;', '='))!
  return { path, secret }
}
const grant = (amount: number) =>
  house.service.deps.accounts.handle(
    { type: 'grant', accountId: house.accountId, amount },
    { accountId: house.accountId, correlationId: 'test', causationId: 'test' },
  )

test('an endpoint is created, its secret is shown once, and its deliveries are shown with the answers', async () => {
  const { path, secret } = await create()
  expect(await ann.get(path)).not.toContain('whsec_')
  expect(await ann.get(`${house.own}/webhooks`)).toContain('Warehouse')
  await grant(1)
  const text = await pageWhen(path, (page) => page.includes('204 in '))
  expect(text).toContain('CreditsGranted')
  expect(isSignedBy(secret, receiver.received.at(-1)!)).toBe(true)
  const before = receiver.received.length
  const [, event_id] = /name="event_id" value="([^"]+)"/.exec(text)!
  to(await ann.post(`${path}/replay`, { event_id: event_id! }))
  await receiver.until((all) => all.length > before)
  to(await ann.post(`${path}/delete`))
  expect((await ann.send(path)).status).toBe(404)
})

test('a test shows its outcome, and the text of the endpoint is escaped', async () => {
  const { path } = await create()
  expect(await ann.submit(`${path}/test`)).toContain('The test was delivered')
  status = 500
  const failed = await ann.submit(`${path}/test`)
  expect(failed).toContain('The test was not delivered')
  expect(failed).toContain('class="card made bad"')
  expect(failed).toContain('&#60;script&#62;')
  expect(failed).not.toContain(HOSTILE)
  status = 204
  to(await ann.post(`${path}/delete`))
})

test('an endpoint can be disabled, enabled and changed, and its secret can be rotated', async () => {
  const { path, secret } = await create()
  to(await ann.post(`${path}/state`, { state: 'disabled' }))
  expect(await ann.get(path)).toContain('An owner disabled it.')
  to(await ann.post(`${path}/state`, { state: 'enabled' }))
  expect((await ann.post(`${path}/state`, { state: 'gone' })).status).toBe(400)
  const rotated = (await ann.submit(`${path}/rotate`)).replaceAll('&#43;', '+').replaceAll('&#61;', '=')
  expect(rotated).toContain('whsec_')
  expect(rotated).not.toContain(secret)
  to(await ann.post(path, { url: `${receiver.url}/new`, description: '', types: ['RunFailed'] }))
  const text = await ann.get(path)
  expect([text.includes('/hook/new'), text.includes('Warehouse')]).toEqual([true, false])
  to(await ann.post(`${path}/delete`))
})

test('an endpoint that answered 410 or keeps failing is reported on the account’s first page', async () => {
  const { path } = await create()
  status = 410
  await grant(1)
  const home = await pageWhen(house.own, (page) => page.includes('It answered 410 Gone.'))
  expect(home).toContain(path)
  status = 500
  const failing = await create()
  await grant(1)
  await pageWhen(house.own, (page) => page.includes('has been failing since'))
  status = 204
  for (const each of [path, failing.path]) to(await ann.post(`${each}/delete`))
})

test('an invalid form gets error messages and keeps the entered URL', async () => {
  const post = (fields: Record<string, string | string[]>) => ann.post(`${house.own}/webhooks`, fields)
  const cases: [Record<string, string | string[]>, string][] = [
    [{ url: '', types: ['RunFailed'] }, 'Enter a URL.'],
    [{ url: 'https://10.0.0.1/', types: ['RunFailed'] }, 'whose addresses are all public'],
    [{ url: receiver.url }, 'Choose at least one type.'],
    [{ url: receiver.url, types: ['RunExploded'] }, 'Choose at least one type.'],
    [
      { url: receiver.url, types: ['RunFailed'], description: 'x'.repeat(501) },
      'Use at most 500 characters.',
    ],
  ]
  for (const [fields, words] of cases) {
    const answer = await post(fields)
    const text = await answer.text()
    expect({ fields, status: answer.status, isSaid: text.includes(words) }).toEqual({
      fields,
      status: 422,
      isSaid: true,
    })
    if (fields.url) expect(text).toContain(String(fields.url).slice(8, 16))
  }
  expect(await house.service.deps.webhooks.list(house.accountId)).toEqual([])
})

test('a viewer sees an endpoint without its URL and can change nothing', async () => {
  const { path } = await create()
  const viewer = await house.joins('viewer', 'Vic')
  const text = await viewer.get(path)
  expect(text).not.toContain('/hook')
  expect(text).not.toContain('Send test')
  expect((await viewer.get(`${house.own}/webhooks`)).includes('Create a webhook')).toBe(false)
  for (const each of ['', '/test', '/state', '/rotate', '/replay', '/delete'])
    expect({ each, status: (await viewer.post(`${path}${each}`)).status }).toEqual({ each, status: 403 })
  to(await ann.post(`${path}/delete`))
})
