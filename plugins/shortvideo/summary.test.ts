/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { comments } from './comments/task.ts'
import { hashtag } from './hashtag/task.ts'

test.each([
  [{ hashtag: '#lamps' }, '#lamps'],
  [{ hashtag: 'лампы', cursor: '30' }, '#лампы · from 30'],
] as const)('hashtag of %j is %s', (input, title) => {
  expect(hashtag.summary?.(input)).toBe(title)
})

test.each([
  [{ url: 'https://www.tiktok.com/@lamplighter/photo/730?_t=secret' }, '@lamplighter/video/730'],
  [{ username: '@lamplighter', video_id: '730', cursor: '20' }, '@lamplighter/video/730 · from 20'],
  [{ url: 'https://m.tiktok.com/v/730.html' }, 'video/730'],
  [{ url: 'https://vm.tiktok.com/ZM123/?k=secret' }, 'vm.tiktok.com/ZM123'],
] as const)('comments of %j is %s', (input, title) => {
  expect(comments.summary?.(input)).toBe(title)
})
