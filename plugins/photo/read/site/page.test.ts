import { describe, expect, test } from 'bun:test'
import { list, page, part, posts, record, user } from '../../fixtures/sample.ts'
import { profileAmong, readPage } from './page.ts'

const html = (...of: Parameters<typeof page>) => String(page(...of).body)

describe('a page', () => {
  test.each(['profile', 'post', 'missing', 'sign-in'] as const)('of the kind %s is recognized', (kind) => {
    expect(readPage(html(kind)).kind).toBe(kind)
  })

  test('has the token and the ids of the queries of visitors', () => {
    const name = 'PolarisLoggedOutDesktopWWWPostRootContentQuery'
    const read = readPage(
      html('post', [], [], { token: 'AdOther', queries: { [name]: '123', SomeQuery: '5' } }),
    )
    expect(read.token).toBe('AdOther')
    expect([...read.queries]).toEqual([[name, '123']])
    expect(readPage(html('post', [], [], { token: null })).token).toBeNull()
    // No header can have this one.
    expect(readPage(html('post', [], [], { token: 'Ad\nOther' })).token).toBeNull()
  })

  test('has all records of posts, with exact ids', () => {
    const body = html('post', [], [record(1), record(2)]).replaceAll('"1001"', '3999518748855536783')
    expect(readPage(body).posts).toMatchObject([{ pk: '3999518748855536783' }, { pk: '1002' }])
  })

  test.each([
    ['nothing', ''],
    ['no scripts', '<title>Robin</title>'],
    ['a script that is not closed', '<script type="application/json" data-sjs>{"canonicalRouteName":'],
    ['broken JSON', '<script type="application/json" data-sjs>{"xig_user_by_username":{</script>'],
    ['scripts of another type', '<script data-sjs>{"xig_user_by_username":{"pk":"7"}}</script>'],
    ['data outside of scripts', '{"xig_user_by_username":{"pk":"7"}}'],
    ['JSON of 100,000 levels', `<script type="application/json" data-sjs>${'['.repeat(100_000)}</script>`],
    ['a null in place of the profile', html('profile', [null])],
  ])('with %s has no data', (_, body) => {
    expect(readPage(body)).toMatchObject({ users: [], posts: [], queries: new Map() })
  })
})

describe('the records of a profile', () => {
  const [about, its] = [user(), posts(list([part(1)]))]
  test.each([
    ['in one order', [about, its]],
    ['in the other order', [its, about]],
    ['with a number as pk', [{ ...about, pk: 7 }, its]],
    ['of which one has no pk', [about, { ...its, pk: undefined }]],
    ['of which one has no pk and comes first', [{ ...its, pk: undefined }, about]],
    ['of which one has nulls', [about, { ...its, username: null, full_name: null }]],
    ['among others', [{ pk: '8', id: '1784', username: 'kim' }, its, { pk: '8', biography: 'x' }, about]],
  ])('%s are merged', (_, parts) => {
    const profile = profileAmong(parts, 'robin')
    expect(profile).toMatchObject({
      username: 'robin',
      full_name: 'Robin',
      polaris_ordered_timeline_connection: { edges: [{ node: { code: 'post1' } }] },
    })
    expect(String((profile as { pk: unknown }).pk)).toBe('7')
  })

  test('of other profiles are not taken for it', () => {
    expect(profileAmong([user({ username: 'kim' }), its], 'robin')).toBeUndefined()
    expect(profileAmong([user({ username: 'Robin' })], 'robin')).toBeDefined()
  })
})
