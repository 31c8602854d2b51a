/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { profileDownload } from './profile-download.ts'

test.each([
  [{ profile: '@Robin.Sees' }, '@robin.sees'],
  [
    { profile: 'https://www.instagram.com/robin.sees/?igsh=secret', maxPosts: 1500 },
    '@robin.sees · 1,500 posts',
  ],
] as const)('profileDownload of %j is %s', (input, title) => {
  expect(profileDownload.summary?.(input)).toBe(title)
})
