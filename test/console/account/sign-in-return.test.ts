/** A sign-in that begins in the console ends there, and says for which account it is. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../src/config.ts'
import { type House, startHouse, to, type Visitor } from '../house.ts'

const PLUGINS = join(import.meta.dirname, '..', '..', 'http', 'login-plugins')
let house: House
let ann: Visitor
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  house = await startHouse({ deps: () => ({ catalogue }) })
  ann = await house.setUp()
})
afterAll(() => house.close())

const back = (path: string) => `href="${house.own}${path}">Back to the console</a>`
const source = () => house.service.deps.catalogue.sources.find(({ login }) => login)!.name

test('from the logins: the hosted page leads back to them', async () => {
  const link = to(await ann.post(`${house.own}/logins/sign-in`, { source: source() }))
  const page = await ann.get(link)
  expect(page).toContain(back('/logins'))
  expect(page).toContain('account\n“<bdi>default</bdi>”')
  expect(page).not.toContain('The sender of this link')
})

test('from the API: the hosted page names the account and leads nowhere', async () => {
  const { accountId, key } = await house.service.openAccount()
  const answer = await house.service.send(`/v1/logins/${source()}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  const { hosted_url } = (await answer.json()) as { hosted_url: string }
  const page = await ann.get(hosted_url)
  expect(page).toContain('The sender of this link')
  expect(page).toContain('“<bdi>test</bdi>”')
  expect(page).not.toContain(accountId)
  expect(page).not.toContain('Back to the console')
})

test('the way back stands with the link: an address cannot name another one', async () => {
  const link = to(await ann.post(`${house.own}/logins/sign-in`, { source: source() }))
  const page = await ann.get(`${link}?returnTo=https://elsewhere.example/&return=//elsewhere.example`)
  expect(page).not.toContain('elsewhere.example')
})
