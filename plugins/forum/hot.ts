/**
 * `forum.community.hot`: what a community talks of now.
 *
 * @module
 */
import { defineTask } from 'gleaner/plugin'
import { ranked } from './ranked.ts'

export const hot = defineTask({
  key: 'forum.community.hot',
  title: 'Hot posts of a community',
  description: 'The posts that a community talks of now, those that it has pinned first.',
  ...ranked('hot'),
})
