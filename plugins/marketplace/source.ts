/**
 * Vinted, a marketplace for second-hand items: one site for each country, all with the same API.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { search } from './catalog/search.ts'
import { searchFiltered } from './catalog/search-filtered.ts'
import { HOSTS } from './domains.ts'
import { memberItems } from './members/member-items.ts'
import { memberSearch } from './members/member-search.ts'

export default defineSource({
  name: 'marketplace',
  title: 'Marketplace (Vinted)',
  origin: 'https://www.vinted.co.uk',
  hosts: HOSTS,
  imageHosts: ['*.vinted.net'],
  userAgent: BROWSER,
  // As measured in October 2026: after a rest 30 quick requests pass, and one a second for ever. The site counts those
  // to all its domains and hosts together.
  pace: { perSecond: 0.8, burst: 20, concurrent: 1, together: true },
  interstitials: [
    { url: /^https:\/\/(?:[a-z0-9-]+\.)*captcha-delivery\.com\//, ends: 'source-blocked' },
    {
      url: /^https:\/\/(?:(?:www|api)\.)*vinted\.[a-z.]+\/member\/(?:signup|login|session)\b/,
      ends: 'source-login-required',
    },
  ],
  tasks: [search, searchFiltered, memberSearch, memberItems],
})
