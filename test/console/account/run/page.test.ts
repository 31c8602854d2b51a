/** The page of a run: who, how long, what failed and what helps, and running it again by one click. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import { answerText } from '../../../../src/console/account/run/failure.ts'
import type { RunId } from '../../../../src/domain/ids.ts'
import { Collected } from '../../../../src/worker/collected.ts'
import { type House, idIn, startHouse, startRun, to, type Visitor } from '../../house.ts'

const PLUGINS = ['plugins', 'login-plugins'].map((name) => join(import.meta.dirname, '../../../http', name))
let house: House
let ann: Visitor
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: PLUGINS, config: readConfig({}) })
  house = await startHouse({ deps: () => ({ catalogue }) })
  ann = await house.setUp()
})
afterAll(() => house.close())

const text = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const pathOf = (run: string) => `${house.own}/runs/${run}`
const page = (run: string, who = ann) => who.get(pathOf(run))
const key = () => crypto.randomUUID()
/** A run of the task whose login is optional. */
const startWithLogin = async (query = 'otter') =>
  idIn(
    to(await ann.post(`${house.own}/tasks/members.profile`, { json: JSON.stringify({ query }), by: 'json' })),
  )

describe('the head', () => {
  test('names run and task, in the tab with the state', async () => {
    const run = await startRun(ann, house, 'desk lamp')
    expect(await page(run)).toContain('<title>… desk lamp · Search · Gleaner</title>')
    await house.service.finish(run)
    const after = await page(run)
    expect(after).toContain('<title>✓ desk lamp · Search · Gleaner</title>')
    expect(after).toContain('<h1>desk lamp</h1>')
    expect(text(after)).toContain('Started by Ann')
  })
  test('of a run that works has a bar where the total is known, its limit, and a way to refresh without scripts', async () => {
    const run = await startRun(ann, house, 'bar')
    await house.service.start(run)
    const progress = { done: 3, total: 12, message: null }
    const command = { type: 'progress', attempt: 1, now: Date.now(), leaseS: 30, progress } as const
    await house.service.deps.commands.handle(run as never, command, { causationId: 'test', now: Date.now() })
    const shown = await page(run)
    expect(shown).toContain('<progress value="3" max="12" aria-label="Progress">')
    expect(text(shown)).toMatch(/Running 1 s .*Ends at the latest \d{4}/)
    expect(shown).toContain(`<noscript><p><a class="button quiet" href="${pathOf(run)}">Refresh</a>`)
    await house.service.finish(run)
    expect(await page(run)).not.toContain('Refresh')
  })
  test('says how long the run waited, and which attempt it is', async () => {
    const { clock, deps } = house.service
    const run = await startRun(ann, house, 'waits')
    clock.offset += 72_000
    await house.service.start(run)
    clock.offset += 400_000
    const tick = { type: 'tick', now: deps.now(), leaseS: 30 } as const
    await deps.commands.handle(
      run as never,
      { ...tick, now: deps.now() - 350_000 },
      { causationId: 'test', now: deps.now() },
    )
    clock.offset -= 400_000
    await house.service.start(run)
    const shown = text(await page(run))
    clock.offset -= 72_000
    expect(shown).toContain('Waited 1 min 12 s')
    expect(shown).toContain('Attempt 2 of at most 3')
    expect(shown).toContain('Back in the queue: its worker was lost')
  })
  test('a hostile title stays text in heading and tab', async () => {
    const run = await startRun(ann, house, '</title><script>alert(1)</script>')
    const shown = await page(run)
    expect(shown).not.toContain('<script>alert')
    expect(shown.match(/<\/title>/g)).toHaveLength(1)
  })
})

describe('the end', () => {
  test('of a cancelled run says who cancelled it, and what came back', async () => {
    const queued = await startRun(ann, house, 'cancelled at once')
    const mel = await house.joins('member', 'Max')
    await mel.post(`${pathOf(queued)}/cancel`)
    expect(text(await page(queued))).toContain('Cancelled by Max . 1 credit was refunded.')
    const working = await startRun(ann, house, 'cancelled while it works')
    await house.service.start(working)
    await mel.post(`${pathOf(working)}/cancel`)
    expect(text(await page(working))).toContain('Cancelled by Max . The run ends within 10 seconds.')
    await house.service.finish(working, { items: [{ id: '1' }] })
    const shown = text(await page(working))
    expect(shown).toContain('Cancelled by Max . 1 credit was refunded.')
    expect(shown).toContain('The run was cancelled. These are the items until then.')
  })
  test('says until when input and result are kept; then both and the title are gone at once', async () => {
    const { clock } = house.service
    const run = await startRun(ann, house, 'secret words')
    await house.service.finish(run, { items: [{ id: '1' }] })
    expect(text(await page(run))).toMatch(/Kept until \d{4}-\d\d-\d\d/)
    clock.offset += 30 * 86_400_000 + 1000
    const late = await house.joins('member', 'Lea')
    const pages = await Promise.all(
      [pathOf(run), `${house.own}/runs`, `${house.own}/tasks/sample.search?from=${run}`].map((path) =>
        late.get(path),
      ),
    )
    const gone = await late.send(`${pathOf(run)}/items/1`)
    const item = text(await gone.text())
    clock.offset -= 30 * 86_400_000 + 1000
    for (const shown of pages) expect(shown).not.toContain('secret words')
    expect(text(pages[0]!)).toMatch(/Search · input expired .*Expired \d{4}.*The input has expired\./)
    expect(text(pages[1]!)).toContain('Search · input expired')
    expect(gone.status).toBe(404)
    expect(item).toMatch(/No item 1 The result of this run expired on \d{4}/)
  })
})

test('the items of a run that works are counted as its table counts them', async () => {
  const id = await startRun(ann, house, 'two counts')
  const { runId, accountId, attempt } = await house.service.start(id)
  const progress = { done: 1, total: null, message: 'things read, paused by the site' }
  const command = { type: 'progress', attempt: 1, now: Date.now(), leaseS: 30, progress } as const
  await house.service.deps.commands.handle(runId as never, command, { causationId: 'test', now: Date.now() })
  expect(text(await page(id))).toContain('So far 1 things read, paused by the site')
  const collected = new Collected()
  collected.add({ text: '{"id":"1"},{"id":"2"}', count: 2 })
  house.stores.liveItems.share({ runId: runId as RunId, accountId, attempt }, collected)
  expect(text(await page(id)).split('What happened')[0]).toContain('So far 2 items, paused by the site')
  expect(text(await page(id)).split('What happened')[0]).not.toContain('1 things')
})

test('marks that turn text reach neither the title of a run nor that of its tab', async () => {
  const api = await house.service.newKey(house.accountId, ['runs'])
  const start = async (title: string) => {
    const body = { query: 'photo', _run: { title } }
    return (await (await house.service.post('/v1/sample/search', api, body)).json()) as Record<string, string>
  }
  const turned = await start('photo\u202egnp.exe')
  expect(turned.title).toBe('photognp.exe')
  expect(await page(turned.run_id!)).not.toContain('\u202e')
  expect((await start('\u202e\u2066')).title).toBe('photo')
})

describe('what happened', () => {
  test('has the time since the event before, a bar on one scale, and a link to each event', async () => {
    const { clock } = house.service
    const run = await startRun(ann, house, 'story')
    clock.offset += 5000
    await house.service.start(run)
    clock.offset += 15_000
    await house.service.finish(run)
    clock.offset -= 20_000
    const shown = await page(run)
    expect(text(shown)).toMatch(/Requested by Ann .*\+(5|5\.\d) s Started by a worker .*\+(15|15\.\d) s/)
    expect(shown).toMatch(/<li id="event-([^"]+)"><div class="moment"><a href="#event-\1">/)
    expect(shown).toMatch(/<rect x="0%" width="2[45](\.\d)?%"/)
    expect(shown).not.toContain('style=')
  })
})

describe('run again', () => {
  test('takes one click and one charge, with the input and the title that the run had', async () => {
    const api = await house.service.newKey(house.accountId, ['runs'])
    const answer = await house.service.post('/v1/sample/search', api, {
      query: 'x',
      _run: { title: 'My own title' },
    })
    const { run_id: run } = (await answer.json()) as { run_id: string }
    await house.service.finish(run)
    const before = await page(run)
    expect(text(before)).toContain('Run again with this input (1 credit)')
    const [, sent = ''] =
      /action="[^"]+\/again"[^>]*><input type="hidden" name="idempotency_key" value="([^"]+)"/.exec(before)!
    const fields = { idempotency_key: sent }
    const [one, two] = (await Promise.all([1, 2].map(() => ann.post(`${pathOf(run)}/again`, fields)))).map(to)
    expect(one).toBe(two!)
    expect(one).not.toBe(pathOf(run))
    const next = await ann.get(one!)
    expect(next).toContain('<h1>My own title</h1>')
    const charges = (await house.service.events()).filter(
      ({ type, event }) => type === 'CreditsCharged' && JSON.stringify(event).includes(idIn(one!)),
    )
    expect(charges).toHaveLength(1)
  })
  test('says on the page why it is not possible', async () => {
    const run = await startRun(ann, house, 'soon gone')
    await house.service.finish(run)
    await house.service.deps.artifacts.sweep(Date.now() + 400 * 86_400_000)
    const shown = await ann.submit(`${pathOf(run)}/again`, { idempotency_key: key() })
    expect(text(shown)).toContain('This run cannot be started again: its input is no longer stored.')
  })
})

describe('the card of a failure', () => {
  const LOST = { status: 'failed', code: 'source-login-required' } as const
  test('quotes what the run reported, as text, without advice for programs, and no empty items', async () => {
    const run = await startRun(ann, house, 'quoted')
    const detail = '403: <b>login</b>. Send the request again, with a new Idempotency-Key or none: it runs.'
    await house.service.finish(run, { ...LOST, detail })
    const shown = await page(run)
    expect(shown).toContain(
      '<blockquote tabindex="0"><bdi>403: &#60;b&#62;login&#60;/b&#62;.</bdi></blockquote>',
    )
    expect(shown).not.toContain('Idempotency-Key')
    expect(text(shown)).toContain('There is no sign-in for')
    for (const words of ['Items', 'returned no items', 'next_cursor', 'Result as JSON'])
      expect({ words, isShown: text(shown).includes(words) }).toEqual({ words, isShown: false })
  })
  test.each([
    ['404: no message', 'The site answered 404'],
    ['status 10205: no message', 'The site answered 10205'],
    ['404: gone', '404: gone'],
    ['part: 404: no message', 'part: 404: no message'],
  ])('%s is told as %s', (detail, expected) => expect(answerText(detail)).toBe(expected))
  test('offers to sign in, comes back to the run, and then offers to run it again', async () => {
    const run = await startWithLogin()
    await house.service.finish(run, LOST)
    const before = await page(run)
    expect(text(before)).toContain('Members shows this only to people who are signed in.')
    expect(text(before)).toContain('Sign in at Members')
    expect(text(before)).not.toMatch(/sign in [^.]*again/i)
    const hosted = to(await ann.post(`${pathOf(run)}/sign-in`, { idempotency_key: key() }))
    expect(await ann.get(hosted)).toContain(`href="${pathOf(run)}">Back to the console</a>`)
    const { logins, now } = house.service.deps
    const cause = { correlationId: 'test', causationId: 'test', now: now() }
    const state = { ref: 'login/x', validUntil: null, startedAt: now() }
    await logins.complete(house.accountId, 'members', state, cause)
    const after = text(await page(run))
    expect(after).toContain('The account is signed in at Members now. Run it again.')
    expect(after).toContain('Run again with this input (5 credits)')
    expect(after).not.toContain('Sign in at Members')
    await logins.delete(house.accountId, 'members', cause)
  })
  test('tells an operator what they can do, and never to ask the operator', async () => {
    const run = await startRun(ann, house, 'broken')
    await house.service.finish(run, { status: 'errored', code: 'defect' })
    const operator = await page(run)
    expect(text(operator)).toContain('Operators: the log of this server has the error and its stack')
    expect(operator).toContain('href="/console/operator/sources/sample"')
    const refused = await startRun(ann, house, 'refused')
    await house.service.finish(refused, { status: 'failed', code: 'source-blocked' })
    expect(text(await page(refused))).toContain('another way out ( SOURCE_SAMPLE_PROXY )')
    expect(text(operator)).not.toMatch(/tell the operator/i)
    const member = await page(run, await house.joins('member', 'Mel'))
    expect(text(member)).toContain('tell the operator of this instance')
    expect(member).not.toContain('/console/operator/')
  })
  test('shows a viewer no buttons', async () => {
    const run = await startRun(ann, house, 'seen')
    await house.service.finish(run, { status: 'failed', code: 'source-unavailable' })
    const shown = await page(run, await house.joins('viewer', 'Vic'))
    expect(text(shown)).toContain('Try again in a few minutes.')
    expect(shown.split('<main')[1]).not.toContain('<form')
  })
})
