import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, ORIGIN, startHouse, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('a form that arrives late', () => {
  test.each(['members/invite', 'members/reset', 'keys'])(
    'is judged by the rights of its sender when it has arrived: %s',
    async (path) => {
      const { accountId } = await house.service.openAccount()
      const name = path.replace('members/', '')
      const owner = await house.joins('owner', `Held-${name}`, accountId)
      await house.joins('owner', `Other-${name}`, accountId)
      const [held, other] = await Promise.all(
        ['held', 'other'].map((who) => house.rooms.people.idOf(`${who}-${name}@example.org`)),
      )
      let before: readonly string[] = []
      const pull = async (controller: ReadableStreamDefaultController) => {
        // The service has begun to read the form, so a check of the sender before the body has happened by now.
        await house.rooms.members.remove(accountId, held!, {
          correlationId: 't',
          causationId: 't',
          now: Date.now(),
        })
        before = await house.types()
        const fields = {
          person_id: other!,
          role: 'viewer',
          email: 'new@example.org',
          name: 'k',
          scope: 'runs',
        }
        controller.enqueue(new TextEncoder().encode(String(new URLSearchParams(fields))))
        controller.close()
      }
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }
      const answer = await owner.send(`/console/${accountId}/${path}`, { method: 'POST', body, headers })
      expect(answer.status).toBe(404)
      expect(before).toContain('MemberRemoved')
      expect(await house.types()).toEqual([...before])
      expect(await answer.text()).not.toContain('The link is ready')
    },
  )
})

describe('forms', () => {
  const send = (headers: Record<string, string>, body = 'name=evil', path = `${house.own}/settings`) =>
    house.service.send(path, {
      method: 'POST',
      headers: {
        cookie: ann.cookie,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'text/html',
        ...headers,
      },
      body,
    })

  test('of another site are refused, whatever their headers', async () => {
    const before = await house.types()
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:3001' },
      { origin: 'https://127.0.0.1:3000' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:3001' },
    ]
    for (const headers of foreign) {
      const answer = await send(headers)
      expect({ headers, status: answer.status }).toEqual({ headers, status: 403 })
      expect(await answer.text()).toContain('page of another site')
    }
    expect(await house.types()).toEqual(before)
  })

  test('of this service are accepted from both of its origins while PUBLIC_URL is the default', async () => {
    for (const headers of [
      { origin: ORIGIN },
      { origin: 'http://localhost:3000' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ])
      expect((await send(headers, 'name=default')).status).toBe(303)
  })

  test('that are malformed, too large or of another type get an error page and change nothing', async () => {
    const before = await house.types()
    const origin = { origin: ORIGIN }
    const cases: [string, Record<string, string>, string, number][] = [
      ['a duplicate field', {}, 'name=a&name=b', 400],
      ['broken percent signs', {}, 'name=%E0%A4%A', 400],
      ['invalid UTF-8', {}, 'name=%FF%FE', 400],
      ['a NUL character', {}, 'name=a%00b', 400],
      ['2 MiB', {}, `name=${'a'.repeat(2 * 1024 * 1024)}`, 413],
      ['JSON', { 'content-type': 'application/json' }, '{"name":"a"}', 415],
      ['no field', {}, '', 422],
      ['an unknown field alone', {}, 'nome=a', 422],
      // Reading each field by a search through all of them would take minutes.
      ['150,000 fields', {}, Array.from({ length: 150_000 }, (_, i) => i.toString(36)).join('&'), 422],
    ]
    for (const [what, headers, body, status] of cases) {
      const answer = await send({ ...origin, ...headers }, body)
      expect({ what, status: answer.status }).toEqual({ what, status })
      expect(answer.headers.get('content-type')).toContain('text/html')
    }
    const wrong = await house.service.send(`${house.own}/keys`, {
      method: 'DELETE',
      headers: { accept: 'text/html' },
    })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect(await wrong.text()).toContain('<h1>')
    expect(await house.types()).toEqual(before)
  })

  test('errors are problem details for programs', async () => {
    const answer = await house.service.send('/console/nothing/here', {
      headers: { accept: 'application/json' },
    })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })
})
