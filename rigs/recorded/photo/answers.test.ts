/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { at, parseJson } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { NO_GUESTS, openArchive } from '../../../plugins/photo/fixtures/sample.ts'
import { profileDownload } from '../../../plugins/photo/profile-download.ts'
import { graphFacts } from '../../../plugins/photo/read/parsers/graph-node.ts'
import { objectFacts } from '../../../plugins/photo/read/parsers/media-object.ts'
import { postOf } from '../../../plugins/photo/read/parsers/post.ts'
import { type Profile, profileOf } from '../../../plugins/photo/read/parsers/profile.ts'
import { connectionPage } from '../../../plugins/photo/read/posts.ts'
import { readPage } from '../../../plugins/photo/read/site/page.ts'
import source from '../../../plugins/photo/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings } = cases
const origin = 'https://www.instagram.com'

/** Files that no request of the task is answered with. The answers among them are read separately below. */
const APART: Readonly<Record<string, string>> = {
  'README.md': 'says what the site does',
  'recorded/INDEX.json': 'says what the others are',
  'recorded/polaris_user_object_2024_public_profile.json': "a user without the answer's envelope",
  'recorded/api_v1_clips_user_2021_page.json': 'the list of reels, which an export does not ask for',
  'recorded/graphql_timeline_2020_robertdowneyjr_page.json': 'a query that answers nobody since April 2026',
  'recorded/graphql_timeline_2018_nintendo_page4_first30.json': 'the same query',
  'recorded/graphql_timeline_2018_nintendo_last_page.json': 'the same query',
}

async function outcomeOf(name: string) {
  const one = cases.cases.find((each) => each.name === name)
  if (!one) throw new TypeError(`no case ${name}`)
  const exchanges = exchangesOf(recordings, one)
  const { signedIn = false } = one
  const outcome = await runTask(profileDownload, one.input, { source, exchanges, signedIn })
  return { ...outcome, one }
}

describe('recorded', () => {
  test.each([
    ['a carousel with a video, signed in', 1, 4],
    ['a carousel of pictures, signed in', 1, 3],
  ])('%s: %i posts, %i media', async (name, posts_exported, media_files) => {
    const { error, rest, files } = await outcomeOf(name)
    expect([error, rest]).toMatchObject([null, { posts_exported, media_files, media_failed: 0 }])
    expect((await openArchive(files[0])).manifest.authenticated).toBe(true)
  })

  test('every recording is used by a case or listed with a reason', () => {
    const used = cases.cases.flatMap(({ files }) => files)
    expect([...new Set([...used, ...Object.keys(APART)])].sort()).toEqual(recordings.files())
  })

  describe('a failure page ends the run with its code', () => {
    test.each(cases.cases.filter(({ ends }) => ends).map(({ name }) => name!))('%s', async (name) => {
      const { error, one, rest } = await outcomeOf(name)
      expect(error?.code).toBe(one.ends!)
      expect(rest.partial).toBe(true)
    })

    test('the error has the message of the source', async () => {
      const words = async (name: string) => (await outcomeOf(name)).error?.message
      expect(await words('a limit, signed in')).toBe('403: Please wait a few minutes before you try again.')
      expect(await words('a checkpoint')).toBe('400: checkpoint_required')
      expect(await words('a sign-in everywhere')).toBe(
        'the sign-in page; 1675002: Unauthorized logged out query.; 401: Please wait a few minutes before you try again.',
      )
    })

    test('the refusal of visitors is the one that the sample has', () => {
      const file = 'recorded/error_rate_limit_require_login_http401.json'
      expect(JSON.parse(recordings.text(file))).toEqual(NO_GUESTS.json)
    })
  })

  test('the pages of October 2026 yield a profile with three posts', async () => {
    const { error, rest, route, files } = await outcomeOf('a profile and its posts from pages')
    expect([error, route]).toEqual([null, 'page'])
    expect(rest).toMatchObject({
      posts_exported: 3,
      posts_reported_by_source: null,
      media_files: 4,
      media_failed: 0,
      stopped_reason: 'max_posts',
    })
    expect(rest.profile).toEqual({
      id: '787132',
      username: 'natgeo',
      full_name: 'National Geographic',
      url: 'https://www.instagram.com/natgeo/',
      biography: 'Step into wonder and find your inner explorer with National Geographic 🌎',
      external_url: 'http://visitstore.bio/natgeo',
      is_private: false,
      is_verified: true,
      follower_count: 268_457_110,
      following_count: 194,
      post_count: null,
    })
    const { names, json } = await openArchive(files[0])
    expect(names.filter((name) => name.includes('/media/'))).toEqual([
      'natgeo/media/20260910_130014_DdG4RIxIPyf.mp4',
      'natgeo/media/20260910_130014_DdG4RIxIPyf_cover.jpg',
      'natgeo/media/20261004_010001_DeBJRyaDIyP_01.jpg',
      'natgeo/media/20261004_010001_DeBJRyaDIyP_02.jpg',
      'natgeo/media/20261002_210527_DeAZ0uAgNuA.jpg',
    ])
    expect(json('metadata/20260910_130014_DdG4RIxIPyf.json')).toMatchObject({
      post_id: '3983118388705688735',
      url: 'https://www.instagram.com/reel/DdG4RIxIPyf/',
      type: 'video',
      product_type: 'clips',
      like_count: 78_676,
      comment_count: 525,
      view_count: null,
      hashtags: ['PerpetualPlanet'],
      owner: { id: '787132', username: 'natgeo' },
      coauthors: ['rolex'],
      tagged_users: ['rolex'],
      is_pinned: true,
      media: [
        {
          kind: 'video',
          source_id: '3983118388705688735',
          width: 1080,
          height: 1920,
          duration_seconds: null,
          source_url: expect.stringContaining('.mp4?_nc_cat=108&type=101'),
        },
      ],
    })
    const carousel = json('metadata/20261004_010001_DeBJRyaDIyP.json')
    expect(carousel).toMatchObject({ type: 'carousel', like_count: 63_958, comment_count: 140 })
    expect(carousel.media).toMatchObject([
      {
        source_id: '3999518689824883404',
        width: 1439,
        height: 960,
        source_url: expect.stringContaining('stp=dst-jpg_e35_tt6'),
      },
      { source_id: '3999518689061561699', width: 1439, height: 960 },
    ])
    expect(json('metadata/20261002_210527_DeAZ0uAgNuA.json')).toMatchObject({
      type: 'image',
      like_count: 47_528,
      location: null,
      accessibility_caption: expect.stringContaining('crocodile'),
      media: [{ width: 1350, height: 1688, source_url: expect.stringContaining('stp=dst-jpg_e35_tt6') }],
    })
  })

  test.each(['by the name', 'by the id'])('a made page is followed by the next one %s', async (how) => {
    const { error, rest, requests, files } = await outcomeOf(`a page and the next one ${how}`)
    expect(error).toBeNull()
    expect(rest).toMatchObject({ posts_exported: 3, complete: true, media_failed: 0 })
    expect(rest.profile).toMatchObject({
      id: '90210',
      full_name: 'Fern & Stone',
      external_url: 'https://example.com/fern',
      follower_count: 1203,
    })
    expect(requests.find(({ method }) => method === 'POST')?.body).toContain('lsd=AdMadeExample_1')
    const { manifest } = await openArchive(files[0])
    expect(manifest.errors.map(({ message }: { message: string }) => message)).toEqual(
      Array(3).fill('the source shows this post to members only (AGE): this is a preview'),
    )
  })

  test('a next page that visitors do not get leaves the posts of the first one', async () => {
    const { files } = await outcomeOf('a next page that visitors do not get')
    expect((await openArchive(files[0])).manifest).toMatchObject({
      posts_exported: 2,
      stop_reason: 'blocked',
    })
  })

  test('two made pages of the list for members yield a whole profile', async () => {
    const { error, rest, files } = await outcomeOf('two pages, signed in')
    expect(error).toBeNull()
    expect(rest).toMatchObject({
      posts_exported: 3,
      posts_reported_by_source: 3,
      complete: true,
      media_failed: 0,
    })
    expect(rest.profile).toMatchObject({ id: '90210', biography: 'Made example.', following_count: 88 })
    const { json, text } = await openArchive(files[0])
    expect(json('profile.json')).toMatchObject({ category: 'Florist', is_business: true })
    expect(text('posts.csv').match(/,true,/g)).toHaveLength(1)
  })

  test('a profile of 2021 has its numbers and its link', async () => {
    const { rest, files } = await outcomeOf('the whole profile of 2021, signed in')
    expect(rest.profile).toMatchObject({
      external_url: 'http://www.swau.com/RDJ',
      follower_count: 50_857_062,
      following_count: 4,
      post_count: 400,
      is_verified: true,
    })
    expect((await openArchive(files[0])).json('profile.json').profile_pic_url).toContain(
      '&oh=d97910fcfa8d73e4da653d56773f2f2f',
    )
  })

  test('the first page yields 12 posts with 24 media; five of the posts are videos', async () => {
    const { error, rest, files } = await outcomeOf('the first posts by the own route of the profile')
    expect(error).toBeNull()
    expect(rest).toMatchObject({
      posts_exported: 12,
      posts_reported_by_source: 419,
      media_files: 24,
      media_failed: 0,
      stopped_reason: 'max_posts',
      complete: false,
    })
    expect(rest.profile).toEqual({
      id: '1518284433',
      username: 'robertdowneyjr',
      full_name: 'Robert Downey Jr. Official',
      url: 'https://www.instagram.com/robertdowneyjr/',
      biography: 'Get involved: @officialfootprintcoalition 🌎🙏',
      external_url: null,
      is_private: false,
      is_verified: true,
      follower_count: 52_979_346,
      following_count: 5,
      post_count: 419,
    })
    const { names, json, manifest } = await openArchive(files[0])
    const all = names.filter((name) => name.includes('/media/') && !name.includes('_cover'))
    expect(all.slice(0, 4)).toEqual([
      'robertdowneyjr/media/20220513_163510_CdgUcJGFxkp.mp4',
      'robertdowneyjr/media/20220505_171153_CdLy2aepGaA_01.jpg',
      'robertdowneyjr/media/20220505_171153_CdLy2aepGaA_02.mp4',
      'robertdowneyjr/media/20220505_171153_CdLy2aepGaA_03.jpg',
    ])
    const parts = all.map((name) => /_(\w{11}|CbvFbLNFy-u)(?:_\d\d)?\./.exec(name)?.[1])
    expect(
      ['CdLy2aepGaA', 'CcgK75fPGN5', 'Ccdk8u1PF5b'].map((code) => parts.filter((c) => c === code).length),
    ).toEqual([10, 2, 3])
    expect(names.filter((name) => name.includes('_cover'))).toHaveLength(4)
    // One post has no caption.
    expect(names.filter((name) => name.includes('/captions/'))).toHaveLength(11)
    expect(names).not.toContain('robertdowneyjr/captions/20220404_152651_Cb7yMEorLv6.txt')
    expect(json('profile.json')).toMatchObject({ category: 'Artist', is_business: true, bio_links: [] })
    expect(manifest.date_range).toEqual({ oldest: '2021-12-15T16:56:21Z', newest: '2022-05-13T16:35:10Z' })

    const video = json('metadata/20220513_163510_CdgUcJGFxkp.json')
    expect(video).toMatchObject({
      post_id: '2837357660084836649',
      type: 'video',
      product_type: 'igtv',
      like_count: 2_126_144,
      comment_count: 8856,
      view_count: 14_062_876,
      tagged_users: ['courteneycoxofficial', 'homecourt'],
      mentions: ['homecourt', 'courteneycoxofficial'],
      location: null,
      accessibility_caption: null,
      is_pinned: false,
    })
    expect(video.media).toMatchObject([{ kind: 'video', width: 640, height: 1138 }])
    const carousel = json('metadata/20220505_171153_CdLy2aepGaA.json')
    const kinds = carousel.media.map(({ kind }: { kind: string }) => kind)
    expect(kinds.flatMap((kind: string, i: number) => (kind === 'video' ? [i + 1] : []))).toEqual([2, 6, 9])
    expect(carousel.media[1]).toMatchObject({ source_id: '2831579943553821518', width: 750, height: 936 })
    expect(json('metadata/20220418_183546_CcgK75fPGN5.json').hashtags).toEqual([
      'FootPrintCoalition',
      'EarthDay',
    ])
    expect(json('metadata/20220404_152651_Cb7yMEorLv6.json').caption).toBeNull()
  })
})

describe('recorded separately', () => {
  const json = (file: string) => parseJson(recordings.text(file), { exact: true })
  const nobody = { id: '0', username: 'nobody' } as Profile
  const posts = (file: string) => {
    const items = (json(file) as { items: unknown[] }).items.map((item) => at(item, 'media') ?? item)
    return items.map((item) => postOf(objectFacts(item, nobody), item, origin).post)
  }
  const timeline = (file: string) =>
    connectionPage(at(json(file), 'data', 'user', 'edge_owner_to_timeline_media'))
  const nodes = (file: string) =>
    timeline(file).rows.map((node) => postOf(graphFacts(node, nobody), node, origin).post)

  test('a carousel of a video and three pictures is read with exact ids', () => {
    const [post] = posts('recorded/api_v1_media_info_carousel_mixed_2020.json')
    expect(post).toMatchObject({
      post_id: '2273581388251073154',
      shortcode: 'B-NYjoGpQqC',
      type: 'carousel',
      taken_at: '2020-03-26T19:47:23Z',
      caption: 'Let’s get up and dance today! ✨💕✨ #TBT #AllIHave #ImReal',
      hashtags: ['TBT', 'AllIHave', 'ImReal'],
      owner: { id: '305701719', username: 'jlo' },
    })
    expect(
      post?.media.map(({ kind, source_id, width, height, duration_seconds }) => [
        kind,
        source_id,
        width,
        height,
        duration_seconds,
      ]),
    ).toEqual([
      ['video', '2273581268755319538', 480, 480, 12.866],
      ['image', '2273581385357100612', 1440, 1440, null],
      ['image', '2273581385373807764', 1440, 1440, null],
      ['image', '2273581385365533356', 1334, 1334, null],
    ])
    expect(post?.media[0]?.source_url).toContain('/91009484_218921186028573_3234256193145171202_n.mp4')
  })

  test('a carousel of three pictures is read', () => {
    const [post] = posts('recorded/api_v1_media_info_carousel_images_2020.json')
    expect(post).toMatchObject({
      post_id: '2317006284167526179',
      taken_at: '2020-05-25T17:44:54Z',
      hashtags: ['LetsGetLoud', 'MemorialDay'],
    })
    expect(post?.media.map(({ width }) => width)).toEqual([1440, 1242, 1440])
  })

  test('twelve reels are read', () => {
    const reels = posts('recorded/api_v1_clips_user_2021_page.json')
    expect([reels.length, new Set(reels.map(({ type, product_type }) => `${type} ${product_type}`))]).toEqual(
      [12, new Set(['video clips'])],
    )
    expect(reels[0]).toMatchObject({
      post_id: '2589531623544609760',
      url: 'https://www.instagram.com/reel/CPv3UqsBFvg/',
      like_count: 16_965,
      comment_count: 80,
      view_count: 100_856,
      tagged_users: ['saam_nas'],
      media: [{ width: 640, height: 1137, duration_seconds: 20.433 }],
    })
    expect(reels[3]?.tagged_users).toHaveLength(7)
  })

  test('posts of GraphQL are read', () => {
    const all = nodes('recorded/graphql_timeline_2020_robertdowneyjr_page.json')
    expect(all.find(({ shortcode }) => shortcode === 'B7eUksNFA-K')).toMatchObject({
      post_id: '2224305748263047050',
      type: 'video',
      taken_at: '2020-01-18T20:09:56Z',
      like_count: 695_047,
      comment_count: 1939,
      view_count: 2_726_827,
      location: { id: '219278730', name: 'The Grand' },
      media: [{ width: 750, height: 421 }],
    })
    const mixed = all.find(({ shortcode }) => shortcode === 'B7XDCBNlds_')
    expect(mixed?.media.map(({ kind }) => kind)).toEqual(['image', 'image', 'image', 'image', 'video'])
    expect(mixed?.tagged_users).toHaveLength(6)
  })

  test('the last page of a list may have a cursor', () => {
    const last = 'recorded/graphql_timeline_2018_nintendo_last_page.json'
    expect(timeline(last)).toMatchObject({ more: false, cursor: expect.any(String) })
    expect(nodes(last)).toMatchObject([
      {
        post_id: '205935193850220386',
        caption: null,
        like_count: 4099,
        owner: { id: '13213170', username: null },
      },
    ])
  })

  test('videos without an address have their posters, and are marked', () => {
    const lost = nodes('recorded/graphql_timeline_2018_nintendo_page4_first30.json')
      .filter(({ media }) => media.some(({ error }) => error !== null))
      .map(({ post_id, media }) => [post_id, media[0]?.kind, media[0]?.error])
    const words = 'the source gave no URL of the video: this is its poster'
    expect(lost).toEqual(
      ['941555191104245487', '935039438255394218', '929973404599160742', '924926518049737945'].map((id) => [
        id,
        'video',
        words,
      ]),
    )
  })

  test('a user of the queries for members is read', () => {
    expect(profileOf(json('recorded/polaris_user_object_2024_public_profile.json'), origin)).toMatchObject({
      id: '1265418363',
      username: 'lugasanegah',
      full_name: 'Lugas Anegah',
      external_url: null,
      is_private: false,
      is_verified: false,
      follower_count: 885,
      following_count: 824,
      post_count: 151,
    })
  })

  test.each([
    ['recorded/lox_profile_page_2026-10_natgeo_3_of_12_posts.html', 'profile', 2, 0],
    ['recorded/lox_throttled_profile_page_2026-10.html', 'profile', 0, 0],
    ['recorded/lox_post_page_2026-10_reel.html', 'post', 0, 1],
    ['recorded/lox_login_page_2026-10.html', 'sign-in', 0, 0],
    ['recorded/lox_not_found_page_2026-10.html', 'missing', 0, 0],
    ['recorded/polaris_profile_page_shell_logged_out_2025.html', null, 0, 0],
    ['made/profile_page_with_tokens.made.html', 'profile', 2, 0],
  ] as const)('the kind and the records of a page are read: %s', (file, kind, users, media) => {
    const page = readPage(recordings.text(file))
    expect([page.kind, page.users.length, page.posts.length]).toEqual([kind, users, media])
  })

  test('the ids of queries are read from a page', () => {
    expect([...readPage(recordings.text('made/profile_page_with_tokens.made.html')).queries]).toEqual([
      ['PolarisLoggedOutDesktopWWWProfileRootContentQuery', '27981003384861049'],
      ['PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery', '27553725110923321'],
    ])
  })
})
