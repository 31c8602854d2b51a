/** Media that cannot be fetched. None of these failures ends an export. */
import { describe, expect, test } from 'bun:test'
import { Unavailable } from 'gleaner/plugin'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { FEED, feed, HOST, INFO, item, openArchive, userInfo } from '../fixtures/sample.ts'
import { profileDownload } from '../profile-download.ts'
import source from '../source.ts'

const jpeg = { 'content-type': 'image/jpeg' }
const one = `${HOST}/1.jpg`

/** The image of a post. */
const image = (url: string | null) => ({ image_versions2: { candidates: [{ url, width: 40, height: 50 }] } })

/** Exports one post as a member, with responses to the request for its image. */
async function exported(
  answers: readonly Omit<Exchange, 'request'>[],
  url: string | null = one,
  more: Record<string, unknown> = {},
) {
  const outcome = await runTask(
    profileDownload,
    { profile: 'robin' },
    {
      source,
      signedIn: true,
      exchanges: [
        {
          request: FEED,
          json: feed([], { items: [item(1, { ...image(url), ...more })], more_available: false }),
        },
        { request: INFO, json: userInfo() },
        ...answers.map((answer) => ({ request: String(url), ...answer })),
      ],
    },
  )
  expect(outcome.error).toBeNull()
  const zip = await openArchive(outcome.files[0])
  const metadata = zip.names.find((name) => name.includes('/metadata/')) as string
  const [media] = zip.json(metadata.slice(metadata.indexOf('/') + 1)).media
  return { ...outcome, ...zip, media }
}

describe('a missing picture is reported in the manifest', () => {
  test.each([
    [
      '403: its URL has expired',
      [{ status: 403, body: 'URL signature expired' }],
      403,
      'the source responded with 403',
    ],
    ['404', [{ status: 404 }], 404, 'the source responded with 404'],
    ['451', [{ status: 451 }], 451, 'the source responded with 451'],
    [
      '500, three times',
      [{ status: 500 }, { status: 500 }, { status: 500 }],
      500,
      'the source responded with 500',
    ],
    [
      '429, three times',
      [{ status: 429 }, { status: 429 }, { status: 429 }],
      429,
      'the source responded with 429',
    ],
    [
      'an HTML page',
      [{ body: '<html>', headers: { 'content-type': 'text/html; charset=utf-8' } }],
      200,
      'text/html instead of an image',
    ],
    ['JSON', [{ json: {} }], 200, 'application/json instead of an image'],
    [
      'a video',
      [{ body: 'x', headers: { 'content-type': 'video/mp4' } }],
      200,
      'video/mp4 instead of an image',
    ],
    [
      'an empty response, three times',
      [{ headers: jpeg }, { headers: jpeg }, { headers: jpeg }],
      null,
      'an empty response',
    ],
    [
      'a redirect to another site',
      [{ status: 302, headers: { location: 'https://www.example.org/x.jpg' } }],
      null,
      'not a host of the source: www.example.org',
    ],
  ] as const)('%s', async (_, answers, status, message) => {
    const { rest, manifest, media, text } = await exported(answers)
    expect(manifest.errors).toEqual([
      { post_id: '1001', file: 'robin/media/20200913_122641_post1.jpg', status, message },
    ])
    expect(media).toMatchObject({ source_url: one, file: null, bytes: null, sha256: null, error: message })
    expect(rest).toMatchObject({ stopped_reason: 'end', complete: true, media_files: 0, media_failed: 1 })
    expect(text('posts.csv')).toEndWith(`"1: ${message}"\r\n`)
  })

  test('no URL, or a URL on a foreign host: nothing is requested', async () => {
    const wrong = [
      'https://evil.example/1.jpg',
      'http://127.0.0.1/1.jpg',
      'file:///etc/passwd',
      'https://cdninstagram.com.evil.example/1.jpg',
      null,
    ]
    for (const url of wrong) {
      const { media, requests, manifest } = await exported([], url)
      expect(media.error).toMatch(/^the (URL is not on a media host of the source|source gave no URL)$/)
      expect([requests.length, manifest.errors.length]).toEqual([2, 1])
    }
  })
})

test('a temporary failure is retried', async () => {
  const good = { body: 'picture', headers: jpeg }
  for (const bad of [{ status: 503 }, { status: 429 }, { headers: jpeg }]) {
    const { media, pauses } = await exported([bad, bad, good])
    expect([media.bytes, media.error, pauses.slice(1)]).toEqual([7, null, [1000, 4000]])
  }
})

test('a broken connection is retried, and its partial data is not in the archive', async () => {
  let tries = 0
  const brokenStream = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(5000)),
      pull: (controller) => controller.error(new Unavailable('the connection failed')),
    })
  const outcome = await runTask(
    profileDownload,
    { profile: 'robin' },
    {
      source,
      signedIn: true,
      async fetch({ url }) {
        if (!url.startsWith(HOST)) return Response.json({ ...feed([3, 2, 1]), ...userInfo() })
        const fails = url.endsWith('/3.jpg') || (url.endsWith('/2.jpg') && ++tries === 1)
        return new Response(fails ? brokenStream() : `whole ${url.slice(-5)}`, { headers: jpeg })
      },
    },
  )
  const { names, text, manifest } = await openArchive(outcome.files[0])
  expect(names.filter((name) => name.includes('/media/'))).toEqual([
    'robin/media/20200913_122642_post2.jpg',
    'robin/media/20200913_122641_post1.jpg',
  ])
  expect(text('media/20200913_122642_post2.jpg')).toBe('whole 2.jpg')
  expect(manifest.errors).toMatchObject([{ post_id: '1003', status: null, message: 'the connection failed' }])
  expect(outcome.files[0]!.bytes.length).toBeLessThan(10_000)
})

describe('the extension of a file', () => {
  test.each([
    ['image/jpeg', `${HOST}/1.jpg`, 'jpg', 'image/jpeg'],
    ['image/webp', `${HOST}/1.jpg`, 'webp', 'image/webp'],
    ['image/heic; x=y', `${HOST}/1.jpg`, 'heic', 'image/heic'],
    ['application/octet-stream', `${HOST}/1.heic?oe=7`, 'heic', 'image/heic'],
    ['', `${HOST}/1.JPEG`, 'jpg', 'image/jpeg'],
    ['text/plain', `${HOST}/1`, 'jpg', 'image/jpeg'],
    ['text/plain', `${HOST}/../../x.exe`, 'jpg', 'image/jpeg'],
  ])('for type %s at %s is %s', async (type, url, ending, content_type) => {
    const { manifest } = await exported([{ body: 'x', headers: { 'content-type': type } }], url)
    expect(manifest.files.find(({ path }: { path: string }) => path.includes('/media/'))).toMatchObject({
      path: `robin/media/20200913_122641_post1.${ending}`,
      content_type,
    })
  })
})

describe('a file is named after the post id if the shortcode is', () => {
  test.each(['../../x', 'a/b', 'x'.repeat(300), 'CON\u0000', '', null, 7])('%j', async (code) => {
    const { names } = await exported([{ body: 'x', headers: jpeg }], one, { code })
    expect(names).toContain('robin/media/20200913_122641_Pp.jpg')
  })
})

test('a post without a time is exported', async () => {
  const { names, text, manifest } = await exported([{ body: 'x', headers: jpeg }], one, { taken_at: null })
  expect(names).toContain('robin/media/00000000_000000_post1.jpg')
  expect(text('posts.csv')).toContain('"image","feed",,"Post 1"')
  expect(manifest.date_range).toEqual({ oldest: null, newest: null })
})

test('a folder name that some systems do not allow gets a prefix', async () => {
  const con = { pk: '7', username: 'con', media_count: 0 }
  const { files } = await runTask(
    profileDownload,
    { profile: 'con' },
    {
      source,
      signedIn: true,
      exchanges: [
        { request: FEED.replace('robin', 'con'), json: feed([], { user: con }) },
        { request: INFO, json: { user: con } },
      ],
    },
  )
  const { names, manifest } = await openArchive(files[0])
  expect(names).toEqual(['_con/profile.json', '_con/posts.csv', '_con/manifest.json'])
  expect(manifest.files.map(({ path }: { path: string }) => path)).toEqual(names.slice(0, -1))
})
