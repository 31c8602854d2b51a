import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { BROWSE, type Input, RESOLVE, run, sentOf } from '../fixtures/run.ts'
import { CHANNEL, lockup, shortsPage } from '../fixtures/sample.ts'

describe('the channel', () => {
  const channelAnswer = { endpoint: { browseEndpoint: { browseId: CHANNEL } } }
  const resolve = (input: Input, ...answers: readonly unknown[]) =>
    run(input, [
      ...answers.map((json) => ({ request: RESOLVE, json })),
      { request: BROWSE, json: shortsPage([lockup('a')]) },
    ])

  test.each<[Input, string]>([
    [{ handle: '@made' }, 'https://www.youtube.com/@made'],
    [{ handle: 'made.up-1_2' }, 'https://www.youtube.com/@made.up-1_2'],
    [{ handle: '@mäde' }, 'https://www.youtube.com/@mäde'],
    [{ channel_url: 'https://www.youtube.com/@made' }, 'https://www.youtube.com/@made'],
    [{ channel_url: 'http://m.youtube.com/@m%C3%A4de/shorts?view=0' }, 'https://www.youtube.com/@mäde'],
    [{ channel_url: 'https://youtube.com/c/made/videos' }, 'https://www.youtube.com/c/made'],
    [{ channel_url: 'https://www.youtube.com/user/made/featured/' }, 'https://www.youtube.com/user/made'],
    [{ channel_url: 'https://www.youtube.com/made#x' }, 'https://www.youtube.com/made'],
  ])('%j is looked up as %s', async (input, url) => {
    const { requests, error } = await resolve(input, channelAnswer)
    expect(error).toBeNull()
    expect(sentOf(requests[0]).url).toBe(url)
    expect(sentOf(requests[1]).browseId).toBe(CHANNEL)
  })

  test.each<[Input]>([
    [{ channel_id: CHANNEL }],
    [{ channel_url: `https://www.youtube.com/channel/${CHANNEL}/shorts` }],
  ])('%j needs no look-up', async (input) => {
    const { requests } = await resolve(input)
    expect([requests.length, sentOf(requests[0]).browseId]).toEqual([1, CHANNEL])
  })

  test('a look-up that leads to another URL is followed only within the site', async () => {
    const onward = (url: string) => ({ endpoint: { urlEndpoint: { url } } })
    const { requests } = await resolve(
      { handle: 'old' },
      onward('https://www.youtube.com/@new'),
      channelAnswer,
    )
    expect(sentOf(requests[1]).url).toBe('https://www.youtube.com/@new')
    expect((await resolve({ handle: 'old' }, onward('https://evil.example/@new'))).error?.code).toBe(
      'bad-input',
    )
    const circle = Array(3).fill(onward('https://www.youtube.com/@old'))
    expect((await resolve({ handle: 'old' }, ...circle)).error?.code).toBe('bad-input')
  })

  test.each<[string, Exchange, SourceErrorCode, string]>([
    [
      'an unknown handle',
      { request: RESOLVE, status: 404, json: { error: { status: 'NOT_FOUND', message: 'Nothing here.' } } },
      'not-found',
      'NOT_FOUND: Nothing here.',
    ],
    [
      'the URL of a video',
      { request: RESOLVE, json: { endpoint: { watchEndpoint: {} } } },
      'bad-input',
      'the address is not that of a channel',
    ],
  ])('%s', async (_, exchange, code, words) => {
    const { error, requests } = await run({ handle: 'made' }, [exchange])
    expect([error?.code, error?.message, requests.length]).toEqual([code, words, 1])
  })
})

describe('an input that is refused before any request', () => {
  const one = 'exactly one of channel_id, channel_url, handle'
  test.each<[string, Input, string]>([
    ['none', {}, ''],
    ['an id and a handle', { channel_id: CHANNEL, handle: 'a' }, '/handle'],
    ['a URL and a handle', { channel_url: 'https://www.youtube.com/@a', handle: 'a' }, '/handle'],
  ])('%s', async (_, input, pointer) => {
    const { issues, requests } = await run(input, [])
    expect([issues.map((issue) => issue.pointer), requests.length]).toEqual([[pointer], 0])
    expect(issues[0]?.detail).toContain(one)
  })

  test('all three', async () => {
    const input = { channel_id: CHANNEL, channel_url: 'https://www.youtube.com/@a', handle: 'a' }
    expect((await run(input, [])).issues.map(({ pointer }) => pointer)).toEqual(['/channel_url', '/handle'])
  })

  test.each<[string, Input]>([
    ['/channel_id', { channel_id: 'UCshort' }],
    ['/channel_id', { channel_id: `XX${'a'.repeat(22)}` }],
    ['/channel_id', { channel_id: `${CHANNEL}/..` }],
    ['/handle', { handle: '' }],
    ['/handle', { handle: '@' }],
    ['/handle', { handle: '@@made' }],
    ['/handle', { handle: 'a/b' }],
    ['/handle', { handle: 'a b' }],
    ['/handle', { handle: 'a?b' }],
    ['/handle', { handle: 'a%2Fb' }],
    ['/pages', { handle: 'a', pages: 0 }],
    ['/pages', { handle: 'a', pages: 21 }],
    ['/pages', { handle: 'a', pages: 1.5 }],
    ['/sort', { handle: 'a', sort: 'best' as never }],
  ])('%s in %j', async (pointer, input) => {
    const { issues, requests } = await run(input, [])
    expect([issues.map((issue) => issue.pointer), requests.length]).toEqual([[pointer], 0])
  })

  test.each([
    'https://youtube.com.evil.example/@made',
    'https://evilyoutube.com/@made',
    'https://www.youtube.com.evil.example/@made',
    'https://www.yоutube.com/@made',
    'https://www.youtube。com/@made',
    'https://user:pass@www.youtube.com/@made',
    'https://www.youtube.com@evil.example/@made',
    'https://www.youtube.com:8080/@made',
    'https://www.youtube.com./@made',
    'https://evil.example/https://www.youtube.com/@made',
    'https://www.youtube.com\\@evil.example/@made',
    'http://127.0.0.1/@made',
    'http://2130706433/@made',
    'http://0177.0.0.1/@made',
    'http://[::1]/@made',
    'http://[::ffff:127.0.0.1]/@made',
    'http://localhost/@made',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,hi',
    'ftp://www.youtube.com/@made',
    'www.youtube.com/@made',
    '@made',
    'https://www.youtube.com/',
    'https://www.youtube.com/@',
    'https://www.youtube.com/watch?v=a',
    'https://www.youtube.com/shorts/a',
    'https://www.youtube.com/playlist?list=a',
    'https://www.youtube.com/channel/short',
    'https://www.youtube.com/channel',
    'https://www.youtube.com/c',
    'https://www.youtube.com/c/a%2Fb',
    'https://www.youtube.com/%ff',
    `https://www.youtube.com/@${'x'.repeat(200)}`,
  ])('channel_url %s', async (channel_url) => {
    const { issues, requests } = await run({ channel_url }, [])
    expect([issues.map(({ pointer }) => pointer), requests.length]).toEqual([['/channel_url'], 0])
  })
})
