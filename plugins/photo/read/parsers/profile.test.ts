import { describe, expect, test } from 'bun:test'
import { user as forVisitors, webProfile } from '../../fixtures/sample.ts'
import { detailsOf, pictureOf, profileOf } from './profile.ts'

const origin = 'https://www.instagram.com'
const url = (name: string) => `https://scontent.cdninstagram.com/${name}`

describe('a profile', () => {
  test('for members has every field', () => {
    const user = {
      pk: 1518284433,
      id: '17841400000000001',
      username: 'robin',
      follower_count: 3,
      following_count: 2,
      media_count: 1,
      is_verified: true,
      full_name: '',
      external_url: '',
      hd_profile_pic_url_info: { url: url('hd.jpg') },
      profile_pic_url: url('small.jpg'),
    }
    expect(profileOf(user, origin)).toEqual({
      id: '1518284433',
      username: 'robin',
      full_name: null,
      url: `${origin}/robin/`,
      biography: null,
      external_url: null,
      is_private: null,
      is_verified: true,
      follower_count: 3,
      following_count: 2,
      post_count: 1,
    })
    expect(pictureOf(user)).toBe(url('hd.jpg'))
  })

  test('has the same fields by each route, but visitors are not told the number of posts', () => {
    const list = { count: 4, edges: [] }
    const { user } = webProfile(list, { biography: 'Hello', external_url: url('home') }).data
    const visitors = forVisitors({ biography: 'Hello', bio_links: [{ url: url('home') }] })
    expect(profileOf(visitors, origin)).toEqual({ ...profileOf(user, origin), post_count: null })
    expect(profileOf(user, origin).post_count).toBe(4)
  })

  test.each([{}, { id: '7' }, { id: '7', username: 'a/b' }, { id: 'x', username: 'robin' }, null])(
    'without an id or a valid username throws: %j',
    (user) => {
      expect(() => profileOf(user, origin)).toThrow('no id or username')
    },
  )

  test('has details in the words of each route', () => {
    const user = { category: 'Lamp shop', is_business: true, profile_pic_url: url('small.jpg') }
    const details = {
      category: 'Lamp shop',
      is_business: true,
      bio_links: [],
      profile_pic_url: url('small.jpg'),
    }
    expect(detailsOf(user)).toEqual(details)
    const other = {
      category_name: 'Lamp shop',
      is_business_account: true,
      profile_pic_url_hd: url('small.jpg'),
    }
    expect(detailsOf(other)).toEqual(details)
    const bio_links = [{ url: 'https://lamps.example/', title: 'Lamps' }, { title: 'nowhere' }]
    expect(detailsOf({ bio_links }).bio_links).toEqual([{ url: 'https://lamps.example/', title: 'Lamps' }])
  })
})
