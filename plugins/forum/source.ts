/**
 * Reddit, read through the public JSON form of its pages.
 *
 * @module
 */
import { defineSource } from 'gleaner/plugin'
import { details } from './details.ts'
import { posts } from './posts.ts'
import { hot, rising } from './ranked.ts'
import { search } from './search.ts'
import { user } from './user.ts'
import { wiki } from './wiki.ts'

export default defineSource({
  name: 'forum',
  title: 'Forum (Reddit)',
  origin: 'https://www.reddit.com',
  hosts: ['reddit.com', '*.reddit.com'],
  // Visitors without a key are soon blocked at higher rates.
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [
    // The site redirects requests for a community that does not exist to its search.
    {
      url: /^https?:\/\/(?:[^/]+\.)?reddit\.com\/(?:subreddits\/search\b|search\b.*[?&]type=sr)/,
      ends: 'not-found',
    },
    {
      url: /^https?:\/\/(?:[^/]+\.)?reddit\.com\/(?:account\/)?(?:login|register)\b/,
      ends: 'source-login-required',
    },
    { url: /^https?:\/\/(?:[^/]+\.)?reddit\.com\/(?:over18|quarantine)\b/, ends: 'restricted' },
    { url: /^https?:\/\/(?:[^/]+\.)?reddit\.com\/.*[?&]captcha=/, ends: 'source-blocked' },
  ],
  tasks: [search, posts, hot, rising, user, details, wiki],
})
