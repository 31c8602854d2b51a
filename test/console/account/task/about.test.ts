/** The page of a task tells what one wants to know before a run: what it returns, who ran it, how long it takes. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

test('the latest five runs of this account are listed by title, with the usual time of those that succeeded', async () => {
  const page = () => ann.get(`${house.own}/tasks/sample.search`)
  expect(await page()).toContain('Nobody in this account has run it yet.')
  for (const [i, query] of ['one', 'two', 'three', 'four', 'five', 'six'].entries()) {
    const run = await startRun(ann, house, `otter ${query}`)
    await house.service.start(run)
    await house.service.finish(run, { items: [{ id: String(i) }] })
  }
  const now = await page()
  expect(now).toContain('otter six')
  expect(now).toContain('otter two')
  expect(now).not.toContain('otter one')
  expect(now).toContain(`href="${house.own}/runs?task_key=sample.search"`)
  expect(now).toContain('Usual time')
  const other = await house.service.openAccount()
  const ben = await house.joins('owner', 'Ben', other.accountId)
  expect(await ben.get(`/console/${other.accountId}/tasks/sample.search`)).not.toContain('otter six')
})

test('the address fills in the form, and starts nothing', async () => {
  const before = await house.types()
  const path = `${house.own}/tasks/sample.search`
  const query = '<b>"otter"</b> & \' 🦦'
  const page = await ann.get(`${path}?input=${encodeURIComponent(JSON.stringify({ query, limit: 3 }))}`)
  expect(page).toContain('value="&#60;b&#62;&#34;otter&#34;&#60;/b&#62; &#38; &#39; 🦦"')
  expect(page).toContain('The address filled in this form. Nothing has been started.')
  expect(page).not.toContain('<b>"')
  expect(await ann.get(`${path}?input=%7B`)).toContain('The input in this address cannot be read.')
  expect(await ann.get(`${path}?input=%7B%7D`)).not.toContain('The address filled in')
  expect(await house.types()).toEqual(before)
})

test('a sign-in that a run needs leads back to the form with its values', async () => {
  const folder = join(import.meta.dirname, '..', '..', '..', 'http', 'login-plugins')
  const catalogue = await loadCatalogue({ folders: [folder], config: readConfig({}) })
  const members = await startHouse({ deps: () => ({ catalogue }) })
  const who = await members.setUp()
  const refused = await who.post(`${members.own}/tasks/members.search`, {
    by: 'form',
    'in.query': "o'tter & <x>",
  })
  expect(refused.status).toBe(428)
  const text = await refused.text()
  const [, link = ''] = /href="([^"]+)">Sign in and come back</.exec(text) ?? []
  const [, back = ''] = /href="([^"]+)">Back to the console</.exec(await who.get(link)) ?? []
  const form = await who.get(back.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
  expect(form).toContain('value="o&#39;tter &#38; &#60;x&#62;"')
  await members.close()
})

test('every task of the project has a sample, links to its place in the reference, and a page below 200 kB', async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const real = await startHouse({ deps: () => ({ catalogue }) })
  const who = await real.setUp()
  const reference = await (await real.service.send('/openapi.json')).text()
  for (const { key } of catalogue.tasks) {
    const page = await who.get(`${real.own}/tasks/${key}`)
    expect([key, page.length < 200_000]).toEqual([key, true])
    expect([key, page.includes('class="sample-value"')]).toEqual([key, true])
    const [, operation = ''] = /href="\/docs#([^"]+)"/.exec(page) ?? []
    expect([key, reference.includes(`"operationId":"${operation}"`)]).toEqual([key, true])
  }
  await real.close()
})

test('the page is for people: it leaves out what only programs need, and names fields as the form does', async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const real = await startHouse({ deps: () => ({ catalogue }) })
  const who = await real.setUp()
  const reference = JSON.parse(await (await real.service.send('/openapi.json')).text())
  for (const { key, paths, declaration } of catalogue.tasks) {
    const { description, apiNotes } = declaration
    expect([key, /next_cursor|has_more|artifact|cursor;/.test(description)]).toEqual([key, false])
    expect(reference.paths[paths[0]!.replaceAll(/:(\w+)/g, '{$1}')].post.description).toStartWith(
      [description, apiNotes].filter(Boolean).join(' '),
    )
    const [, lead = ''] = /<p class="lead">(.*?)<code>/s.exec(await who.get(`${real.own}/tasks/${key}`)) ?? []
    expect([key, apiNotes !== undefined && lead.includes(apiNotes.slice(0, 20))]).toEqual([key, false])
  }
  const filtered = await who.get(`${real.own}/tasks/marketplace.search.filtered`)
  expect(filtered).toContain('For more items, raise “Pages”.')
  const wiki = await who.get(`${real.own}/tasks/forum.wiki`)
  expect(wiki).toContain(`Needed, <a href="${real.own}/logins">not signed in</a>`)
  await real.close()
})

test('the catalogue searches, filters by source, marks logins, and lists what was used lately first', async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const real = await startHouse({ deps: () => ({ catalogue }) })
  const who = await real.setUp()
  const tasksOn = async (query = '') =>
    [
      ...(await who.get(`${real.own}/tasks${query}`)).matchAll(
        /<div class="task-name"><a href="[^"]*\/tasks\/([^"]+)"/g,
      ),
    ].map(([, key = '']) => key)
  expect(await tasksOn()).toEqual(catalogue.tasks.map(({ key }) => key))
  expect(await tasksOn('?q=vintd+lamp')).toEqual(
    catalogue.tasks.map(({ key }) => key).filter((key) => key.startsWith('marketplace.')),
  )
  expect(await tasksOn('?source=photo')).toEqual(['photo.profile-download'])
  expect(await tasksOn('?q=xyzzy')).toEqual([])
  const page = await who.get(`${real.own}/tasks`)
  expect(page.match(/needs login/g)).toHaveLength(3)
  expect(page).not.toContain('Used lately')
  to(
    await who.post(`${real.own}/tasks/video.channel.shorts`, { by: 'form', 'in.handle': '@PaperBoatStudio' }),
  )
  const later = await who.get(`${real.own}/tasks`)
  expect(later.indexOf('Used lately')).toBeGreaterThan(0)
  expect((await tasksOn())[0]).toBe('video.channel.shorts')
  await real.close()
})
