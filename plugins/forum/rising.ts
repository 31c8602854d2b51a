/**
 * `forum.community.rising`: new posts of a community that gain votes fast.
 *
 * @module
 */
import { defineTask } from 'gleaner/plugin'
import { ranked } from './ranked.ts'

export const rising = defineTask({
  key: 'forum.community.rising',
  title: 'Rising posts of a community',
  description: 'New posts of a community that gain votes fast. Often there are few, and at times none.',
  ...ranked('rising'),
})
