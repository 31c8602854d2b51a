import { describe, expect, test } from 'bun:test'
import type { Exchange } from '../../../src/plugin/testing.ts'
import { Renaming } from '../../../tools/mock-sites/renaming.ts'

const HOME: Exchange = {
  request: '/tag/lamps',
  json: { name: 'lamps', title: 'Lamps at dusk', lamps: 2, page: '/tag/lamps' },
}
const PAGE: Exchange = { request: '/more?page=2', body: '<b data-lamps="1">Twelve lamps</b> and lampshades' }

/** A family with one cassette, whose input names lamps. */
function family(): Renaming {
  const input = { hashtag: '#lamps', max_videos: 30 }
  return new Renaming('shortvideo', [{ task: 'shortvideo.hashtag', input, exchanges: [HOME, PAGE] }])
}
const get = (path: string) => ({ method: 'GET', path, body: '' })

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
    expect(answer(HOME).json).toEqual({ name: 'kites', title: 'Kites at dusk', lamps: 2, page: '/tag/kites' })
  })

  test('keeps the name for the pages that follow, and changes no attributes or longer words', () => {
    const renaming = family()
    renaming.of(get('/tag/kites'))
    expect(renaming.of(get('/more?page=2')).answer(PAGE).body).toBe(
      '<b data-lamps="1">Twelve kites</b> and lampshades',
    )
    renaming.of(get('/tag/lamps'))
    expect(renaming.of(get('/more?page=2')).answer(PAGE)).toEqual(PAGE)
  })

  test.each(['nobodyhere', 'Xyzzyland'])('knows nothing about %s', (name) => {
    const { requests, unknown } = family().of(get(`/tag/${name}`))
    expect(requests).toEqual([])
    expect(unknown?.json).toMatchObject({ statusCode: 10_205 })
  })
})
