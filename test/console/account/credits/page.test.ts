/** The page of credits: the balance and its level, the chart, the ledger. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendSpending } from '../../../../rigs/support/spent-credits.ts'
import { type AccountId, derivedAccountId } from '../../../../src/domain/ids.ts'
import { type House, startHouse, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const startRun = async (query: string, who: Visitor, own = house.own): Promise<string> =>
  to(await who.post(`${own}/tasks/sample.search`, { 'in.query': query, by: 'form' }))
    .split('/')
    .at(-1)!
/** A new account with some credits and an owner. */
async function world(credits: number, name: string) {
  const { accountId, key } = await house.service.openAccount(credits)
  const owner = await house.joins('owner', name, accountId)
  const own = `/console/${accountId}`
  const page = async (query = '') => owner.get(`${own}/credits${query}`)
  return { accountId, key, owner, own, page, text: async (query?: string) => textOf(await page(query)) }
}
const typesOf = async (account: AccountId) =>
  (await house.service.events()).filter(({ meta }) => meta.account_id === account).map(({ type }) => type)

describe('the level of a low balance', () => {
  test('is set by an owner; below it, Home and the page of credits say so at once', async () => {
    const { accountId, owner, own, page } = await world(100, 'Lea')
    expect(await page()).toContain('Low-balance notice: off')
    expect(to(await owner.post(`${own}/credits/level`, { level: '100' }))).toBe(`${own}/credits`)
    expect(await page()).toContain('Low-balance notice: below 100 credits')
    expect(await page()).not.toContain('The balance is low')
    await startRun('otter', owner, own)
    expect((await typesOf(accountId)).slice(-3)).toEqual(['CreditsCharged', 'CreditsLow', 'RunRequested'])
    for (const path of ['', '/credits'])
      expect(textOf(await owner.get(own + path))).toContain('The balance is low: 99 credits are left')
    to(await owner.post(`${own}/credits/level`, { level: '' }))
    expect(await page()).not.toContain('The balance is low')
  })

  test('above the balance is announced on the pages and by no event', async () => {
    const { accountId, owner, own, text } = await world(7, 'Lou')
    to(await owner.post(`${own}/credits/level`, { level: '1000' }))
    expect(await text()).toContain('The balance is low: 7 credits are left, below the level of 1,000.')
    expect((await typesOf(accountId)).at(-1)).toBe('CreditsLevelSet')
  })

  test.each(['0', '-1', '1.5', 'many', '1e10', '9'.repeat(400), 'NaN', '0x'])(
    '%j is refused with the text that was sent, and changes nothing',
    async (level) => {
      const before = await house.types()
      const answer = await ann.post(`${house.own}/credits/level`, { level })
      expect(answer.status).toBe(422)
      const page = await answer.text()
      expect(page).toContain('Enter a whole number from 1 to 1,000,000,000')
      expect(page).toContain(`value="${level}"`)
      expect(await house.types()).toEqual(before)
    },
  )

  test('is neither offered to others nor taken from them', async () => {
    const member = await house.joins('member', 'Max')
    expect(await member.get(`${house.own}/credits`)).not.toContain('/credits/level')
    expect((await member.post(`${house.own}/credits/level`, { level: '5' })).status).toBe(403)
  })
})

describe('the chart', () => {
  test('is by task, key or person as its address says, for 30 or 90 days, and stays so beside a filter', async () => {
    const { own, key, owner, page, text } = await world(100, 'Pat')
    to(await owner.post('/console/me', { name: '<i>Pat</i>', email: 'pat@example.org' }))
    await startRun('otter', owner, own)
    await house.service.post('/v1/sample/search', key, { query: 'x' })
    const byTask = await page()
    expect(byTask).toContain(`<a href="${own}/tasks/sample.search">`)
    expect(textOf(byTask)).toContain('in the last 30 days (UTC): 2 credits in all')
    const byKey = await text('?by=key&days=90')
    expect(byKey).toContain('in the last 90 days (UTC): 2 credits in all')
    expect(byKey).toMatch(/ key gln_\w{4}… 1 People in the console 1 /)
    const byPerson = await page('?by=person&kind=charged')
    expect(byPerson).toContain('&#60;i&#62;Pat&#60;/i&#62;</a> <span class="number">1</span>')
    expect(byPerson).not.toContain('<i>Pat')
    expect(byPerson).toContain('API keys <span class="number">1</span>')
    expect(byPerson).toContain(`${own}/credits?days=90&#38;by=person&#38;kind=charged#spending`)
    expect(byPerson).toContain('<input type="hidden" name="by" value="person">')
    expect(await text('?by=moon&days=9999')).toContain('by day and task, less refunds, in the last 30 days')
  })

  test('names a person who has deleted their profile "a removed person"', async () => {
    const { accountId, own, text } = await world(100, 'Rea')
    const member = await house.joins('member', 'Gus', accountId)
    await startRun('otter', member, own)
    expect(await text('?by=person')).toContain('Gus')
    expect(to(await member.post('/console/me/delete'))).toBe('/console/sign-in')
    const page = await text('?by=person')
    expect(page).not.toContain('Gus')
    expect(page).toContain('a removed person')
  })

  test('counts a refund for the person who started the run, whoever ended it', async () => {
    const { owner, own, page } = await world(100, 'Ria')
    const run = await startRun('otter', owner, own)
    await house.service.finish(run, { status: 'failed', code: 'not-found' })
    const shown = await page('?by=person')
    expect(shown).toContain('0 credits in all')
    expect(shown).not.toContain('the service')
  })

  test('says how long the balance lasts when a week shows it', async () => {
    const account = derivedAccountId(new Uint8Array(16).fill(7))
    const spending = { tasks: ['sample.search'], actors: ['operator'], until: Date.now() } as const
    await appendSpending(house.service.deps.log, account, { ...spending, charges: 300, days: 30 })
    const owner = await house.joins('owner', 'Ole', account)
    const page = async () => textOf(await owner.get(`/console/${account}/credits`))
    expect(await page()).toContain('This account has no credits.')
    expect(await page()).not.toContain('lasts')
    const cause = { accountId: account, correlationId: 'test', causationId: 'test' }
    await house.service.deps.accounts.handle({ type: 'grant', accountId: account, amount: 30 }, cause)
    expect(await page()).toMatch(
      /Spent a day \(last 28 days\) 10 At this rate the balance lasts until \d+ \w{3} \d{4}/,
    )
  })
})

describe('what runs sent and received', () => {
  test('is on the page of a run, in a chart by day and task, and once a run in the CSV of the ledger', async () => {
    const { owner, own, page, text } = await world(100, 'Uma')
    const ended = await startRun('otter', owner, own)
    expect(await page()).not.toContain('id="usage"')
    await house.service.finish(ended, {
      status: 'failed',
      code: 'not-found',
      usage: { requests: 12, bytes: 48_213 },
    })
    const working = await startRun('seal', owner, own)
    expect(textOf(await owner.get(`${own}/runs/${ended}`))).toContain('Usage 12 requests, 48.2 kB')
    expect(textOf(await owner.get(`${own}/runs/${working}`))).not.toContain('Usage')
    expect(await text()).toContain(
      'Bytes sent and received by day and task in the last 30 days (UTC): 48.2 kB in all',
    )
    expect(await page()).toContain(`${own}/credits?usage=requests#usage`)
    expect(await text('?usage=requests&days=90')).toContain(
      'Requests by day and task in the last 90 days (UTC): 12 requests in all',
    )
    const lines = (await owner.get(`${own}/credits.csv`)).trim().split('\r\n')
    expect(lines.map((line) => line.replace(/^[^,]+,/, ''))).toEqual([
      'kind,amount,balance_after,run_id,reason,requests,bytes',
      `charged,-1,99,${working},sample.search,,`,
      `refunded,1,100,${ended},failed,,`,
      `charged,-1,99,${ended},sample.search,12,48213`,
      'granted,100,100,,opening,,',
    ])
  })
})

describe('the ledger', () => {
  test('says what each entry was for, and who started the run', async () => {
    const { owner, own, text } = await world(100, 'Ivo')
    const failed = await startRun('otter <b>', owner, own)
    await house.service.finish(failed, { status: 'failed', code: 'not-found' })
    const page = await text()
    expect(page).toMatch(/Refunded Search · otter &#60;b&#62; The run failed\. Ivo \+1 100/)
    expect(page).toMatch(/Charged Search · otter &#60;b&#62; Ivo −1 99/)
    expect(page).toContain('Granted Opening of the account')
  })

  test('is filtered by kind and task, and an empty result offers to clear the filter', async () => {
    const { owner, own, page } = await world(100, 'Fay')
    await startRun('otter', owner, own)
    const rows = async (query: string) => (await page(query)).split('<tbody>').at(-1)!.match(/<tr>/g)?.length
    expect(await rows('')).toBe(2)
    expect(await rows('?kind=granted')).toBe(1)
    expect(await rows('?task=sample.search')).toBe(1)
    expect(await rows('?kind=charged&task=sample.search')).toBe(1)
    const none = await page('?kind=refunded&task=gone.task')
    expect(none).toContain('No entry matches these filters.')
    expect(none).toContain(`<a class="button quiet" href="${own}/credits#ledger">Clear</a>`)
    expect(none).toContain('<option value="gone.task" selected>')
  })

  test('is searched 3,000 entries at a time', async () => {
    const account = derivedAccountId(new Uint8Array(16).fill(10))
    const spending = { tasks: ['a.b'], actors: ['operator'], until: Date.now() } as const
    await appendSpending(house.service.deps.log, account, { ...spending, charges: 3100, days: 2 })
    const owner = await house.joins('owner', 'Kai', account)
    const first = await owner.get(`/console/${account}/credits?kind=granted`)
    expect(first).toContain('None of these 3,000 entries matches. Look at older ones.')
    const [, older] = /href="([^"]+cursor=[^"]+)"/.exec(first)!
    const second = await owner.get(older!.replaceAll('&#38;', '&').replace('#ledger', ''))
    expect(second.split('<tbody>').at(-1)!.match(/<tr>/g)).toHaveLength(1)
    expect(second).not.toContain('cursor=')
  })

  test('older entries keep the filter and come without the chart', async () => {
    const account = derivedAccountId(new Uint8Array(16).fill(8))
    const spending = { tasks: ['a.b', 'c.d'], actors: ['operator'], until: Date.now() } as const
    await appendSpending(house.service.deps.log, account, { ...spending, charges: 120, days: 2 })
    const owner = await house.joins('owner', 'Eli', account)
    const first = await owner.get(`/console/${account}/credits?task=a.b`)
    const [, older] = /href="([^"]+cursor=[^"]+)"/.exec(first)!
    const second = await owner.get(older!.replaceAll('&#38;', '&').replace('#ledger', ''))
    expect(second).not.toContain('class="chart"')
    expect(second).not.toContain('c.d</td>')
    expect(second.split('<tbody>').at(-1)!.match(/<tr>/g)).toHaveLength(10)
  })
})

test('an account without entries has no chart and no table, and says who grants credits', async () => {
  const { page } = await world(0, 'Eva')
  const shown = await page('?days=90&by=key')
  expect(shown).toContain('The operator of this instance grants credits.')
  expect(shown).not.toMatch(/<table|class="chart"|class="ledger"/)
})

test('the page stays below 200 kB with 90 days of 1,000 keys that have hostile names', async () => {
  const account = derivedAccountId(new Uint8Array(16).fill(9))
  const keys = await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => {
      const name = `<script>"&'${'"'.repeat(80)}${i}`
      const created = { accountId: account, name, scopes: ['runs'], expiresAt: null } as const
      const cause = { causationId: 'test', correlationId: 'test', now: Date.now() }
      return (await house.service.deps.keys.create(created, cause)).record.key_id
    }),
  )
  await appendSpending(house.service.deps.log, account, {
    charges: 20_000,
    days: 90,
    tasks: ['sample.search'],
    actors: keys.map((key) => `key:${key}` as const),
    until: Date.now(),
  })
  const owner = await house.joins('owner', 'Hal', account)
  const page = await owner.get(`/console/${account}/credits?days=90&by=key`)
  expect(page).not.toContain('<script>"')
  expect(page).toContain('Other <span class="number">')
  expect(Buffer.byteLength(page)).toBeLessThan(200_000)
})
