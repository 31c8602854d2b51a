/** The page of logins: what each is for, its state, and who requested the sign-in. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../src/config.ts'
import { type House, startHouse, to, type Visitor } from '../house.ts'

const PLUGINS = join(import.meta.dirname, '..', '..', 'http', 'login-plugins')
const cause = { correlationId: 'test', causationId: 'test' }
let house: House
let ann: Visitor
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  house = await startHouse({ deps: () => ({ catalogue }) })
  ann = await house.setUp()
})
afterAll(() => house.close())

const source = () => house.service.deps.catalogue.sources.find(({ login }) => login)!
const page = () => ann.get(`${house.own}/logins`)
/** The row of the source as text. */
const row = async () => {
  const rows = (await page()).match(/<tr>[\s\S]*?<\/tr>/g) ?? []
  const own = rows.find((each) => each.includes(`<strong>${source().title}</strong>`)) ?? ''
  return own.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}

test('names the tasks that a login is for, with links', async () => {
  const html = await page()
  for (const { key, needs, title } of source().tasks) {
    const isUsed = needs?.login !== undefined
    expect([key, html.includes(`href="${house.own}/tasks/${key}">${title}</a>`)]).toEqual([key, isUsed])
  }
  expect(await row()).toMatch(/Needed for|Optional for/)
})

test('says who requested a sign-in that is in progress, and who requested the one that runs use', async () => {
  expect(await row()).toContain('not signed in')
  to(await ann.post(`${house.own}/logins/sign-in`, { source: source().name }))
  expect(await row()).toMatch(/in progress requested just now .*by Ann/)
  const { logins, now } = house.service.deps
  const signedIn = { ref: 'state_1', validUntil: null, startedAt: now() }
  await logins.complete(house.accountId, source().name, signedIn, { ...cause, now: now() })
  const text = await row()
  expect(text).toMatch(/ signed in just now .*requested by Ann/)
  expect(text).toContain('Sign in again')
  await ann.post(`${house.own}/logins/delete`, { source: source().name })
  expect(await row()).toContain('not signed in')
})
