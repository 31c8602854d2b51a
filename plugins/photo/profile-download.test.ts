import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { BROWSER } from 'gleaner/plugin'
import { type Exchange, readCassette, runTask } from 'gleaner/plugin/testing'
import { HOST, list, openArchive, part, profilePage, record, visit } from './fixtures/sample.ts'
import { profileDownload } from './profile-download.ts'
import source from './source.ts'

const now = () => Date.parse('2026-01-31T12:00:00.500Z')

const run = (
  exchanges: readonly Exchange[],
  input: Record<string, unknown> = {},
  more: { blocks?: number } = {},
) => runTask(profileDownload, { profile: 'robin', ...input }, { source, exchanges, now, ...more })
const media = ({ requests }: { requests: readonly { url: string }[] }) =>
  requests.flatMap(({ url }) => (url.startsWith(HOST) ? url.slice(HOST.length + 1) : []))
/** The requests to the site itself. */
const siteRequests = ({ requests }: { requests: readonly { url: string }[] }) =>
  requests.filter(({ url }) => !url.startsWith(HOST))

describe('the sample profile of the cassette', async () => {
  const { input, exchanges } = readCassette(new URL('./fixtures/profile-download.json', import.meta.url))
  const outcome = await runTask(profileDownload, input, { source, exchanges, now })
  const zip = await openArchive(outcome.files[0])
  const meta = (stem: string) => zip.json(`metadata/${stem}.json`)

  test('is exported completely, and the result says so', () => {
    expect(outcome.error).toBeNull()
    expect(outcome.items).toEqual([])
    expect(outcome.rest).toEqual({
      next_cursor: null,
      stopped_reason: 'end',
      complete: true,
      posts_exported: 8,
      posts_reported_by_source: null,
      media_files: 9,
      media_failed: 1,
      bytes_total: zip.manifest.bytes_total,
      profile: zip.manifest.profile,
    })
    expect(outcome.files.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['robin.sees_instagram_20260131T120000Z.zip', 'application/zip'],
    ])
  })

  test('is in one folder, media in the order of the posts, the manifest last', () => {
    expect(zip.names).toEqual(
      [
        'profile.json',
        'profile_pic.jpg',
        'media/20210101_100000_CKxyMEiegAB.jpg',
        'captions/20210101_100000_CKxyMEiegAB.txt',
        'metadata/20210101_100000_CKxyMEiegAB.json',
        'media/20240701_114136_CsFaZNTtgDN_01.jpg',
        'media/20240701_114136_CsFaZNTtgDN_02.mp4',
        'media/20240701_114136_CsFaZNTtgDN_03.jpg',
        'captions/20240701_114136_CsFaZNTtgDN.txt',
        'metadata/20240701_114136_CsFaZNTtgDN.json',
        'media/20240618_103000_Crh4qDj9QBj.mp4',
        'media/20240618_103000_Crh4qDj9QBj_cover.jpg',
        'captions/20240618_103000_Crh4qDj9QBj.txt',
        'metadata/20240618_103000_Crh4qDj9QBj.json',
        'media/20230926_090305_Cg-3qKYogMJ.webp',
        'metadata/20230926_090305_Cg-3qKYogMJ.json',
        'media/20150610_100000_3gtrOnZAAq.jpg',
        'captions/20150610_100000_3gtrOnZAAq.txt',
        'metadata/20150610_100000_3gtrOnZAAq.json',
        'captions/20150401_100000_0vE_d4nwB7.txt',
        'metadata/20150401_100000_0vE_d4nwB7.json',
        'media/00000000_000000_x9cTtJ2gAf.jpg',
        'captions/00000000_000000_x9cTtJ2gAf.txt',
        'metadata/00000000_000000_x9cTtJ2gAf.json',
        'media/20130722_080000_bwW1nTsgAH.jpg',
        'captions/20130722_080000_bwW1nTsgAH.txt',
        'metadata/20130722_080000_bwW1nTsgAH.json',
        'posts.csv',
        'manifest.json',
      ].map((name) => `robin.sees/${name}`),
    )
  })

  test('has a manifest that lists every file with its size and checksum, and every failure', () => {
    const { files, errors, ...manifest } = zip.manifest
    expect(manifest).toEqual({
      schema_version: '1.0',
      source: 'instagram',
      profile: {
        id: '50000000001',
        username: 'robin.sees',
        full_name: 'Robin Sees',
        url: 'https://www.instagram.com/robin.sees/',
        biography: 'Small things near the water. Made up.',
        external_url: 'https://robin.example/',
        is_private: false,
        is_verified: false,
        follower_count: 1840,
        following_count: 212,
        post_count: null,
      },
      exported_at: '2026-01-31T12:00:00Z',
      authenticated: false,
      max_posts: 50,
      posts_exported: 8,
      posts_reported_by_source: null,
      complete: true,
      stop_reason: 'end',
      media_files: 9,
      media_failed: 1,
      bytes_total: files.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0),
      date_range: { oldest: '2013-07-22T08:00:00Z', newest: '2024-07-01T11:41:36Z' },
    })
    expect(files.map(({ path }: { path: string }) => path)).toEqual(zip.names.slice(0, -1))
    for (const { path, bytes, sha256 } of files) {
      const content = zip.bytes(path)
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256])
    }
    const types = new Map(
      files.map((file: { path: string; content_type: string }) => [file.path, file.content_type]),
    )
    expect(types.get('robin.sees/media/20240701_114136_CsFaZNTtgDN_02.mp4')).toBe('video/mp4')
    expect(types.get('robin.sees/media/20230926_090305_Cg-3qKYogMJ.webp')).toBe('image/webp')
    expect(files[2]).toMatchObject({ content_type: 'image/jpeg', post_id: '2500000000000000001' })
    expect(files[0].post_id).toBeNull()
    expect(errors).toEqual([
      {
        post_id: '1000000000000000042',
        file: 'robin.sees/media/20150610_100000_3gtrOnZAAq.jpg',
        status: null,
        message: 'the source gave no URL of the video: this is its poster',
      },
      {
        post_id: '950000000000000123',
        file: 'robin.sees/media/20150401_100000_0vE_d4nwB7.jpg',
        status: 404,
        message: 'the source responded with 404',
      },
      {
        post_id: '900000000000000031',
        file: 'robin.sees/media/00000000_000000_x9cTtJ2gAf.jpg',
        status: null,
        message: 'the source shows this post to members only (AGE): this is a preview',
      },
    ])
  })

  test('has the metadata of a post with all fields and the raw data of the source', () => {
    const { raw, ...pinned } = meta('20210101_100000_CKxyMEiegAB')
    expect(pinned).toEqual({
      post_id: '2500000000000000001',
      shortcode: 'CKxyMEiegAB',
      url: 'https://www.instagram.com/p/CKxyMEiegAB/',
      type: 'image',
      product_type: 'feed',
      taken_at: '2021-01-01T10:00:00Z',
      caption:
        'The harbour at seven in the morning. #harbour #EarlyBird\nWith @lina.draws, and thanks to @northquay.',
      hashtags: ['harbour', 'EarlyBird'],
      mentions: ['lina.draws', 'northquay'],
      like_count: 981,
      comment_count: 44,
      view_count: null,
      owner: { id: '50000000001', username: 'robin.sees' },
      coauthors: [],
      tagged_users: ['lina.draws', 'northquay'],
      location: { id: '900100200', name: 'North Quay' },
      accessibility_caption: 'A made-up picture of a harbour.',
      is_pinned: true,
      media: [
        {
          index: 1,
          kind: 'image',
          source_id: '2500000000000000001',
          width: 40,
          height: 50,
          duration_seconds: null,
          source_url: `${HOST}/harbour.jpg`,
          file: 'robin.sees/media/20210101_100000_CKxyMEiegAB.jpg',
          bytes: expect.any(Number),
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          error: null,
        },
      ],
    })
    expect(raw.caption.text).toStartWith('The harbour')
  })

  test('has carousels, reels with hidden likes, posts without a caption, videos without a URL, posts for adults', () => {
    const carousel = meta('20240701_114136_CsFaZNTtgDN')
    expect(carousel).toMatchObject({
      type: 'carousel',
      coauthors: ['lina.draws'],
      is_pinned: false,
      url: 'https://www.instagram.com/p/CsFaZNTtgDN/',
    })
    expect(carousel.media.map(({ kind, source_id }: Record<string, unknown>) => [kind, source_id])).toEqual([
      ['image', '3100000000000000206'],
      ['video', '3100000000000000207'],
      ['image', '3100000000000000208'],
    ])
    const reel = meta('20240618_103000_Crh4qDj9QBj')
    expect(reel).toMatchObject({
      type: 'video',
      product_type: 'clips',
      like_count: null,
      view_count: null,
      url: 'https://www.instagram.com/reel/Crh4qDj9QBj/',
    })
    expect(reel.media).toMatchObject([
      { kind: 'video', duration_seconds: null, width: 40, source_url: `${HOST}/rain.mp4` },
    ])
    expect(meta('20230926_090305_Cg-3qKYogMJ')).toMatchObject({ caption: null, hashtags: [], mentions: [] })
    const old = meta('20150610_100000_3gtrOnZAAq')
    expect(old).toMatchObject({
      type: 'video',
      owner: { id: '50000000001', username: 'robin.sees' },
    })
    expect(old.media).toMatchObject([
      {
        kind: 'video',
        file: 'robin.sees/media/20150610_100000_3gtrOnZAAq.jpg',
        source_url: `${HOST}/ferry.jpg`,
        error: 'the source gave no URL of the video: this is its poster',
      },
    ])
    expect(meta('00000000_000000_x9cTtJ2gAf')).toMatchObject({
      type: 'image',
      taken_at: null,
      like_count: null,
      caption: 'For grown-ups.',
      media: [{ source_url: `${HOST}/garden.jpg`, error: expect.stringContaining('AGE') }],
    })
    expect(meta('20150401_100000_0vE_d4nwB7').media).toMatchObject([
      { file: null, bytes: null, sha256: null, error: 'the source responded with 404' },
    ])
  })

  test('has captions and the profile unchanged', () => {
    expect(zip.text('captions/20150401_100000_0vE_d4nwB7.txt')).toBe(
      '=1+1 is no formula here.\nA second line, with "quotes".',
    )
    expect(zip.json('profile.json')).toEqual({
      ...zip.manifest.profile,
      category: null,
      is_business: null,
      bio_links: [{ url: 'https://robin.example/', title: 'My page' }],
      profile_pic_url: `${HOST}/face.jpg`,
    })
  })

  test('has a CSV table, newest first, with quoted texts and escaped formulas', () => {
    const lines = zip.text('posts.csv').split('\r\n')
    expect(lines[0]).toBe(
      '\ufeff"position","post_id","shortcode","url","type","product_type","taken_at","caption","hashtags","mentions",' +
        '"like_count","comment_count","view_count","media_count","media_files","owner_username","coauthors",' +
        '"tagged_users","location_id","location_name","is_pinned","accessibility_caption","error"',
    )
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual([
      '2',
      '3',
      '4',
      '1',
      '5',
      '6',
      '8',
      '7',
    ])
    expect(lines[6]).toBe(
      '6,"950000000000000123","0vE_d4nwB7","https://www.instagram.com/p/0vE_d4nwB7/","image","feed","2015-04-01T10:00:00Z",' +
        `"'=1+1 is no formula here.\nA second line, with ""quotes"".",,,120,3,,1,,"robin.sees",,,,,false,,"1: the source responded with 404"`,
    )
    expect(lines[4]).toContain(
      ',"harbour;EarlyBird","lina.draws;northquay",981,44,,1,"robin.sees/media/20210101_100000_CKxyMEiegAB.jpg","robin.sees",,"lina.draws;northquay","900100200","North Quay",true,"A made-up picture of a harbour.",',
    )
    expect(lines.at(-1)).toBe('')
  })

  test('reports its progress in posts and bytes', () => {
    expect(outcome.progress.at(-1)).toEqual({
      done: 8,
      total: 50,
      message: expect.stringMatching(/^posts exported · 9 media files · \d+ kB$/),
    })
  })
})

test('media are requested as by a script of the front page', async () => {
  const { requests } = await run(visit([[3]]))
  expect(requests.find(({ url }) => url.startsWith(HOST))?.headers).toMatchObject({
    accept: '*/*',
    origin: 'https://www.instagram.com',
    referer: 'https://www.instagram.com/',
    'sec-fetch-dest': 'empty',
    'sec-fetch-site': 'cross-site',
    'user-agent': BROWSER,
  })
})

describe('pages', () => {
  test('are read to the last one, even if it has a cursor', async () => {
    const last = { ...list([part(3)]), page_info: { has_next_page: false, end_cursor: 'MORE' } }
    const outcome = await run([profilePage(last), ...visit([[3]]).slice(1)])
    expect(outcome.rest).toMatchObject({ stopped_reason: 'end', complete: true, posts_exported: 1 })
    const all = await run(visit([[5, 4], [3, 2], [1]]))
    expect(media(all)).toEqual(['5.jpg', '4.jpg', '3.jpg', '2.jpg', '1.jpg'])
    expect(all.rest).toMatchObject({ stopped_reason: 'end', complete: true, posts_exported: 5 })
    expect(all.progress.map(({ done, total }) => [done, total]).at(-1)).toEqual([5, null])
  })

  test('that overlap export each post once', async () => {
    const outcome = await run(
      visit([
        [1, 5, 4, 5],
        [4, 3, 1],
      ]),
    )
    expect(media(outcome)).toEqual(['1.jpg', '5.jpg', '4.jpg', '3.jpg'])
  })

  test('without new posts end the list', async () => {
    const { rest } = await run(
      visit(
        [
          [2, 1],
          [2, 1],
        ],
        true,
      ),
    )
    expect(rest).toMatchObject({ stopped_reason: 'end', complete: false, posts_exported: 2 })
  })

  test('whose cursor leads back end the list', async () => {
    const [first, second, ...others] = visit([[3], [2]], true)
    const back = JSON.parse(JSON.stringify(second).replace('"C2"', '"C1"'))
    const { rest } = await run([first!, back, ...others])
    expect(rest).toMatchObject({ stopped_reason: 'end', complete: false, posts_exported: 2 })
  })

  test('with a post that cannot be read keep the others, and the export is not complete', async () => {
    const rows = [part(6), part(5), { pk: null, code: null }, part(4), part(3), part(2)]
    const { rest, skipped } = await run([profilePage(list(rows)), ...visit([[6, 5, 4, 3, 2]]).slice(1)])
    expect(skipped).toBe(1)
    expect(rest).toMatchObject({ stopped_reason: 'end', complete: false, posts_exported: 5 })
  })

  test('of an empty profile give an archive without posts', async () => {
    const outcome = await run([profilePage(list([]))])
    expect(outcome.error).toBeNull()
    expect(outcome.rest).toMatchObject({
      stopped_reason: 'end',
      complete: true,
      posts_exported: 0,
      media_files: 0,
    })
    const { names, text, manifest } = await openArchive(outcome.files[0])
    expect(names).toEqual(['robin/profile.json', 'robin/posts.csv', 'robin/manifest.json'])
    expect(text('posts.csv').split('\r\n')).toHaveLength(2)
    expect(manifest.date_range).toEqual({ oldest: null, newest: null })
  })
})

describe('maxPosts', () => {
  test.each([
    [1, ['5.jpg'], 'max_posts', 1],
    [2, ['5.jpg', '4.jpg'], 'max_posts', 1],
    [3, ['5.jpg', '4.jpg', '3.jpg'], 'max_posts', 2],
    [4, ['5.jpg', '4.jpg', '3.jpg', '2.jpg'], 'max_posts', 2],
    [5, ['5.jpg', '4.jpg', '3.jpg', '2.jpg', '1.jpg'], 'end', 3],
    [9, ['5.jpg', '4.jpg', '3.jpg', '2.jpg', '1.jpg'], 'end', 3],
  ] as const)('limits the export, and the requests, to %i posts', async (maxPosts, names, reason, pages) => {
    const outcome = await run(visit([[5, 4], [3, 2], [1]]), { maxPosts })
    expect(media(outcome)).toEqual([...names])
    expect(outcome.rest).toMatchObject({
      stopped_reason: reason,
      complete: reason === 'end',
      posts_exported: names.length,
    })
    // One request for each page, and one for each post.
    expect(siteRequests(outcome).length).toBe(pages + names.length)
    const { manifest } = await openArchive(outcome.files[0])
    expect(manifest).toMatchObject({ max_posts: maxPosts, stop_reason: reason })
    expect(outcome.progress.at(-1)?.total).toBe(maxPosts)
  })
})

describe('the price', () => {
  const { price } = profileDownload
  if (typeof price === 'number') throw new TypeError('a number')

  test.each([
    [undefined, 40],
    [1, 40],
    [1000, 40],
    [1001, 45],
    [2000, 45],
    [2001, 50],
    [1_000_000, 40 + 999 * 5],
  ])('of maxPosts %p is %i', (maxPosts, credits) => {
    expect(price.of({ profile: 'robin', ...(maxPosts === undefined ? {} : { maxPosts }) })).toBe(credits)
  })

  test.each([
    [0, 40],
    [12, 40],
    [1000, 40],
    [1001, 45],
  ])('of %i exported posts is %i', (posts_exported, credits) => {
    expect([price.from, price.block, price.spent?.({ posts_exported })]).toEqual([40, 5, credits])
  })

  /** A profile with a number of posts in pages of 50. Each post has an image of one byte. */
  const large = (count: number, input: Record<string, unknown>, blocks?: number) =>
    runTask(
      profileDownload,
      { profile: 'robin', ...input },
      {
        source,
        ...(blocks === undefined ? {} : { blocks }),
        async fetch(request) {
          if (request.url.startsWith(HOST))
            return new Response('x', { headers: { 'content-type': 'image/jpeg' } })
          const form = new URLSearchParams(await request.text())
          const { media_id, after = '0' } = JSON.parse(form.get('variables') ?? '{}')
          if (media_id) return Response.json({ data: { xig_polaris_media: record(media_id - 1000) } })
          const from = Number(after)
          const parts = Array.from({ length: Math.min(50, count - from) }, (_, i) => part(from + i))
          const connection = list(parts, from + 50 < count ? String(from + 50) : null)
          if (request.method === 'GET') return new Response(profilePage(connection).body as string)
          return Response.json({
            data: { xig_user_by_username: { polaris_ordered_timeline_connection: connection } },
          })
        },
      },
    )

  test('is charged block by block, each only when its first post is read', async () => {
    expect((await large(1000, {})).blocks).toEqual([])
    const { blocks, rest } = await large(1001, {})
    expect(blocks).toEqual([1])
    expect(rest).toMatchObject({ posts_exported: 1001, stopped_reason: 'end', complete: true })
  }, 60_000)

  test('of a block that cannot be paid ends the export as succeeded, with the posts so far', async () => {
    const { blocks, rest, error, files } = await large(2001, {}, 1)
    expect([blocks, error]).toEqual([[1], null])
    expect(rest).toMatchObject({
      posts_exported: 2000,
      stopped_reason: 'insufficient-credits',
      complete: false,
    })
    const { manifest } = await openArchive(files[0])
    expect(manifest).toMatchObject({
      stop_reason: 'insufficient-credits',
      posts_exported: 2000,
      media_files: 2000,
    })
  }, 60_000)

  test('is charged at the kickoff if maxPosts is given', async () => {
    const { blocks, rest } = await large(1100, { maxPosts: 1001 }, 0)
    expect(blocks).toEqual([])
    expect(rest).toMatchObject({ posts_exported: 1001, stopped_reason: 'max_posts' })
  }, 60_000)
})
