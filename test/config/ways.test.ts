/** The ways out by their names, and which source takes which. */
import { describe, expect, test } from 'bun:test'
import { ConfigError, checkWays, readConfig, wayOf } from '../../src/config.ts'
import { mistake } from './mistake.ts'

const SECRET = 'hunter2'

test('PROXY_URL is the way out of all sources that name no other', () => {
  const config = readConfig({
    PROXY_URL: ' http://a.example:3128  https://u:p@b.example ',
    PROXY_HOME: 'socks5://u-{session}:p@[2001:db8::1]:1080',
    SOURCE_REALTY_A_PROXY: 'HOME',
    SOURCE_VIDEO_PROXY: 'direct',
    SOURCE_PHOTO_PROXY: 'default',
    SOURCE_FORUM_ORIGIN: 'http://127.0.0.1:1',
  })
  const entries = [
    { url: 'http://a.example:3128', isTemplate: false },
    { url: 'https://u:p@b.example', isTemplate: false },
  ]
  expect([...config.ways.keys()]).toEqual(['default', 'home'])
  expect(wayOf(config, 'flights')).toEqual({ name: 'default', entries })
  expect(wayOf(config, 'photo')).toEqual({ name: 'default', entries })
  expect(wayOf(config, 'realty_a')).toEqual({
    name: 'home',
    entries: [{ url: 'socks5://u-{session}:p@[2001:db8::1]:1080', isTemplate: true }],
  })
  expect(wayOf(config, 'video')).toBeNull()
})

test('a variable of another program that looks like a way out is ignored, as long as no source names it', () => {
  const ofKubernetes = {
    PROXY_SERVICE_HOST: '10.0.0.1',
    PROXY_SERVICE_PORT: '3128',
    PROXY_PORT: 'tcp://10.0.0.1:3128',
    PROXY_PORT_3128_TCP: 'tcp://10.0.0.1:3128',
  }
  const config = readConfig({
    ...ofKubernetes,
    PROXY_URL: 'http://a.example',
    PROXY_HOME: `htp://u:${SECRET}@a.example`,
  })
  expect([...config.ways.keys()]).toEqual(['default'])
  expect(config.ignoredProxies).toEqual([...Object.keys(ofKubernetes), 'PROXY_HOME'])
  expect(mistake({ ...ofKubernetes, SOURCE_FORUM_PROXY: 'Port' })).toStartWith('PROXY_PORT must be a URL')
})

test('a replaced origin is reached directly', () => {
  const config = readConfig({ PROXY_URL: 'http://a.example', SOURCE_FORUM_ORIGIN: 'http://127.0.0.1:1' })
  expect(wayOf(config, 'forum')).toBeNull()
})

describe('the country of a source', () => {
  const env = { PROXY_URL: 'http://u-{country}-{session}:p@{country}.gw.example:1' }

  test('is filled in', () => {
    const config = readConfig({ ...env, SOURCE_FORUM_COUNTRY: 'us_NY' })
    expect(wayOf(config, 'forum')?.entries).toEqual([
      { url: 'http://u-us_NY-{session}:p@us_NY.gw.example:1', isTemplate: true },
    ])
  })

  test('alone makes no template: the way has one exit', () => {
    const config = readConfig({ PROXY_URL: 'http://u-{country}:p@gw.example:1', SOURCE_FORUM_COUNTRY: 'de' })
    expect(wayOf(config, 'forum')?.entries).toEqual([
      { url: 'http://u-de:p@gw.example:1', isTemplate: false },
    ])
  })

  test('is missed for each source that needs one', () => {
    const config = readConfig({ ...env, SOURCE_FORUM_COUNTRY: 'de', SOURCE_VIDEO_PROXY: 'direct' })
    const sources = ['forum', 'video', 'photo', 'realty_a'].map((name) => ({ name }))
    const wanted =
      'SOURCE_PHOTO_COUNTRY, SOURCE_REALTY_A_COUNTRY are required: the way out of these sources contains {country}.'
    expect(() => checkWays(config, sources)).toThrow(wanted)
    expect(() => wayOf(config, 'photo')).toThrow(ConfigError)
    checkWays(config, sources.slice(0, 2))
  })
})

test.each([
  ['10', { perSecond: 10 }],
  ['0.5', { perSecond: 0.5 }],
  ['10/4', { perSecond: 10, concurrent: 4 }],
] as const)('the pace of a source may be %s', (value, pace) => {
  expect(readConfig({ SOURCE_FORUM_PACE: value }).sourceWays.get('forum')?.pace).toEqual(pace)
})

test.each(['0', '-1', '10/0', '10/4/2', '/4', 'fast', '1001', '10 / 4'])(
  'the pace of a source may not be %s',
  (value) => {
    expect(mistake({ SOURCE_FORUM_PACE: value })).toStartWith(`SOURCE_FORUM_PACE is "${value}", but must be `)
  },
)

describe('a mistake', () => {
  const urls: readonly [string, string][] = [
    [`${SECRET}:${SECRET}`, 'must be a URL that begins with http://, https:// or socks5://'],
    [`ftp://u:${SECRET}@a.example`, 'must be a URL that begins with'],
    [`socks5h://u:${SECRET}@a.example`, 'socks5://: names are resolved by the proxy'],
    [`http://u:${SECRET}@a.example/path`, 'without a path'],
    [`http://u:${SECRET}@a.example?x=1`, 'without a path'],
    [`http://u:${SECRET}%@a.example`, 'a percent sign is written as %25'],
    [`http://u-{sid}:${SECRET}@a.example`, 'only {session} and {country} are filled in'],
    [`http://u:${SECRET}#1@a.example`, '# / ? @ in user and password as %23 %2F %3F %40'],
    [`http://u:1#${SECRET}@a.example`, '# / ? @ in user and password as %23 %2F %3F %40'],
    [`http://a.example,http://u:${SECRET}@b.example`, 'separated by spaces, not by commas'],
    [`socks5://u:${SECRET}@:1080`, 'must be a URL'],
  ]
  for (const setting of ['PROXY_URL', 'PROXY_HOME'])
    test.each(urls)(`in ${setting} is named without its value: %s`, (value, reason) => {
      const message = mistake({ [setting]: value, SOURCE_FORUM_PROXY: 'home' })
      expect(message).toStartWith(`${setting} must be `)
      expect(message).toContain(reason)
      expect(message).not.toContain(SECRET)
    })

  test('in a list is named by its place', () => {
    const list = (...urls: string[]) => mistake({ PROXY_URL: urls.join(' ') })
    expect(list('http://a.example', `not-${SECRET}`, `nor-${SECRET}`)).toStartWith(
      'URL 2 of PROXY_URL must be a URL that begins with http://',
    )
    expect(list('http://a.example', 'socks5://b.example', `http://u:p/${SECRET}@c.example`)).toMatch(
      /^URL 3 of PROXY_URL must be (?!.*hunter2)/,
    )
    expect(list('http://a.example,', 'http://b.example')).toStartWith('URL 1 of PROXY_URL must be')
  })

  test('is a name that means something else', () => {
    const url = `http://u:${SECRET}@a.example`
    expect(mistake({ PROXY_DEFAULT: url })).toBe(
      'PROXY_DEFAULT is no setting: the way out of all other sources is PROXY_URL.',
    )
    expect(mistake({ PROXY_DIRECT: url })).toBe(
      'PROXY_DIRECT is no setting: "direct" means that a source has no proxy. Choose another name.',
    )
  })

  test('is an unknown way out, and those that there are are listed', () => {
    const env = { PROXY_HOME: 'http://a.example', SOURCE_FORUM_PROXY: `http://u:${SECRET}@a.example` }
    const message = mistake(env)
    expect(message).toStartWith('SOURCE_FORUM_PROXY must be the name of a way out (home, direct)')
    expect(message).not.toContain(SECRET)
    expect(mistake({ PROXY_HOME: 'http://a.example', SOURCE_FORUM_PROXY: 'hme' })).toBe(
      'SOURCE_FORUM_PROXY is hme, but no way out has this name. There are: home, direct. PROXY_HME would make it.',
    )
    expect(mistake({ SOURCE_FORUM_PROXY: 'default' })).toBe(
      'SOURCE_FORUM_PROXY is default, but no way out has this name. There are: direct. PROXY_URL would make it.',
    )
  })

  test('is a country that no gateway could take', () => {
    expect(mistake({ SOURCE_FORUM_COUNTRY: 'de@x' })).toStartWith('SOURCE_FORUM_COUNTRY is "de@x"')
  })
})
