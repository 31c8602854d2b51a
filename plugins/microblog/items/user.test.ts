/** Accounts and lists: every field, in the place where each generation of the site has it. */
import { describe, expect, test } from 'bun:test'
import { SourceError } from 'gleaner/plugin'
import { account } from '../fixtures/sample.ts'
import { listOf } from './list.ts'
import { authorOf, userOf } from './user.ts'

const codeOf = (read: () => unknown) => {
  try {
    read()
    return 'none'
  } catch (error) {
    if (error instanceof SourceError) return error.code
    throw error
  }
}

describe('an account', () => {
  const first = {
    __typename: 'User',
    rest_id: '7',
    is_blue_verified: true,
    legacy: {
      screen_name: 'ann',
      name: 'Ann',
      created_at: 'Thu Mar 04 09:10:11 +0000 2021',
      profile_image_url_https: 'https://pbs.twimg.com/ann.jpg',
      description: 'Lamps & more',
      followers_count: 11,
      friends_count: 12,
      statuses_count: 13,
      location: 'Lampville',
      verified: true,
      protected: true,
      url: 'https://t.co/ann',
      entities: { url: { urls: [{ url: 'https://t.co/ann', expanded_url: 'https://ann.example/' }] } },
    },
  }
  const { followers_count, friends_count, statuses_count, description, url, entities } = first.legacy
  const second = {
    __typename: 'User',
    rest_id: '7',
    is_blue_verified: true,
    avatar: { image_url: 'https://pbs.twimg.com/ann.jpg' },
    core: { screen_name: 'ann', name: 'Ann', created_at: 'Thu Mar 04 09:10:11 +0000 2021' },
    legacy: { followers_count, friends_count, statuses_count, description, url, entities },
    location: { location: 'Lampville' },
    privacy: { protected: true },
    verification: { verified: true },
  }
  const { legacy: _, ...rest } = second
  const third = {
    ...rest,
    profile_bio: { description: 'Lamps & more', entities },
    relationship_counts: { followers: 11, following: 12 },
    tweet_counts: { tweets: 13 },
    website: { url: 'https://t.co/ann' },
  }
  const whole = {
    id: '7',
    screen_name: 'ann',
    name: 'Ann',
    description: 'Lamps & more',
    location: 'Lampville',
    url: 'https://ann.example/',
    verified: true,
    is_blue_verified: true,
    protected: true,
    followers_count: 11,
    friends_count: 12,
    statuses_count: 13,
    created_at: '2021-03-04T09:10:11Z',
    profile_image_url: 'https://pbs.twimg.com/ann.jpg',
  }

  test.each([
    ['until spring 2025', first],
    ['from May 2025 on', second],
    ['from August 2026 on', third],
  ])('in the form used %s has every field', (_, result) => {
    expect(userOf(result)).toEqual(whole)
    expect(authorOf(result)).toEqual({
      id: '7',
      screen_name: 'ann',
      name: 'Ann',
      verified: true,
      is_blue_verified: true,
      profile_image_url: 'https://pbs.twimg.com/ann.jpg',
      followers_count: 11,
    })
  })

  test('has null for missing fields, and false for missing flags', () => {
    const bare = {
      __typename: 'User',
      rest_id: '7',
      core: { screen_name: 'ann' },
      legacy: { description: '' },
    }
    expect(userOf(bare)).toEqual({
      ...whole,
      name: null,
      description: null,
      location: null,
      url: null,
      verified: false,
      is_blue_verified: false,
      protected: false,
      followers_count: null,
      friends_count: null,
      statuses_count: null,
      created_at: null,
      profile_image_url: null,
    })
  })

  test('without an expanded web site URL has the short one', () => {
    expect(userOf({ ...third, profile_bio: {} })?.url).toBe('https://t.co/ann')
  })

  test('that is suspended is read as null; one without an id or a name throws source-changed', () => {
    expect(userOf({ __typename: 'UserUnavailable', reason: 'Suspended' })).toBeNull()
    expect(userOf(undefined)).toBeNull()
    expect(codeOf(() => userOf({ __typename: 'User', rest_id: '7' }))).toBe('source-changed')
    expect(codeOf(() => userOf({ ...first, rest_id: undefined }))).toBe('source-changed')
  })
})

test('a list without an owner has an owner of nulls; a list without an id throws source-changed', () => {
  expect(listOf({ id_str: '5', name: 'Lamps' })).toMatchObject({ id: '5', owner: { id: null } })
  expect(listOf({ id_str: '5', owner_results: { result: account(1) } }).owner.screen_name).toBe('maker_1')
  expect(codeOf(() => listOf({ name: 'Lamps' }))).toBe('source-changed')
})

test('the web site of a profile is the short URL if its target is unknown', () => {
  const at = (parts: object) => userOf({ rest_id: '1', core: { screen_name: 'ann' }, ...parts })?.url
  expect(at({ website: { url: 'https://t.co/a' } })).toBe('https://t.co/a')
  expect(at({ legacy: { url: 'https://t.co/b' } })).toBe('https://t.co/b')
  const entities = { url: { urls: [{ expanded_url: 'https://lamps.example/' }] } }
  expect(at({ legacy: { url: 'https://t.co/b', entities } })).toBe('https://lamps.example/')
})

test('a list is identified by either of its ids', () => {
  expect(listOf({ rest_id: '5', name: 'Lamps' })).toMatchObject({ id: '5', name: 'Lamps' })
})
