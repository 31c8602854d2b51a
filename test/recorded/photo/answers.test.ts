/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { parseJson } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { opened } from '../../../plugins/photo/fixtures/sample.ts'
import { pageIn, readPost } from '../../../plugins/photo/pages.ts'
import { type Profile, pictureOf, profileOf } from '../../../plugins/photo/profile.ts'
import { profileDownload } from '../../../plugins/photo/profile-download.ts'
import source from '../../../plugins/photo/source.ts'
import { exchangesOf } from '../recordings.ts'
import { cases } from './cases.ts'

const { recordings } = cases
const origin = 'https://www.instagram.com'

/** Answers to requests that no task makes. They are read separately below. */
const APART: Readonly<Record<string, string>> = {
  'INDEX.json': 'says what the others are',
  'api_v1_users_info_2021_robertdowneyjr.json': 'a user by id, which an export does not ask for',
  'polaris_user_object_2024_public_profile.json':
    "a user of the newer GraphQL, without the answer's envelope",
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
    ['reels, signed in', 12, 12],
    ['a carousel with a video, signed in', 1, 4],
    ['a carousel of pictures, signed in', 1, 3],
  ])('%s: %i posts, %i media', async (name, posts_exported, media_files) => {
    const { error, rest, files } = await outcomeOf(name)
    expect([error, rest]).toMatchObject([null, { posts_exported, media_files, media_failed: 0 }])
    expect((await opened(files[0])).manifest.authenticated).toBe(true)
  })

  test('every recording is used by a case or listed with a reason', () => {
    const used = cases.cases.flatMap(({ files }) => files)
    expect([...new Set([...used, ...Object.keys(APART)])].sort()).toEqual(recordings.files())
  })

  describe('a failure page ends the run with its code', () => {
    test.each(cases.cases.filter(({ ends }) => ends).map(({ name }) => name!))('%s', async (name) => {
      const { error, one, rest } = await outcomeOf(name)
      expect(error?.code).toBe(one.ends!)
      expect(rest.posts_exported).toBeNull()
    })

    test('the error has the message of the source', async () => {
      const words = async (name: string) => (await outcomeOf(name)).error?.message
      expect(await words('a limit')).toBe('403: Please wait a few minutes before you try again.')
      expect(await words('a checkpoint')).toBe('400: checkpoint_required')
      expect(await words('the shell of a page instead of the answer')).toContain(
        'Pluto (@pluto__travel) • Instagram photos and videos',
      )
    })
  })

  test('the first page yields 12 posts with 24 media; five of the posts are videos', async () => {
    const { error, rest, files } = await outcomeOf('the first page')
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
    const { names, json, manifest } = await opened(files[0])
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

  test('three pages end at the last one although it has a cursor', async () => {
    const { error, rest, files, requests } = await outcomeOf('three pages to the end')
    expect(error).toBeNull()
    expect(rest).toMatchObject({ posts_exported: 25, stopped_reason: 'end', complete: true, media_failed: 0 })
    const asked = requests.flatMap(({ url }) => new URL(url).searchParams.get('variables') ?? [])
    expect(asked.map((variables) => JSON.parse(variables))).toEqual([
      {
        id: '1518284433',
        first: 50,
        after:
          'QVFCdm9FT3NEbDA5WWVQTU1xRHA3TDhJMVhYMVA1dVhuaEViTDVxMGFXc3VlNnRlcElHOG5kRWUzQ1o3b2JzN3dUVmJiZW9JclBlNVNieWJ3RnlfRW42Zg==',
      },
      {
        id: '1518284433',
        first: 50,
        after:
          'QVFCT1Y3cVc2eDZYQkRldHNGOXkwWGZjU0Y1S1VMOFNRQ05SZkxwcGFUT1ZBNE04RGpwMmdlMHBVdnZPOFpvd0U1X2VlRUU5VTM5Q2FOdmRpdFBuN3JNVA==',
      },
    ])
    const { json } = await opened(files[0])
    expect(json('metadata/20200118_200956_B7eUksNFA-K.json')).toMatchObject({
      post_id: '2224305748263047050',
      type: 'video',
      like_count: 695_047,
      comment_count: 1939,
      view_count: 2_726_827,
      location: { id: '219278730', name: 'The Grand' },
      media: [{ width: 750, height: 421 }],
    })
    const mixed = json('metadata/20200116_001731_B7XDCBNlds_.json')
    expect(mixed.media.map(({ kind }: { kind: string }) => kind)).toEqual([
      'image',
      'image',
      'image',
      'image',
      'video',
    ])
    expect(mixed.tagged_users).toHaveLength(6)
    expect(json('metadata/20120604_002329_LboPe8MY9i.json')).toMatchObject({
      post_id: '205935193850220386',
      caption: null,
      like_count: 4099,
      comment_count: 563,
      owner: { id: '13213170', username: null },
    })
  })

  test('videos without an address are exported with their posters and marked', async () => {
    const { error, rest, files } = await outcomeOf('videos without an address')
    expect(error).toBeNull()
    expect(rest).toMatchObject({ posts_exported: 42, media_files: 54, media_failed: 0 })
    const { manifest, json } = await opened(files[0])
    expect(manifest.errors.map(({ post_id }: { post_id: string }) => post_id)).toEqual([
      '941555191104245487',
      '935039438255394218',
      '929973404599160742',
      '924926518049737945',
    ])
    const [media] = json('metadata/20150315_232907_0RE3UuMY7v.json').media
    expect(media).toMatchObject({
      kind: 'video',
      file: 'robertdowneyjr/media/20150315_232907_0RE3UuMY7v.jpg',
    })
    expect(media.error).toContain('its poster')
  })

  test('a page of 2021 yields 12 posts, two of them carousels', async () => {
    const { error, rest, files, requests } = await outcomeOf('a page of 2021')
    expect([error, requests[2]?.url]).toEqual([null, 'https://www.instagram.com/robertdowneyjr/'])
    expect(rest).toMatchObject({ posts_exported: 12, posts_reported_by_source: 453, media_files: 14 })
    expect(rest.profile).toMatchObject({
      external_url: 'http://coreresponse.org/covid19',
      biography: '@officialfootprintcoalition @coreresponse',
    })
    const { json, manifest } = await opened(files[0])
    expect(json('metadata/20200512_200601_CAGcDKplv2X.json')).toMatchObject({
      like_count: 686_512,
      type: 'image',
    })
    expect(json('metadata/20200226_221556_B9C-gPhBKfH.json')).toMatchObject({
      type: 'carousel',
      location: { id: '213387672', name: 'Venice, California' },
    })
    // The page has its four videos without their addresses.
    expect(manifest.errors).toHaveLength(4)
  })
})

describe('recorded separately', () => {
  const json = (file: string) => parseJson(recordings.text(file), { exact: true })
  const nobody = { id: '0', username: 'nobody' } as Profile
  const posts = (file: string) => pageIn(json(file)).nodes.map((node) => readPost(node, nobody, origin).post)

  test('a carousel of a video and three pictures is read with exact ids', () => {
    const [post] = posts('api_v1_media_info_carousel_mixed_2020.json')
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
    const [post] = posts('api_v1_media_info_carousel_images_2020.json')
    expect(post).toMatchObject({
      post_id: '2317006284167526179',
      taken_at: '2020-05-25T17:44:54Z',
      hashtags: ['LetsGetLoud', 'MemorialDay'],
    })
    expect(post?.media.map(({ width }) => width)).toEqual([1440, 1242, 1440])
  })

  test('a page of twelve reels is read', () => {
    const file = 'api_v1_clips_user_2021_page.json'
    expect(pageIn(json(file))).toMatchObject({
      more: true,
      cursor:
        'QVFDcVkyR09pYU9nZXN6RFp3bzFJbkQxckVuQ0lFM3BISFFhdWVjdHV0bGw0UzFqbjF5ODZVMjJ5TFAtaDFTOVVHdS1CLXNTdy1FZFRLLWFkU1Z3SGhlZg==',
    })
    const reels = posts(file)
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

  test('users of newer answers are read', () => {
    const { user } = json('api_v1_users_info_2021_robertdowneyjr.json') as { user: unknown }
    expect(profileOf(user, origin)).toMatchObject({
      id: '1518284433',
      external_url: 'http://www.swau.com/RDJ',
      follower_count: 50_857_062,
      following_count: 4,
      post_count: 400,
      is_verified: true,
    })
    expect(pictureOf(user)).toContain('&oh=d97910fcfa8d73e4da653d56773f2f2f')
    expect(profileOf(json('polaris_user_object_2024_public_profile.json'), origin)).toMatchObject({
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
})
