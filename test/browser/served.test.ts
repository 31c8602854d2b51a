/**
 * The pages of a signed-in run: each starts with the state that the previous one left, their changes are reported once,
 * and plugins cannot read the state.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { PageCall } from '../../src/browser/host/page-calls.ts'
import { ServedPages } from '../../src/browser/host/served-pages.ts'
import { cookiesIn, withChanges } from '../../src/browser/page/state-changes.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { renderersOf } from './processes.ts'
import { site, startWeb } from './web.ts'

const { web, browsers } = startWeb()
web.pages = {
  '*/': (response, request) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(request.headers.cookie ?? 'nobody'),
  '*/rotate': (response) => response.writeHead(200, { 'set-cookie': 'session=2; HttpOnly' }).end(''),
}

const cookie = (name: string, value: string) => ({
  name,
  value,
  domain: 'www.site.example',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Lax' as const,
})
const STATE = JSON.stringify({ cookies: [cookie('session', '1'), cookie('other', '1')], origins: [] })

const pagesWith = (state?: string, lost: unknown[] = []) =>
  new ServedPages(browsers, site, { ...(state ? { state } : {}), onLost: (error) => lost.push(error) })
const answerTo = async (pages: ServedPages, id: number, call: PageCall) => {
  const answer = await pages.answer(id, call)
  if ('fault' in answer) throw new Error(answer.fault.message)
  return answer.value
}
const open = (pages: ServedPages, id: number, more: object = {}) =>
  answerTo(pages, id, { method: 'open', options: {}, ...more })
const goto = (pages: ServedPages, id: number, path: string) =>
  answerTo(pages, id, { method: 'goto', args: [path] })
const evaluate = (pages: ServedPages, id: number, expression: string) =>
  answerTo(pages, id, { method: 'evaluate', args: [expression] })

/** The cookies by which the site identifies the page. */
async function who(pages: ServedPages, id: number): Promise<unknown> {
  await goto(pages, id, '/')
  return evaluate(pages, id, 'document.body.innerText')
}

describe.skipIf(!hasBrowser)('the pages of a signed-in run', () => {
  test('start with its state, and a further page with what the previous one left', async () => {
    const pages = pagesWith(STATE)
    await open(pages, 1)
    expect(await who(pages, 1)).toBe('session=1; other=1')
    await goto(pages, 1, '/rotate')
    await evaluate(pages, 1, "localStorage.left = 'here'")
    await open(pages, 2)
    expect(await who(pages, 2)).toBe('other=1; session=2')
    expect(await evaluate(pages, 2, 'localStorage.left')).toBe('here')
    const state = withChanges(STATE, (await pages.leave()).changes)
    expect(Object.fromEntries(cookiesIn(state).map(({ name, value }) => [name, value]))).toEqual({
      session: '2',
      other: '1',
    })
    expect(JSON.parse(state).origins[0].localStorage).toEqual([{ name: 'left', value: 'here' }])
    await pages.close()
  })

  test('take over newer cookies, which do not count as their changes', async () => {
    const pages = pagesWith(STATE)
    await open(pages, 1, { cookies: [cookie('session', '3')] })
    expect(await who(pages, 1)).toBe('session=3; other=1')
    expect((await pages.leave()).changes).toEqual([])
    await pages.close()
  })

  test('whose renderer was killed report a lost state and no changes', async () => {
    const lost: unknown[] = []
    const pages = pagesWith(STATE, lost)
    const before = renderersOf(process.pid)
    await open(pages, 1)
    await goto(pages, 1, '/rotate')
    const own = renderersOf(process.pid).filter((pid) => !before.includes(pid))
    for (const pid of own) process.kill(pid, 'SIGKILL')
    await pages.answer(1, { method: 'wait', args: ['#never'] })
    expect((await pages.leave()).changes).toEqual([])
    expect(lost).toHaveLength(1)
    await pages.close()
  })

  test('in an endless loop do not block the end of the run', async () => {
    const pages = pagesWith(STATE)
    await open(pages, 1)
    await goto(pages, 1, '/')
    void pages.answer(1, { method: 'evaluate', args: ['(() => { for (;;); })()'] })
    expect((await pages.leave()).changes).toEqual([])
    await pages.close()
  })

  test('that changed nothing report no changes, and expose neither their state nor HttpOnly cookies', async () => {
    const pages = pagesWith(STATE)
    await open(pages, 1)
    await goto(pages, 1, '/')
    for (const method of ['state', 'end', 'constructor', 'options'])
      expect(await pages.answer(1, { method, args: [] } as never)).toMatchObject({ fault: { type: true } })
    expect(await evaluate(pages, 1, 'document.cookie')).toBe('')
    expect((await pages.leave()).changes).toEqual([])
    await pages.close()
    expect((await pagesWith(STATE).leave()).changes).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the pages of a run without a login', () => {
  test('start empty, one after the other, and report no changes', async () => {
    const pages = pagesWith()
    await open(pages, 1)
    await goto(pages, 1, '/rotate')
    await open(pages, 2, { cookies: [cookie('session', '3')] })
    expect(await who(pages, 2)).toBe('nobody')
    expect((await pages.leave()).changes).toEqual([])
    await pages.close()
  })
})
