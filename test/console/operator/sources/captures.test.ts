/** Captures in the console: operators read, download and delete them, and nobody else finds them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RunId } from '../../../../src/domain/ids.ts'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'
import { CASSETTE, captureOf, SOURCE } from './capture.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

/** @returns the path of its page */
const capture = async (code: string | null = 'source-changed'): Promise<string> =>
  captureOf(house, (await startRun(ann, house, 'otter')) as RunId, code)

test('a capture is listed on the page of its source, and its page has requests and answers as text', async () => {
  const path = await capture()
  const list = await ann.get(SOURCE)
  expect(list).toContain(`href="${path}"`)
  expect(list).toContain('<code>source-changed</code>')
  const page = await ann.get(path)
  expect(page).toContain('GET /search?q=otter')
  expect(page).toContain('&#60;b&#62;gone&#60;/b&#62;')
  expect(page).not.toContain('<b>gone')
  expect(page).toContain('(binary, 4 bytes)')
  expect(page).toContain('The first 30,000 of ')
  for (const command of [`captures save ${path.split('/').at(-1)}`, 'repair sample.search'])
    expect(page).toContain(`<code>npm run gleaner -- ${command}</code></copy-id>`)
  expect(page).toContain(`/console/operator/accounts/${house.accountId}"><bdi>`)
  expect(page.length).toBeLessThan(200_000)
})

test('the download is the whole cassette', async () => {
  const answer = await ann.send(`${await capture()}/cassette`)
  expect(answer.headers.get('content-disposition')).toMatch(/filename="sample\.search-[\d-]+-\w{6}\.json"/)
  expect(await answer.json()).toEqual(CASSETTE as never)
})

test('a capture of a run that succeeded says so', async () => {
  expect(await ann.get(await capture(null))).toContain('succeeded, with fields missing')
})

test('a deleted capture is gone, from the list too', async () => {
  const path = await capture()
  expect(to(await ann.post(`${path}/delete`))).toBe(`${SOURCE}#captures`)
  expect((await ann.send(path)).status).toBe(404)
  expect(await ann.get(SOURCE)).not.toContain(path)
  expect((await ann.post(`${path}/delete`)).status).toBe(404)
})

test('a capture is found below its own source, and by operators alone', async () => {
  const path = await capture()
  expect((await ann.send(path.replace('/sample/', '/other/'))).status).toBe(404)
  const member = await house.joins('owner', 'Mia')
  for (const each of [path, `${path}/cassette`]) expect((await member.send(each)).status).toBe(404)
  expect((await member.post(`${path}/delete`)).status).toBe(404)
  expect((await ann.send(path)).status).toBe(200)
})
