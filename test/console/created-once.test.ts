/** A form that creates something creates it once, however often it is sent, and leads to a page that shows it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { createConsole } from '../../src/console/console.ts'
import { type House, startHouse, to, type Visitor } from './house.ts'

const LOGIN_PLUGINS = join(import.meta.dirname, '..', 'http', 'login-plugins')
let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse({ env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } })
  ann = await house.setUp()
})
afterAll(() => house.close())

type Fields = Readonly<Record<string, string | readonly string[]>>
const hiddenKey = (page: string, path: string): string =>
  new RegExp(`action="${path}"[^]*?name="idempotency_key" value="([^"]+)"`).exec(page)![1]!
const events = async (type: string) => (await house.types()).filter((each) => each === type).length

const KEY_FORM = { path: '/keys', page: '/keys', fields: { name: 'nightly', scopes: ['runs'] } }
const WEBHOOK = { url: 'http://127.0.0.1/hooks', description: 'Warehouse', types: ['RunSucceeded'] }
const INVITATION = { email: 'ben@example.org', role: 'viewer' }

describe.each<
  [string, string, { path: string; page: string; fields: Fields }, Record<string, string>, RegExp]
>([
  ['key', 'KeyCreated', KEY_FORM, { name: 'weekly' }, /gln_\w+_\w{6}/],
  [
    'webhook',
    'WebhookCreated',
    { path: '/webhooks', page: '/webhooks', fields: WEBHOOK },
    { url: 'http://127.0.0.1/other' },
    /whsec_/,
  ],
  [
    'invitation',
    'MemberInvited',
    { path: '/members/invite', page: '/members', fields: INVITATION },
    { email: 'cleo@example.org' },
    /The link is ready/,
  ],
])('the form of a %s', (_, type, { path, page, fields }, change, shown) => {
  const form = () => `${house.own}${path}`
  /** The form as its page makes it. */
  const fresh = async (): Promise<Fields> => ({
    ...fields,
    idempotency_key: hiddenKey(await ann.get(house.own + page), form()),
  })

  test('sent twice at once creates one, and both answers lead to the page that shows it', async () => {
    const before = await events(type)
    const filled = await fresh()
    const [one, two] = (await Promise.all([ann.post(form(), filled), ann.post(form(), filled)])).map(to)
    expect(two).toBe(one!)
    expect(await ann.get(two!)).toMatch(shown)
    expect(await events(type)).toBe(before + 1)
  })

  test('sent again later creates nothing, and leads to the same page, which shows no secret again', async () => {
    const filled = await fresh()
    const first = to(await ann.post(form(), filled))
    expect(await ann.get(first)).toMatch(shown)
    const before = await events(type)
    expect(to(await ann.post(form(), filled))).toBe(first)
    expect(await ann.get(first)).not.toMatch(shown)
    expect(await events(type)).toBe(before)
  })

  test('sent with other values, or from another page, creates another one', async () => {
    const before = await events(type)
    const filled = await fresh()
    for (const each of [filled, { ...filled, ...change }, await fresh()]) to(await ann.post(form(), each))
    expect(await events(type)).toBe(before + 3)
  })

  test('sent to two processes at once creates one', async () => {
    const filled = await fresh()
    const other = createConsole({
      ...house.service.deps,
      ...house.rooms,
      images: house.images,
      exits: { resting: async () => [] },
      node: () => ({ startedAt: 0, worker: undefined }),
      limits: () => [],
    })
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://127.0.0.1:3000',
      cookie: ann.cookie,
    }
    const body = new URLSearchParams(
      Object.entries(filled).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
    )
    const request = new Request(`http://127.0.0.1:3000${form()}`, { method: 'POST', headers, body })
    const before = await live()
    const [one, two] = await Promise.all([ann.post(form(), filled), other.fetch(request)])
    expect(to(two)).toBe(to(one))
    expect(await live()).toBe(before + 1)
  })
})

/** How many keys, webhooks and invitations are in use. */
async function live(): Promise<number> {
  const { keys, webhooks } = house.service.deps
  const inUse = (await keys.list(house.accountId)).filter(({ revoked_at }) => revoked_at === null)
  const { accountId, rooms } = house
  return (
    inUse.length + (await webhooks.list(accountId)).length + (await rooms.invitations.list(accountId)).length
  )
}

test('a double click over HTTP makes one key, and the browser ends at the page that shows it', async () => {
  const page = `${house.own}/keys`
  const idempotency_key = hiddenKey(await ann.get(page), page)
  const origin = house.service.listen()
  const click = () =>
    fetch(origin + page, {
      method: 'POST',
      headers: { origin: 'http://127.0.0.1:3000', cookie: ann.cookie, accept: 'text/html' },
      body: new URLSearchParams({ name: 'clicked', scopes: 'runs', idempotency_key }),
      redirect: 'manual',
    })
  const [first, second] = await Promise.all([click(), click()])
  expect([to(first), to(second)]).toEqual([page, page])
  expect(await ann.get(to(second))).toMatch(/gln_\w+_\w{6}/)
  const keys = await house.service.deps.keys.list(house.accountId)
  expect(keys.filter(({ name }) => name === 'clicked')).toHaveLength(1)
})

test('a double click on Sign in leads to one link, and a later repeat to the list once it was opened', async () => {
  const catalogue = await loadCatalogue({ folders: [LOGIN_PLUGINS], config: readConfig({}) })
  const other = await startHouse({ deps: () => ({ catalogue }) })
  const who = await other.setUp()
  const page = `${other.own}/logins`
  const form = `${page}/sign-in`
  const filled = { source: 'members', idempotency_key: hiddenKey(await who.get(page), form) }
  const [one, two] = (await Promise.all([who.post(form, filled), who.post(form, filled)])).map(to)
  expect(one).toContain('/login/')
  expect(two).toBe(one!)
  const token = one!.slice(one!.lastIndexOf('/') + 1)
  const { signInLinks, now } = other.service.deps
  expect(await signInLinks.open(hash('sha256', token), 'sign-in', now())).toBe(true)
  expect(to(await who.post(form, filled))).toBe(page)
  expect(to(await who.post(form, { ...filled, idempotency_key: crypto.randomUUID() }))).not.toBe(one!)
  await other.close()
})

test('the form of a webhook that was deleted since leads to the list', async () => {
  const page = `${house.own}/webhooks`
  const filled = { ...WEBHOOK, idempotency_key: hiddenKey(await ann.get(page), page) }
  const path = to(await ann.post(page, filled))
  to(await ann.post(`${path}/delete`))
  expect(to(await ann.post(page, filled))).toBe(page)
})

test("the operator's form invites somebody once, too", async () => {
  const page = `/console/operator/accounts/${house.accountId}`
  const form = `${page}/invite`
  const idempotency_key = hiddenKey(await ann.get(page), form)
  const filled = { email: 'dora@example.org', role: 'owner', idempotency_key }
  const before = await events('MemberInvited')
  const answers = await Promise.all([ann.post(form, filled), ann.post(form, filled)])
  expect(answers.map(to)).toEqual([page, page])
  expect(await ann.get(page)).toContain('The link is ready')
  expect(await events('MemberInvited')).toBe(before + 1)
})

test('a form that was refused can be sent again, corrected', async () => {
  const before = await events('WebhookCreated')
  const page = `${house.own}/webhooks`
  const idempotency_key = hiddenKey(await ann.get(page), page)
  const refused = await ann.post(page, { ...WEBHOOK, url: 'http://10.0.0.1/', idempotency_key })
  expect(refused.status).toBe(422)
  to(await ann.post(page, { ...WEBHOOK, idempotency_key: hiddenKey(await refused.text(), page) }))
  expect(await events('WebhookCreated')).toBe(before + 1)
})
