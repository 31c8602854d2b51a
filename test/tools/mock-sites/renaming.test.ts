import { describe, expect, test } from 'bun:test'
import type { Exchange } from '../../../src/plugin/testing.ts'
import { Renaming } from '../../../tools/mock-sites/renaming.ts'

const HOME: Exchange = {
  request: '/tag/lamps',
  json: {
    name: 'lamps',
    title: 'Lamps at dusk',
    lamps: 2,
    page: '/tag/lamps',
    id: '4242',
    top: '7400000000000000001',
  },
}
const PAGE: Exchange = {
  request: '/api/challenge/item_list/?challengeID=4242',
  body: '<b data-lamps="1">Twelve lamps</b> and lampshades',
}
const VIDEO: Exchange = { request: '/embed/v2/7400000000000000001', body: 'One of twelve lamps' }

/** A family with one cassette, whose input names lamps. */
function family(): Renaming {
  const input = { hashtag: '#lamps', max_videos: 30 }
  return new Renaming('shortvideo', [{ task: 'shortvideo.hashtag', input, exchanges: [HOME, PAGE, VIDEO] }])
}
const get = (path: string) => ({ method: 'GET', path, body: '' })
type Ids = { readonly id: string; readonly top: string }

describe('a mock site', () => {
  test('answers a recorded name as it was recorded, in any case of its letters', () => {
    for (const path of ['/tag/lamps', '/tag/Lamps']) {
      const { requests, answer } = family().of(get(path))
      expect(requests).toEqual([get(path)])
      expect(answer(HOME)).toEqual(HOME)
    }
  })

  test('answers another name with what it recorded, under that name', () => {
    const { requests, answer } = family().of(get('/tag/kites'))
    expect(requests).toContainEqual(get('/tag/lamps'))
    expect(answer(HOME).json).toMatchObject({
      name: 'kites',
      title: 'Kites at dusk',
      lamps: 2,
      page: '/tag/kites',
    })
  })

  test('follows the ids of each answer to its own name, while others are asked for', () => {
    const site = family()
    const ids = ['kites', 'boats'].map((name) => site.of(get(`/tag/${name}`)).answer(HOME).json as Ids)
    site.of(get('/tag/lamps'))
    for (const [i, word] of ['kites', 'boats'].entries()) {
      const list = site.of(get(`/api/challenge/item_list/?challengeID=${ids[i]!.id}`))
      expect(list.requests).toContainEqual(get(PAGE.request))
      // Attributes and longer words stay.
      expect(list.answer(PAGE).body).toBe(`<b data-lamps="1">Twelve ${word}</b> and lampshades`)
      const video = site.of(get(`/embed/v2/${ids[i]!.top}`))
      expect([video.requests[0], video.answer(VIDEO).body]).toEqual([
        get(VIDEO.request),
        `One of twelve ${word}`,
      ])
    }
    expect(site.of(get(PAGE.request)).answer(PAGE)).toEqual(PAGE)
  })

  test.each(['nobodyhere', 'Xyzzyland'])('knows nothing about %s', (name) => {
    const { requests, own } = family().of(get(`/tag/${name}`))
    expect(requests).toEqual([])
    expect(own?.json).toMatchObject({ statusCode: 10_205 })
  })

  test('knows no id that none of its answers had', () => {
    const site = family()
    expect(site.of(get('/api/challenge/item_list/?challengeID=1')).own?.status).toBe(404)
    expect(site.of(get('/embed/v2/7499999999999999999')).own?.body).toContain('"errorCode":10202')
  })

  test('gives a member of another name an address of its own, which leads to its items', () => {
    const url = 'https://shop.example/member/20240017-marigold'
    const users: Exchange = { request: '/api/v2/users?page=1', json: { login: 'marigold', url } }
    const items: Exchange = { request: '/api/v2/wardrobe/*/items', json: { login: 'marigold' } }
    const site = new Renaming('marketplace', [
      { task: 'marketplace.member.search', input: { query: 'marigold' }, exchanges: [users] },
      { task: 'marketplace.member.items', input: { member_url: url }, exchanges: [items] },
    ])
    const found = site.of(get('/api/v2/users?search_text=rose&page=1')).answer(users).json as { url: string }
    const [, id] = /\/member\/(\d+)-rose$/.exec(found.url) ?? []
    expect(id).not.toBe('20240017')
    const wardrobe = site.of(get(`/api/v2/wardrobe/${id}/items`))
    expect(wardrobe.answer(items).json).toEqual({ login: 'rose' })
    expect(site.of(get('/api/v2/wardrobe/555/items')).own?.status).toBe(404)
  })

  test.each(["it's", 'a "b"', 'a&b + c? 100%', '<b>'])('finds the recorded search for %s', (query) => {
    const search: Exchange = { request: '/search?q=tomato+seedlings', body: '{"t":"Tomato seedlings fell"}' }
    const input = { query: 'tomato seedlings' }
    const site = new Renaming('forum', [{ task: 'forum.search', input, exchanges: [search] }])
    const { requests, answer } = site.of(get(`/search?${new URLSearchParams({ q: query })}`))
    expect(requests.map(({ path }) => path)).toContain(search.request)
    expect(answer(search).body).not.toContain('omato')
    // The text stays readable as JSON and as HTML.
    expect(() => JSON.parse(String(answer(search).body))).not.toThrow()
    expect(answer(search).body).not.toContain('<')
  })

  test('puts the query and the community of one request each in its place', () => {
    const list: Exchange = {
      request: '/r/garden/search.json?q=seeds',
      json: { of: 'garden', about: 'seeds' },
    }
    const input = { query: 'seeds', community: 'r/garden' }
    const site = new Renaming('forum', [{ task: 'forum.search', input, exchanges: [list] }])
    const { requests, answer } = site.of(get('/r/wood/search.json?q=oak'))
    expect(requests.map(({ path }) => path)).toContain(list.request)
    expect(answer(list).json).toEqual({ of: 'wood', about: 'oak' })
  })
})
