/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import type { Static } from 'gleaner/plugin'
import { details } from './details.ts'
import { posts } from './posts.ts'
import { hot, rising } from './ranked.ts'
import { search } from './search.ts'
import { user } from './user.ts'
import { wiki } from './wiki.ts'

test.each([
  [{ query: 'tomato' }, 'tomato'],
  [
    { query: 'tomato', community: '/r/gardening/', sort: 'top', timeframe: 'week', after: 't3_abc12' },
    'tomato · r/gardening · top · week · after t3_abc12',
  ],
  [{ query: 'tomato', after: `0+${'1'.repeat(6)}` }, 'tomato · after 0+111111'],
  [{ query: 'tomato', after: 'x'.repeat(200) }, 'tomato · a later part'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})

test.each([
  [{}, 'front page'],
  [{ sort: 'best', limit: 9 }, 'front page · best'],
  [
    { community: 'https://old.reddit.com/r/gardening/top?t=day', before: 't3_abc12' },
    'r/gardening · before t3_abc12',
  ],
] as const)('posts of %j is %s', (input, title) => {
  expect(posts.summary?.(input)).toBe(title)
})

test.each([
  [{ community: 'otters' }, 'r/otters · hot'],
  [{ community: 'r/otters', after: 't3_abc12' }, 'r/otters · hot · after t3_abc12'],
] as const)('hot of %j is %s', (input, title) => {
  expect(hot.summary?.(input)).toBe(title)
})

test.each([[{ community: 'u_greenfingers' }, 'r/u_greenfingers · rising']] as const)(
  'rising of %j is %s',
  (input, title) => {
    expect(rising.summary?.(input)).toBe(title)
  },
)

test.each([[{ username: 'greenfingers', type: 'comments' }, 'u/greenfingers · comments']] as const)(
  'user of %j is %s',
  (input, title) => {
    expect(user.summary?.(input)).toBe(title)
  },
)

test.each([
  [{ community: 'gardening' }, 'r/gardening'],
  [{ community: 'gardening', pageName: 'config/sidebar' }, 'r/gardening · config/sidebar'],
] as const)('wiki of %j is %s', (input, title) => {
  expect(wiki.summary?.(input)).toBe(title)
})

test.each<[Partial<Static<typeof details.input>>, string]>([
  [{ url: 'https://www.reddit.com/r/gardening/' }, 'r/gardening'],
  [
    { community: 'gardening', include: ['rules'], includeModerators: true },
    'r/gardening · rules · with moderators',
  ],
])('details of %j is %s', (input, title) => {
  expect(details.summary?.(input)).toBe(title)
})
