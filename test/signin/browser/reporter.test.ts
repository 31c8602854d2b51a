/** Events about a page are limited to a rate that a person can read, whatever the scripts of the page do. */
import { expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import type { CDPSession, Page } from 'rebrowser-playwright'
import { Notices } from '../../../src/signin/browser/notices.ts'
import { Reporter } from '../../../src/signin/browser/reporter.ts'
import type { SignInEvent } from '../../../src/signin/browser/types.ts'

/** A reporter on a fake page that can navigate without a browser. Reads of its content never resolve. */
function reporterOf() {
  const frame = {}
  let url = 'https://example.com/'
  const page = Object.assign(new EventEmitter(), { mainFrame: () => frame, url: () => url })
  const session = Object.assign(new EventEmitter(), { send: () => new Promise<never>(() => {}) })
  const events: SignInEvent[] = []
  const reporter = new Reporter({
    page: page as unknown as Page,
    session: session as unknown as CDPSession,
    frameId: 'main',
    notices: new Notices(() => {}),
    tell: (event) => events.push(event),
    onFailure: (error) => {
      throw error
    },
  })
  return {
    reporter,
    events,
    goTo(path: string) {
      url = `https://example.com/${path}`
      page.emit('framenavigated', frame)
    },
    loads: (loading: boolean) =>
      session.emit(loading ? 'Page.frameStartedLoading' : 'Page.frameStoppedLoading', { frameId: 'main' }),
  }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((go) => setTimeout(go, 5))
}

test('of 1000 address changes, the first is reported at once and the last one later', async () => {
  const { events, goTo, reporter } = reporterOf()
  for (let n = 1; n <= 1000; n++) goTo(String(n))
  expect(events).toEqual([{ type: 'address', url: 'https://example.com/1', title: '' }])
  await until(() => events.length > 1)
  expect(events.slice(1)).toEqual([{ type: 'address', url: 'https://example.com/1000', title: '' }])
  reporter.stop()
})

test('of 2000 changes of the loading state, the first and the last are reported', async () => {
  const { events, loads, reporter } = reporterOf()
  for (let n = 1; n <= 1000; n++) {
    loads(true)
    loads(false)
  }
  await until(() => events.length > 1)
  expect(events).toEqual([
    { type: 'loading', loading: true },
    { type: 'loading', loading: false },
  ])
  reporter.stop()
})

test('a pending event is reported on stop, and nothing is reported afterwards', async () => {
  const { events, goTo, reporter } = reporterOf()
  goTo('1')
  goTo('2')
  reporter.stop()
  const paths = () => events.map((event) => event.type === 'address' && new URL(event.url).pathname)
  expect(paths()).toEqual(['/1', '/2'])
  goTo('3')
  await new Promise((go) => setTimeout(go, 300))
  expect(paths()).toEqual(['/1', '/2'])
})
