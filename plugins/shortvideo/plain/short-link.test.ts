/** Short links are read from their redirect, never from the page behind it. */
import { expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { comments } from '../comments/task.ts'
import { CHALLENGE, commentList, commentsAt, idOf } from '../fixtures/sample.ts'
import source from '../source.ts'

const LINK = 'https://vm.tiktok.com/ZMlamp01/'
const leads = (location: string, request = LINK): Exchange => ({
  request,
  status: 301,
  headers: { location },
})
const list = commentsAt(0, commentList([1], 20), `&aweme_id=${idOf(1)}`)
const run = (url: string, ...exchanges: Exchange[]) => runTask(comments, { url }, { source, exchanges })

test.each([
  ['https://vm.tiktok.com/ZMlamp01/', `https://www.tiktok.com/@lamps/video/${idOf(1)}?_t=8&_r=1`],
  ['https://vt.tiktok.com/ZSlamp01', `https://www.tiktok.com/@lamps/photo/${idOf(1)}`],
  ['https://www.tiktok.com/t/ZTlamp01/', `/@lamps/video/${idOf(1)}`],
  ['https://vm.tiktok.com/ZMlamp01/', `https://m.tiktok.com/v/${idOf(1)}.html?share_id=1`],
])('%s leads to the post at %s', async (link, location) => {
  const { items, rest, requests } = await run(link, leads(location, link), list)
  expect([items.length, rest.video_id, requests.length]).toEqual([1, idOf(1), 2])
})

test('a link may lead to another short link', async () => {
  const second = 'https://www.tiktok.com/t/ZTlamp02/'
  const { items } = await run(LINK, leads(second), leads(`/@a/video/${idOf(1)}`, second), list)
  expect(items).toHaveLength(1)
})

test.each<[string, Exchange, string]>([
  ['the home page', leads('https://www.tiktok.com/?_r=1'), 'not-found'],
  ['an account', leads('https://www.tiktok.com/@lamps'), 'not-found'],
  ['the sign-in page', leads('https://www.tiktok.com/login?redirect_url=x'), 'source-login-required'],
  ['another site', leads('https://lamps.example/'), 'source-redirected'],
  ['nothing', { request: LINK, status: 404, body: 'no such link' }, 'not-found'],
  ['a refusal', { request: LINK, status: 400, body: 'x' }, 'source-changed'],
  ['a script challenge', { request: LINK, body: CHALLENGE }, 'source-blocked'],
  ['a page', { request: LINK, body: '<html><title>TikTok</title>' }, 'source-changed'],
])('a link to %s ends the run with its code', async (_, exchange, code) => {
  const { error, requests } = await run(LINK, exchange)
  expect([error?.code as string, requests.length]).toEqual([code, 1])
})

test('links that lead to each other end the run', async () => {
  const { error } = await run(LINK, { ...leads(LINK), repeats: true })
  expect(error?.code).toBe('not-found')
})
