/** Responses and pages that the site sends instead of its content are recognized. */
import { describe, expect, test } from 'bun:test'
import { SourceError, type SourceErrorCode } from 'gleaner/plugin'
import { scopeOf } from './browser/state.ts'
import { CHALLENGE, embedHtml } from './fixtures/sample.ts'
import { embedError, embedIn } from './plain/embed.ts'
import { jsonOf, Nothing } from './refusals.ts'

const codeOf = (read: () => unknown): SourceErrorCode | 'none' => {
  try {
    read()
    return 'none'
  } catch (error) {
    if (error instanceof SourceError) return error.code
    throw error
  }
}

const page = (script: string, title = 'x') =>
  `<html><head><title>${title}</title></head><body>${script}</body></html>`
const PAGES: [string, SourceErrorCode][] = [
  [
    '<html><body><pre>{"code":"10000","type":"verify","subtype":"slide"}</pre></body></html>',
    'source-blocked',
  ],
  [page('<div class="captcha-verify-container"></div>'), 'source-blocked'],
  [page('<p>Verify to continue:</p>'), 'source-blocked'],
  [page('<p>Drag the slider to fit the puzzle</p>'), 'source-blocked'],
  [page('<p>Rotate the shapes</p>'), 'source-blocked'],
  [page('<p>Click on the shapes with the same size</p>'), 'source-blocked'],
  [CHALLENGE, 'source-blocked'],
  [page('Hello', 'Security Check'), 'source-blocked'],
  [page('Access Denied'), 'source-blocked'],
  [page('Please solve this captcha.', 'Attention Required!'), 'source-blocked'],
  [page('<div id="px-captcha"></div>', 'www'), 'source-blocked'],
  [page('Hello'), 'source-changed'],
  [page('x', '503 Service Unavailable'), 'source-unavailable'],
]

describe('a response', () => {
  test.each<[string, SourceErrorCode]>([
    ['', 'source-blocked'],
    [' \n', 'source-blocked'],
    ['{"code":"10000","type":"verify","subtype":"slide"}', 'source-blocked'],
    ['{"comments": [', 'source-changed'],
    ['null', 'source-changed'],
    ['[]', 'source-changed'],
    ['7', 'source-changed'],
    ...PAGES,
  ])('%s', (body, code) => {
    expect(codeOf(() => jsonOf(body))).toBe(code)
  })

  test('of nested lists, 100,000 deep, is not a list of the site', () => {
    expect(codeOf(() => jsonOf('['.repeat(100_000) + ']'.repeat(100_000)))).toBe('source-changed')
  })

  test('that is empty throws Nothing, for which a fresh context is tried', () => {
    expect(() => jsonOf('')).toThrow(Nothing)
  })

  test('keeps all digits of an id that is a number beyond 2^53', () => {
    expect(jsonOf('{"cid": 7603301260598838032}')).toEqual({ cid: '7603301260598838032' })
  })
})

describe('a page in a browser', () => {
  test.each<[string, SourceErrorCode]>([
    ['<html><head></head><body></body></html>', 'source-blocked'],
    [
      page('<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">{"__DEFAULT_SCOPE__": {</script>'),
      'source-changed',
    ],
    ...PAGES,
  ])('%s', (html, code) => {
    expect(codeOf(() => scopeOf(html, 'webapp.video-detail'))).toBe(code)
  })

  test('has its state in a script with attributes in any order', () => {
    const html = page(
      '<script type="application/json" nonce=a id=__UNIVERSAL_DATA_FOR_REHYDRATION__>{"__DEFAULT_SCOPE__":{"a":{"b":"</p>"}}}</script>',
    )
    expect(scopeOf(html, 'a')).toEqual({ b: '</p>' })
    expect(scopeOf(html, 'webapp.video-detail')).toBeUndefined()
  })
})

describe('an embed page', () => {
  test.each<[string, SourceErrorCode]>([
    ['', 'source-blocked'],
    [embedHtml('/other', {}), 'source-changed'],
    [embedHtml('/embed/tag/lamps', null), 'source-changed'],
    [page('<script id="__FRONTITY_CONNECT_STATE__">{"source": {</script>'), 'source-changed'],
    ...PAGES,
  ])('%s', (html, code) => {
    expect(codeOf(() => embedIn(html))).toBe(code)
  })

  test.each(['/embed/tag/lamps', '/embed/tag/lamps/', '/embed/v2/7'])(
    'has its content under its path: %s',
    (path) => {
      expect(embedIn(embedHtml(path, { a: 1 }))).toEqual({ a: 1 })
    },
  )

  test.each<[object, number | null]>([
    [{ isError: true, errorCode: 10_204, errorStatus: 400 }, 10_204],
    [{ isError: true }, 0],
    [{ isError: false, videoData: {} }, null],
    [{ videoData: {} }, null],
  ])('names its error: %j', (content, error) => {
    expect(embedError(content)).toBe(error)
  })
})
