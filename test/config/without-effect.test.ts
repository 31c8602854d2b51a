/** Settings of sources and ways out that change nothing are named with the reason. */
import { expect, test } from 'bun:test'
import { readConfig, settingsWithoutEffect } from '../../src/config.ts'

const sources = ['forum', 'video', 'photo', 'realty_a'].map((name) => ({ name }))
const withoutEffect = (env: Record<string, string>) =>
  settingsWithoutEffect(
    readConfig({ PROXY_URL: 'http://a.example', PROXY_HOME: 'http://u-{country}:p@b.example', ...env }),
    sources,
  ).map(({ setting, reason }) => `${setting}: ${reason}`)

test('a setting of a source that does not exist', () => {
  expect(
    withoutEffect({
      SOURCE_FORM_PROXY: 'home',
      SOURCE_TYPO_COUNTRY: 'de',
      SOURCE_TYPO_PACE: '1',
      SOURCE_TYPO_ORIGIN: 'http://127.0.0.1:1',
    }),
  ).toEqual([
    'SOURCE_FORM_PROXY: no source has the name form',
    'SOURCE_TYPO_COUNTRY: no source has the name typo',
    'SOURCE_TYPO_PACE: no source has the name typo',
    'SOURCE_TYPO_ORIGIN: no source has the name typo',
  ])
})

test('the way out of a replaced origin', () => {
  expect(
    withoutEffect({
      SOURCE_REALTY_A_PROXY: 'home',
      SOURCE_REALTY_A_COUNTRY: 'de',
      SOURCE_REALTY_A_PACE: '1',
      SOURCE_REALTY_A_ORIGIN: 'http://127.0.0.1:1',
      SOURCE_VIDEO_PROXY: 'direct',
      SOURCE_VIDEO_ORIGIN: 'http://127.0.0.1:1',
    }),
  ).toEqual([
    'SOURCE_REALTY_A_PROXY: requests to SOURCE_REALTY_A_ORIGIN go out directly',
    'SOURCE_REALTY_A_COUNTRY: requests to SOURCE_REALTY_A_ORIGIN go out directly',
  ])
})

test('a country for which the way out has no place', () => {
  expect(
    withoutEffect({
      SOURCE_FORUM_PROXY: 'home',
      SOURCE_FORUM_COUNTRY: 'de',
      SOURCE_VIDEO_PROXY: 'direct',
      SOURCE_VIDEO_COUNTRY: 'de',
      SOURCE_PHOTO_COUNTRY: 'de',
    }),
  ).toEqual([
    'SOURCE_VIDEO_COUNTRY: this source is reached directly',
    'SOURCE_PHOTO_COUNTRY: the way out of this source has no {country}',
  ])
})

test("a way out that is no proxy's URL and that no source names", () => {
  expect(withoutEffect({ PROXY_OFFICE: 'htp://c.example' })).toEqual([
    "PROXY_OFFICE: it is no proxy's URL, and no source names it",
  ])
})

test('credentials, and ways out that are used, have an effect', () => {
  expect(withoutEffect({ SOURCE_FORUM_OAUTH_CLIENT_ID: 'x', SOURCE_FORUM_PROXY: 'default' })).toEqual([])
})
