/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { channelShorts } from './channel-shorts.ts'

test.each([
  [{ handle: 'PaperBoatStudio' }, '@PaperBoatStudio'],
  [
    { channel_id: `UC${'a'.repeat(22)}`, sort: 'popular', pages: 2 },
    'UCaaaaaaaaaaaaaaaaaaaaaa · popular · 2 pages',
  ],
  [{ channel_url: 'https://m.youtube.com/c/PaperBoat/shorts?si=secret' }, 'c/PaperBoat'],
  [{ channel_url: 'https://www.youtube.com/@PaperBoatStudio/shorts?si=secret' }, '@PaperBoatStudio'],
] as const)('channelShorts of %j is %s', (input, title) => {
  expect(channelShorts.summary?.(input)).toBe(title)
})
