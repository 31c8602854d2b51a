import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { consoleEndpoints } from '../../src/console/console.ts'
import type { PageDeps } from '../../src/console/visitor.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import type { ProcessFigures } from '../../src/metrics.ts'
import { type House, idIn, ORIGIN, startHouse, startRun, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
/** the processes of plugins on this node; undefined: no role worker */
let processes: ProcessFigures[] | undefined
beforeAll(async () => {
  house = await startHouse({}, () => processes)
  ann = await house.setUp()
})
afterAll(() => house.close())

const routes = () => consoleEndpoints({} as PageDeps).map(({ method, path }) => ({ method, path }))
/** The routes of an account, with its id and ids of missing things. */
const ofAccount = (account: string) =>
  routes()
    .filter(({ path }) => path.startsWith('/console/:account'))
    .map(({ method, path }) => ({
      method,
      path: path
        .replace(':account', account)
        .replace(':task', 'sample.search')
        .replace(':run', `run_${'0'.repeat(26)}`)
        .replace(':webhook', `whk_${'0'.repeat(26)}`)
        .replace(':format', 'csv')
        .replace(':name', 'x'),
    }))

describe('access', () => {
  test('every page and form of an account is 404 to people of other accounts, as for a missing account', async () => {
    const other = await house.service.openAccount()
    const before = await house.types()
    for (const account of [other.accountId, `acc_${'0'.repeat(26)}`])
      for (const { method, path } of ofAccount(account)) {
        const answer = method === 'GET' ? await ann.open(path) : await ann.post(path, { source: 'sample' })
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 })
        expect(await answer.text()).not.toContain('test')
      }
    expect(await house.types()).toEqual(before)
  })

  test('without a session every page redirects to the sign-in, and no form has an effect', async () => {
    const nobody = house.visitor()
    const before = await house.types()
    for (const { method, path } of ofAccount(house.accountId)) {
      const answer = method === 'GET' ? await nobody.open(path) : await nobody.post(path)
      expect({ path, to: to(answer).split('?')[0] }).toEqual({ path, to: '/console/sign-in' })
    }
    expect(await house.types()).toEqual(before)
  })

  test('pages are shown while the use of a session cannot be recorded, as on a full disk', async () => {
    const replace = () => Promise.reject(new StoreUnavailable('the disk is full'))
    const full = await startHouse({ stores: ({ tickets }) => ({ tickets: { ...tickets, replace } }) })
    const visitor = await full.setUp()
    full.service.clock.offset = 120_000
    expect(await visitor.get(full.own)).toContain('<main')
    await full.close()
  })

  test('a viewer reads everything and changes nothing; a member cannot change members', async () => {
    const [viewer, member] = [await house.joins('viewer', 'Vic'), await house.joins('member', 'Mia')]
    const before = await house.types()
    for (const { method, path } of ofAccount(house.accountId)) {
      if (path.includes('/runs/') || path.includes('/webhooks/') || path.endsWith('/changes')) continue
      const answer = method === 'GET' ? await viewer.open(path) : await viewer.post(path)
      expect({ method, path, status: answer.status }).toEqual({
        method,
        path,
        status: method === 'GET' ? 200 : 403,
      })
      await answer.text()
    }
    for (const form of ['invite', 'link', 'withdraw', 'role', 'remove', 'reset'])
      expect((await member.post(`${house.own}/members/${form}`)).status).toBe(403)
    const refused = await member.post(`${house.own}/settings`, { name: 'x' })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toMatch(/<h1>Not allowed<\/h1>[\s\S]*Only an owner of this account/)
    expect(await house.types()).toEqual(before)
    const admin = await member.post(`${house.own}/keys`, { name: 'x', scopes: ['admin'] })
    expect(admin.status).toBe(422)
  })

  test("the operator's pages are 404 for others", async () => {
    const member = await house.joins('owner', 'Olga')
    for (const { method, path } of routes()) {
      if (!path.startsWith('/console/operator')) continue
      const real = path.replace(':account', house.accountId)
      const answer = method === 'GET' ? await member.open(real) : await member.post(real)
      expect({ real, status: answer.status }).toEqual({ real, status: 404 })
    }
  })

  test('a session does not open the API, and a key does not open the console', async () => {
    const { cookie } = ann
    expect((await house.service.send('/v1/account', { headers: { cookie } })).status).toBe(401)
    const { key } = await house.service.openAccount()
    expect((await house.service.send(house.own, { key, headers: { accept: 'text/html' } })).status).toBe(303)
  })

  test('the live stream of a removed member ends', async () => {
    const member = await house.joins('member', 'Liv')
    const stream = await member.send(`${house.own}/changes`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const reader = stream.body!.getReader()
    const ended = (async () => {
      while (!(await reader.read()).done);
    })()
    const person_id = (await house.rooms.people.idOf('liv@example.org'))!
    to(await ann.post(`${house.own}/members/remove`, { person_id }))
    await ended
  })

  test('a removed member loses access at once, and so do the keys that they made, also with other keys', async () => {
    const owner = await house.joins('owner', 'Rob')
    const scopes = ['runs', 'admin']
    const page = await owner.submit(`${house.own}/keys`, { name: 'robs', scopes })
    const first = /gln_\w+_\w{6}/.exec(page)![0]
    const creation = await house.service.post('/admin/create-key', first, { scopes })
    const keys = [first, ((await creation.json()) as { api_key: string }).api_key]
    const statuses = () =>
      Promise.all(keys.map(async (key) => (await house.service.send('/v1/account', { key })).status))
    expect(await statuses()).toEqual([200, 200])
    const person_id = (await house.rooms.people.idOf('rob@example.org'))!
    to(await ann.post(`${house.own}/members/remove`, { person_id }))
    expect((await owner.send(house.own)).status).toBe(404)
    expect(await statuses()).toEqual([401, 401])
    const revoked = (await house.types()).filter((type) => type === 'KeyRevoked')
    expect(revoked.length).toBeGreaterThanOrEqual(keys.length)
  })
})

test('a key of a removed member is refused even when the process died before revoking it', async () => {
  const owner = await house.joins('owner', 'Kim')
  const page = await owner.submit(`${house.own}/keys`, { name: 'kims', scopes: ['runs'] })
  const key = /gln_\w+_\w{6}/.exec(page)![0]
  expect((await house.service.send('/v1/account', { key })).status).toBe(200)
  const personId = (await house.rooms.people.idOf('kim@example.org'))!
  const { accountId } = house
  const cause = { accountId, correlationId: 'test', causationId: 'test' }
  await house.service.deps.accounts.handle({ type: 'remove', accountId, personId }, cause)
  const answer = await house.service.send('/v1/account', { key })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'revoked-key'])
})

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

/** The paths of an account's pages, relative to its address. */
const pages = ['', '/tasks', '/runs', '/keys', '/credits', '/logins', '/webhooks', '/members', '/settings']

test('an address without an account redirects to the same page of the account used last', async () => {
  for (const page of pages) {
    const answer = await ann.send(`/console${page}`)
    expect([page, answer.headers.get('location')]).toEqual([page, `${house.own}${page}`])
  }
})

describe('every answer', () => {
  test('cannot be cached or framed, has a strict CSP, and links to no foreign host', async () => {
    const paths = [
      ...pages.map((page) => house.own + page),
      `${house.own}/tasks/sample.search`,
      '/console/me',
      '/console/operator',
      '/console/operator/people',
      '/console/operator/sources',
      `/console/operator/accounts/${house.accountId}`,
      '/console/nothing',
      '/console/sign-in',
    ]
    for (const path of paths) {
      const answer = await ann.send(path)
      const text = await answer.text()
      const csp = answer.headers.get('content-security-policy') ?? ''
      expect({
        path,
        csp: csp.startsWith("default-src 'none'; script-src 'self'; style-src 'self'"),
      }).toEqual({ path, csp: true })
      expect(csp).not.toContain('unsafe')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-frame-options')).toBe('DENY')
      const addresses = [...text.matchAll(/\b(?:href|src|action|data-live|poster|srcset)="([^"]*)"/g)].map(
        ([, at]) => at!,
      )
      const foreign = addresses.filter(
        (at) => !at.startsWith('/console') && !at.startsWith('#') && !at.startsWith('data:image/svg+xml,'),
      )
      expect({ path, foreign }).toEqual({ path, foreign: [] })
      expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=|style="/)
    }
  })

  test('texts of people and sources are escaped', async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\u202e${'x'.repeat(40)}`
    to(await ann.post(`${house.own}/settings`, { name: hostile }))
    const run = await startRun(ann, house, 'otter')
    const items = [
      { id: '1', title: '<script>alert(1)</script>', url: 'javascript:alert(1)' },
      { id: '2', title: '\u202eevil', url: 'https://example.org/"><script>' },
      { id: '3', title: 'y'.repeat(10_000), url: null },
    ]
    await house.service.finish(run, { items })
    for (const path of [house.own, `${house.own}/runs/${run}`, `${house.own}/settings`]) {
      const text = await ann.get(path)
      expect(text).not.toContain('<img')
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('href="javascript:')
      expect(text).not.toContain('x'.repeat(10_000))
    }
    const text = await ann.get(`${house.own}/runs/${run}`)
    expect(text).toContain('&#60;script&#62;alert(1)')
    // A name loses characters that would change the direction of the surrounding text.
    expect(await ann.get(`${house.own}/settings`)).not.toContain('\u202e')
    to(await ann.post(`${house.own}/settings`, { name: 'default' }))
  })
})

describe('the playground', () => {
  test('starts one run however often the form is sent, with the person as its actor', async () => {
    const key = crypto.randomUUID()
    const runs = await Promise.all([1, 2, 3].map(() => startRun(ann, house, 'otter', key)))
    expect(new Set(runs).size).toBe(1)
    const events = (await house.service.events()).filter(({ stream }) => stream === `run-${runs[0]}`)
    expect(events).toHaveLength(1)
    expect(events[0]!.meta.actor).toMatch(/^person:per_/)
    expect(events[0]!.event!.data).toMatchObject({ key_id: null, account_id: house.accountId })
    const page = await ann.get(`${house.own}/runs/${runs[0]}`)
    expect(page).toContain('Requested by a person')
    expect(page).toContain('data-live="')
  })

  test('starts another run from a form that a browser restored, once its input was changed', async () => {
    const key = crypto.randomUUID()
    expect(await startRun(ann, house, 'badger', key)).not.toBe(await startRun(ann, house, 'otter', key))
  })

  test('reads the form or the JSON, whichever button was pressed, and reports errors before anything is charged', async () => {
    const path = `${house.own}/tasks/sample.search`
    const before = await house.types()
    const bad = await ann.post(path, { 'in.query': '', json: '{"query":"ignored"}', by: 'form' })
    expect(bad.status).toBe(422)
    expect(await bad.text()).toContain('aria-invalid="true"')
    const broken = await ann.post(path, { json: '{"query"', by: 'json' })
    expect(broken.status).toBe(422)
    expect(await broken.text()).toContain('This is not a JSON object with at most 100 levels.')
    const unknown = await ann.post(path, { json: '{"query":"x","nonsense":1}', by: 'json' })
    expect(unknown.status).toBe(422)
    expect(await unknown.text()).toMatch(/id="json-error">\/nonsense is not a known field/)
    expect(await house.types()).toEqual(before)
    const both = { 'in.query': 'from the form', json: '{"query":"from json"}' }
    const inputOf = async (by: string) => ann.get(to(await ann.post(path, { ...both, by })))
    expect(await inputOf('json')).toContain('from json')
    expect(await inputOf('form')).toContain('from the form')
    const page = await ann.get(path)
    expect(page).toMatch(/value="json" formnovalidate>Run this JSON for/)
  })

  test('takes ids separated by commas, and says what is wrong with an input as a whole', async () => {
    const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
    const real = await startHouse({ deps: () => ({ catalogue }) })
    const who = await real.setUp()
    const nothing = await who.post(`${real.own}/tasks/video.channel.shorts`, {})
    expect(nothing.status).toBe(422)
    expect(await nothing.text()).toMatch(/role="alert">[^<]*channel_id[^<]*handle/)
    const ids = { 'in.query': 'jumper', 'in.brand_ids': '6,1' }
    to(await who.post(`${real.own}/tasks/marketplace.search.filtered`, ids))
    await real.close()
  })

  test('shows a refused input without growing it, and refuses one that is nested too deeply', async () => {
    const path = `${house.own}/tasks/sample.search`
    const nested = (levels: number, inner: string) =>
      `{"query":${'['.repeat(levels)}${inner}${']'.repeat(levels)}}`
    const large = nested(99, Array.from({ length: 20_000 }, () => 1).join())
    const answer = await ann.post(path, { json: large, by: 'json' })
    expect(answer.status).toBe(422)
    expect((await answer.text()).length).toBeLessThan(10 * large.length)
    for (const levels of [100, 50_000]) {
      const deep = await ann.post(path, { json: nested(levels, '1'), by: 'json' })
      expect(deep.status).toBe(422)
      expect(await deep.text()).toContain('with at most 100 levels')
    }
  })

  test('shows a call in which a quote of the path does not end the text around it', async () => {
    const json = JSON.stringify({ shelf: "o'b", limit: 0 })
    const page = await (await ann.post(`${house.own}/tasks/sample.shelf`, { json, by: 'json' })).text()
    expect(page.split('/v1/sample/c/o%27b/top')).toHaveLength(3)
    expect(page).not.toContain('/c/o&#39;b')
  })

  test('shows the price, and refuses a run with a message when the credits are short', async () => {
    const poor = await house.service.openAccount(0)
    const ben = await house.joins('owner', 'Poor', poor.accountId)
    const path = `/console/${poor.accountId}/tasks/sample.search`
    expect(await ben.get(path)).toMatch(/>Run for (from )?\d+ credits?<\/button>/)
    const answer = await ben.post(path, { 'in.query': 'x' })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('fewer credits')
  })
})

describe('a run', () => {
  test('shows its items, offers them as a download, and can be repeated with its input', async () => {
    const run = await startRun(ann, house, 'badger')
    await house.service.finish(run, { items: [{ id: '1' }, { id: '2' }] })
    const path = `${house.own}/runs/${run}`
    const page = await ann.get(path)
    expect(page).toContain('2 items')
    expect(page).not.toContain('data-live="')
    const csv = await ann.send(`${path}/download/csv`)
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${run}.csv"`)
    expect((await csv.text()).split('\r\n').length).toBe(4)
    expect(await ann.get(`${house.own}/tasks/sample.search?from=${run}`)).toContain('badger')
  })

  test('shows the fields of its result that are no items, which are all that some tasks return', async () => {
    const run = await startRun(ann, house, 'otter')
    await house.service.finish(run, { items: [], rest: { rules: [{ title: 'Be kind.' }] } })
    const page = await ann.get(`${house.own}/runs/${run}`)
    expect(page).toContain('<h2>Result</h2>')
    expect(page).toContain('Be kind.')
    expect(page).not.toContain('no items')
  })

  test('is cancelled by a person, and a second cancellation is harmless', async () => {
    const run = await startRun(ann, house, 'stoat')
    to(await ann.post(`${house.own}/runs/${run}/cancel`))
    expect(await ann.get(`${house.own}/runs/${run}`)).toContain('cancelled')
    to(await ann.post(`${house.own}/runs/${run}/cancel`))
    const ends = (await house.service.events()).filter(({ stream }) => stream === `run-${run}`)
    expect(ends.at(-1)).toMatchObject({
      type: 'RunCancelled',
      meta: { actor: expect.stringMatching(/^person:/) },
    })
  })

  test('says why it failed and what to do', async () => {
    const run = await startRun(ann, house, 'weasel')
    await house.service.finish(run, { status: 'failed', code: 'not-found', detail: 'no such <b>page</b>' })
    const page = await ann.get(`${house.own}/runs/${run}`)
    expect(page).toContain('No such &#60;b&#62;page')
    expect(page).toContain('Check the input and run it again.')
    expect(await ann.get(house.own)).toContain('Last failures')
  })

  test('shows the beginning and the end of a long event stream', async () => {
    const run = await startRun(ann, house, 'marathon')
    await house.service.start(run)
    const { commands } = house.service.deps
    for (let done = 0; done < 150; done++) {
      const command = {
        ...({ type: 'progress', attempt: 1, now: Date.now(), leaseS: 30 } as const),
        progress: { done, total: null, message: null },
      } as const
      await commands.handle(run as never, command, { causationId: 'test', now: Date.now() })
    }
    const page = await ann.get(`${house.own}/runs/${run}`)
    expect(page).toContain('72 more events')
    expect(page).toContain('149 items')
  })

  test('lists are filtered by the query of the address', async () => {
    const all = await ann.get(`${house.own}/runs`)
    const cancelled = await ann.get(`${house.own}/runs?status=cancelled`)
    const rows = (text: string) => [...text.matchAll(/id="row-run_/g)].length
    expect(rows(cancelled)).toBeGreaterThan(0)
    expect(rows(cancelled)).toBeLessThan(rows(all))
    expect(rows(await ann.get(`${house.own}/runs?status=canceled`))).toBe(rows(cancelled))
    expect(await ann.get(`${house.own}/runs?status=nonsense`)).toContain('id="row-run_')
    expect(await ann.get(`${house.own}/runs?to=2001-01-01`)).toContain('No run matches')
    expect(await ann.get(`${house.own}/runs?task_key=sample.search&from=2001-01-01`)).toContain(
      'id="row-run_',
    )
  })
})

describe('keys', () => {
  test('are shown once and can be revoked', async () => {
    const answer = await ann.submit(`${house.own}/keys`, { name: 'nightly', scopes: ['runs', 'events'] })
    const key = /gln_\w+_\w{6}/.exec(answer)![0]
    expect((await house.service.send('/v1/account', { key })).status).toBe(200)
    const page = await ann.get(`${house.own}/keys`)
    expect(page).not.toContain(key)
    expect(page).toContain('nightly')
    const [, key_id] = /name="key_id" value="(key_\w+)"/.exec(page)!
    to(await ann.post(`${house.own}/keys/revoke`, { key_id: key_id! }))
    expect((await house.service.send('/v1/account', { key })).status).toBe(401)
  })
})

describe('the operator', () => {
  test('opens one account and grants credits once, however often a form is sent', async () => {
    const twice = async (path: string, values: Record<string, string>) => {
      const fields = { ...values, idempotency_key: crypto.randomUUID() }
      const answers = await Promise.all([ann.post(path, fields), ann.post(path, fields)])
      return new Set(answers.map(to))
    }
    const opened = [...(await twice('/console/operator/accounts', { name: 'Twice', credits: '5' }))]
    expect(opened).toHaveLength(1)
    await twice(`${opened[0]}/grant`, { amount: '10', reason: 'invoice 17' })
    expect(await house.service.deps.accounts.state(idIn(opened[0]!) as never)).toMatchObject({ balance: 15 })
    const page = await ann.get(opened[0]!)
    expect(page).toMatch(
      /action="[^"]+\/grant"[^>]*><input type="hidden" name="idempotency_key" value="[^"]+"/,
    )
  })

  test('opens an account, grants, limits, suspends, and invites its first owner', async () => {
    const path = to(await ann.post('/console/operator/accounts', { name: 'Team <Otter>', credits: '5' }))
    expect(await ann.get(path)).toContain('Team &#60;Otter&#62;')
    to(await ann.post(`${path}/grant`, { amount: '10', reason: 'invoice 17' }))
    const refused = async (form: string, values: Record<string, string>) => {
      const response = await ann.post(`${path}/${form}`, values)
      expect(response.status).toBe(422)
      return response.text()
    }
    expect(await refused('grant', { amount: '-1', reason: 'invoice 18' })).toContain('value="invoice 18"')
    to(await ann.post(`${path}/entitle`, { tasks: 'sample.*', concurrent_runs: '2' }))
    expect(await refused('entitle', { tasks: '<script>', concurrent_runs: '7' })).toMatch(
      /&#60;script&#62;<\/textarea>[\s\S]*value="7"/,
    )
    expect(await refused('invite', { email: 'otter', role: 'viewer' })).toMatch(
      /value="otter"[\s\S]*<option value="viewer" selected>/,
    )
    to(await ann.post(`${path}/suspend`, { suspended: 'true' }))
    const state = await house.service.deps.accounts.state(idIn(path) as never)
    expect(state).toMatchObject({
      balance: 15,
      tasks: ['sample.*'],
      suspended: true,
      limits: { concurrent_runs: 2 },
    })
    const invited = await ann.submit(`${path}/invite`, { email: 'otter@example.org', role: 'owner' })
    const link = /http:\/\/127\.0\.0\.1:3000\/console\/invitations\/[\w-]{43}/.exec(invited)![0]
    const otter = await house.enters(link, 'Otter')
    expect(await otter.get(`/console/${idIn(path)}`)).toContain('suspended this account')
    expect(await ann.get('/console/operator/people')).toContain('otter@example.org')
  })

  test('sees the processes of each source on this node by state, and the runs in them', async () => {
    const section = async () => {
      const page = await ann.get('/console/operator/sources')
      return page
        .slice(page.indexOf('<h2>Processes</h2>'))
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
    }
    processes = undefined
    expect(await section()).toContain('This node has no role worker : it executes no runs.')
    processes = []
    expect(await section()).toContain('No source has a process')
    processes = [
      { source: 'zebra', state: 'starting', processes: 1, runs: 0 },
      { source: 'sample', state: 'accepting', processes: 2, runs: 40 },
      { source: 'sample', state: 'draining', processes: 3, runs: 5 },
    ]
    expect(await section()).toMatch(
      /Source Starting Accepting Draining Runs Sample[^0-9]* 0 2 3 45 zebra 1 0 0 0 /,
    )
  })
})

describe('a form of the operator', () => {
  const opened = async () => to(await ann.post('/console/operator/accounts', { name: 'Team', credits: '5' }))
  const stateOf = (path: string) => house.service.deps.accounts.state(idIn(path) as never)

  test('grants once however often it is sent, and again when the page was shown again', async () => {
    const path = await opened()
    for (const balance of [15, 25]) {
      const idempotency_key = /name="idempotency_key" value="([^"]+)"/.exec(await ann.get(path))?.[1] ?? ''
      const sent = [1, 2, 3].map(() =>
        ann.post(`${path}/grant`, { amount: '10', reason: 'invoice 17', idempotency_key }),
      )
      for (const answer of await Promise.all(sent)) expect(to(answer)).toBe(path)
      expect(await stateOf(path)).toMatchObject({ balance })
    }
  })

  test('takes the tasks and reasons that the API takes, and no others', async () => {
    const path = await opened()
    to(await ann.post(`${path}/entitle`, { tasks: 'photo.profile-download\nforum.*' }))
    expect((await stateOf(path)).tasks).toEqual(['photo.profile-download', 'forum.*'])
    const refused = [
      await ann.post(`${path}/entitle`, { tasks: 'forum.*\n'.repeat(201) }),
      await ann.post(`${path}/entitle`, { tasks: 'a'.repeat(101) }),
      await ann.post(`${path}/grant`, { amount: '1', reason: 'a'.repeat(201) }),
      await ann.post(`${path}/grant`, { amount: '1', reason: 'a\u0007b' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect(await refused[2]!.text()).toContain('1 to 200 characters')
    expect(await refused[3]!.text()).toContain('control characters')
    expect(await stateOf(path)).toMatchObject({ balance: 5, tasks: ['photo.profile-download', 'forum.*'] })
  })
})

describe('the own profile', () => {
  test('cannot be deleted by the last owner of an account, but by another owner, and the address is forgotten', async () => {
    const own = await house.service.openAccount()
    const owner = await house.joins('owner', 'Lena', own.accountId)
    const refused = await owner.post('/console/me/delete')
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('last owner')
    const second = await house.joins('owner', 'Lars', own.accountId)
    expect(to(await owner.post('/console/me/delete'))).toBe('/console/sign-in')
    expect((await owner.send('/console/me')).status).toBe(303)
    expect(await house.rooms.people.idOf('lena@example.org')).toBeUndefined()
    expect(await second.get(`/console/${own.accountId}/members`)).not.toContain('lena@example.org')
  })

  test('lists the sessions, a new password ends the other ones, and it cannot be guessed without limit', async () => {
    await house.joins('member', 'Sam')
    const signedIn = async () => {
      const who = house.visitor()
      to(await who.post('/console/sign-in', { email: 'sam@example.org', password: 'correct horse battery' }))
      return who
    }
    const [one, two] = [await signedIn(), await signedIn()]
    const page = await one.get('/console/me')
    expect([...page.matchAll(/name="id" value="[0-9a-f]{64}"/g)].length).toBe(3)
    const fields = { current: 'correct horse battery', password: 'another good password' }
    to(await one.post('/console/me/password', fields))
    const guesses = Array.from({ length: 12 }, () =>
      one.post('/console/me/password', { ...fields, current: 'x' }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(6)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(6)
    expect(await one.get('/console/me')).toContain('Your profile')
    expect((await two.send('/console/me')).status).toBe(303)
  })
})
