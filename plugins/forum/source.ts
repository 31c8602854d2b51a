/**
 * Reddit: as JSON with the operator's API key or a login, otherwise from the parts of pages that visitors are shown.
 *
 * @module
 */
import { defineSource } from 'gleaner/plugin'
import { details } from './details.ts'
import { posts } from './posts.ts'
import { hot, rising } from './ranked.ts'
import { search } from './search.ts'
import { ME, namesPerson } from './site/ask.ts'
import { restOf } from './site/limits.ts'
import { user } from './user.ts'
import { wiki } from './wiki.ts'

export default defineSource({
  name: 'forum',
  title: 'Forum (Reddit)',
  origin: 'https://www.reddit.com',
  hosts: ['reddit.com', '*.reddit.com'],
  // Visitors have 200 requests in ten minutes, an API key 100 a minute. The headers tell when they are used up.
  pace: {
    perSecond: 1,
    perMinute: 20,
    concurrent: 2,
    hosts: { 'oauth.reddit.com': { perSecond: 1, concurrent: 2 } },
    rest: restOf,
  },
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
    { url: /^https?:\/\/(?:[^/]+\.)?reddit\.com\/.*[?&](?:captcha|js_challenge)=/, ends: 'source-blocked' },
  ],
  credentials: ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'],
  login: {
    url: 'https://www.reddit.com/login/',
    hosts: [
      ...['*.redditstatic.com', '*.redditmedia.com', '*.redd.it'],
      // a captcha, and the sign-in with an account of Google or Apple
      ...[
        'www.google.com',
        'www.gstatic.com',
        'www.recaptcha.net',
        'accounts.google.com',
        'appleid.apple.com',
      ],
    ],
    // Visitors have all the site's other cookies.
    signedIn: { cookies: ['reddit_session'] },
    // The login was made in a browser.
    check: { url: ME, names: namesPerson, as: 'fetch' },
  },
  tasks: [search, posts, hot, rising, user, details, wiki],
})
