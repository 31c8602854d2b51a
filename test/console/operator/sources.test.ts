/** The operator's pages of sources: how each task works, and why it does not. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { nextTurn } from '../../../src/async/delay.ts'
import { type House, startHouse, startRun, type Visitor } from '../house.ts'

const plain = (page: string) =>
  page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
const SOURCES = '/console/operator/sources'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

async function pageWhen(path: string, condition: (text: string) => boolean): Promise<string> {
  for (;;) {
    const text = await ann.get(path)
    if (condition(text)) return text
    await nextTurn()
  }
}
async function ends(code: string | null, detail = ''): Promise<string> {
  const run = await startRun(ann, house, 'otter')
  await house.service.finish(run, code === null ? { items: [] } : { status: 'failed', code, detail })
  return run
}

test('a source says of each task how its last runs ended, and what the site answered last', async () => {
  expect(plain(await ann.get(SOURCES))).toMatch(/unknown \d+ unknown no run that counts yet – no/)
  await ends(null)
  for (let i = 0; i < 2; i++) await ends('source-blocked', 'first')
  const run = await ends('source-blocked', 'The page was a <script>captcha</script>.')
  const page = await pageWhen(`${SOURCES}/sample`, (text) => text.includes(run))
  const text = plain(page)
  expect(text).toMatch(/sample\.search broken the last three runs failed since [\d-]+ [\d:]+ UTC/)
  expect(text).toContain('1 of 4 good (25%)')
  expect(page).toContain('aria-label="The last 4 ends of runs, oldest first: good, bad, bad, bad"')
  expect(text).toContain('source-blocked')
  expect(text).toContain('The page was a &#60;script&#62;captcha&#60;/script&#62;.')
  expect(page).toContain(`/console/operator/accounts/${house.accountId}`)
  expect(page).toContain(`${house.own}/runs/${run}`)
  expect(plain(await ann.get(SOURCES))).toMatch(/broken 1 broken/)
})

test('a task whose runs only lacked a login has runs, but none that counts', async () => {
  await ends('source-login-required')
  const text = plain(await ann.get(`${SOURCES}/sample`))
  expect(text).toContain('No run that counts yet:')
  expect(text).toContain('Runs that only lacked a login, and cancelled runs, do not count.')
})

test('a source shows its limits, hosts and access', async () => {
  const text = plain(await ann.get(`${SOURCES}/sample`))
  expect(text).toMatch(/Login None Your credentials None needed/)
  expect(text).toMatch(/Each host 5 in 1 second 4/)
  expect(text).toMatch(/Requests [\w.]+\.[\w.]+/)
})

test('a source shows the pace that the operator set, and where', async () => {
  const paced = await startHouse({ env: { SOURCE_SAMPLE_PACE: '3/2' } })
  try {
    const text = plain(await (await paced.setUp()).get(`${SOURCES}/sample`))
    expect(text).toMatch(/Each host 3 in 1 second 2/)
    expect(text).toContain('They are set in SOURCE_SAMPLE_PACE .')
  } finally {
    await paced.close()
  }
})

test('the page of a source is 404 when there is none, and for people who are no operators', async () => {
  expect((await ann.send(`${SOURCES}/toString`)).status).toBe(404)
  const member = await house.joins('owner', 'Mia')
  for (const path of [SOURCES, `${SOURCES}/sample`, '/console/operator/system'])
    expect((await member.send(path)).status).toBe(404)
})
