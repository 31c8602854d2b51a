import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, startHouse, type Visitor } from './house.ts'

let house: House
let ann: Visitor

beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('an error page', () => {
  test.each<[string, readonly string[]]>([
    ['/runs/run_00000000000000000000000000', ['No such run', 'All runs']],
    ['/tasks/sample.gone', ['No such task', 'All tasks']],
    ['/webhooks/whk_00000000000000000000000000', ['No such webhook', 'All webhooks']],
    ['/nothing', ['This page does not exist', 'Home']],
  ])('of %s keeps the navigation of the account, says what is missing, and leads on', async (path, words) => {
    const answer = await ann.send(house.own + path)
    const text = await answer.text()
    expect(answer.status).toBe(404)
    for (const word of ['aria-label="Console"', `href="${house.own}/credits"`, ...words])
      expect(text).toContain(word)
  })

  test('of a page for a higher role keeps the navigation', async () => {
    const vera = await house.joins('viewer', 'Vera')
    const answer = await vera.post(`${house.own}/keys`, { name: 'x' })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('aria-label="Console"')
  })

  test('of an account that the person does not belong to shows the own account, as for a missing one', async () => {
    for (const account of ['acc_00000000000000000000000000', 'acc_x']) {
      const text = await (await ann.send(`/console/${account}/runs/run_x`)).text()
      expect(text).toContain(`href="${house.own}/credits"`)
      expect(text).not.toContain('No such run')
    }
  })

  test('without a session is a card without navigation', async () => {
    const text = await (await house.visitor().send('/console/assets/x/none.js')).text()
    expect(text).toContain('Go to the console')
    expect(text).not.toContain('<nav')
  })

  test('is shown to browsers at any unknown address but those of the API; programs get problem details', async () => {
    const types = async (path: string, accept: string) => {
      const answer = await house.visitor().send(path, { headers: { accept } })
      return [answer.status, answer.headers.get('content-type')?.split(';')[0]]
    }
    const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
    expect(await types('/nope', html)).toEqual([404, 'text/html'])
    expect(await types('/nope', '*/*')).toEqual([404, 'application/problem+json'])
    expect(await types('/v1/nope', html)).toEqual([404, 'application/problem+json'])
  })

  test('is shown although the store of sessions fails', async () => {
    const find = house.rooms.sessions.find
    house.rooms.sessions.find = () => Promise.reject(new Error('away'))
    try {
      const answer = await ann.send('/console/assets/x/none.js')
      expect([answer.status, (await answer.text()).includes('Go to the console')]).toEqual([404, true])
    } finally {
      house.rooms.sessions.find = find
    }
  })
})

test("operators keep the navigation of the account that they used last on the operator's pages", async () => {
  const text = await ann.get('/console/operator/people')
  expect(text).toContain(`href="${house.own}/credits"`)
  expect([...text.matchAll(/aria-current="page"/g)]).toHaveLength(1)
})

test('the notice of the operator stands on every page for signed-in people, as text', async () => {
  const other = await startHouse({ env: { CONSOLE_NOTICE: 'Back at <b>six</b>.' } })
  try {
    const bob = await other.setUp()
    expect(await bob.get(other.own)).toContain('Back at &#60;b&#62;six&#60;/b&#62;.')
    expect(await bob.get('/console/operator/people')).toContain('Back at &#60;b&#62;six')
  } finally {
    await other.close()
  }
  expect(await ann.get(house.own)).not.toContain('class="hint standing"')
})
