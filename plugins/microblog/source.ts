/**
 * Microblog: X. It shows searches and timelines to members only, and its lists answer only to calls that the site's own
 * script has signed, so both tasks open the page with a saved login and read the answers that the page gets.
 *
 * @module
 */
import { defineSource } from 'gleaner/plugin'
import { search } from './search.ts'
import { ORIGIN } from './site.ts'
import { timeline } from './timeline.ts'

export default defineSource({
  name: 'microblog',
  title: 'Microblog (X)',
  origin: ORIGIN,
  hosts: ['x.com', '*.x.com', 'twitter.com', '*.twitter.com'],
  // Scripts, styles and pictures of the site.
  assetHosts: ['*.twimg.com'],
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [
    {
      // The sign-in pages, and those where an account that is locked proves who it is.
      url: /^https?:\/\/(?:[\w-]+\.)?(?:x|twitter)\.com\/(?:i\/flow\/login|i\/jf\/onboarding|login|logout|account\/access)(?:[/?#]|$)/,
      ends: 'source-login-required',
    },
  ],
  login: {
    url: 'https://x.com/i/flow/login',
    // Hosts of the checks that a sign-in may ask of a person.
    hosts: ['*.arkoselabs.com', 'challenges.cloudflare.com'],
    signedIn: { cookies: ['auth_token', 'ct0'] },
    check: '/home',
  },
  tasks: [search, timeline],
})
