import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { profileDownload } from './profile-download.ts'
import { usernameOf } from './profile-name.ts'
import source from './source.ts'

describe('a profile is recognized', () => {
  test.each([
    ['robin.sees', 'robin.sees'],
    ['@Robin_Sees9', 'robin_sees9'],
    ['a', 'a'],
    ['x'.repeat(30), 'x'.repeat(30)],
    ['https://www.instagram.com/Robin/', 'robin'],
    ['http://instagram.com/robin', 'robin'],
    ['instagram.com/robin/', 'robin'],
    ['www.instagram.com/robin?hl=en#top', 'robin'],
    ['https://www.instagram.com/robin/reels/?hl=de', 'robin'],
    ['https://www.instagram.com/robin/tagged/', 'robin'],
    ['HTTPS://WWW.INSTAGRAM.COM/robin', 'robin'],
  ])('%s', (profile, username) => {
    expect(usernameOf(profile)).toBe(username)
  })
})

/** The issues for which a run is rejected before anything is charged. */
const issuesOf = async (input: Record<string, unknown>) => {
  const { issues, requests } = await runTask(profileDownload, input, { source, exchanges: [] })
  expect(requests).toEqual([])
  return issues.map(({ pointer, code }) => `${pointer} ${code}`)
}

describe('a URL on another host is refused', () => {
  test.each([
    'https://www.example.org/robin',
    'https://instagram.com.evil.example/robin',
    'https://evilinstagram.com/robin',
    'https://www.instagram.com.evil.example/robin',
    'https://api.instagram.com/robin',
    'https://www.instаgram.com/robin', // a Cyrillic а
    'https://www.instagram.com@evil.example/robin',
    'https://evil.example@www.instagram.com/robin',
    'https://user:pass@www.instagram.com/robin',
    'https://www.instagram.com:444/robin',
    'https://www.instagram.com./robin',
    'https://www.instagram.com\\@evil.example/robin',
    'https://127.0.0.1/robin',
    'https://2130706433/robin',
    'https://0x7f.1/robin',
    'https://0177.0.0.1/robin',
    'https://[::1]/robin',
    'https://[::ffff:127.0.0.1]/robin',
    'https://localhost/robin',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://www.instagram.com/robin',
    '//www.instagram.com/robin',
    'evil.example/robin',
  ])('%s', async (profile) => {
    expect(await issuesOf({ profile })).toEqual(['/profile foreign-url'])
  })
})

describe('a text that names no profile is refused', () => {
  test.each([
    '@',
    '...',
    'two words',
    'robin!',
    'x'.repeat(31),
    '@@robin',
    'röbin',
    'instagram.com',
    'instagram.com.evil.example',
    'evilinstagram.com',
    'https://www.instagram.com/',
    'https://www.instagram.com',
    'https://www.instagram.com/p/CdgUcJGFxkp/',
    'https://www.instagram.com/robin/p/CdgUcJGFxkp/',
    'https://www.instagram.com/robin/followers/',
    'https://www.instagram.com/rob%69n/',
    ...['p', 'reel', 'reels', 'stories', 'explore', 'accounts', 'tv', 'direct'].flatMap((name) => [
      name,
      `@${name.toUpperCase()}`,
      `https://www.instagram.com/${name}/robin/`,
      `https://www.instagram.com/${name}/`,
    ]),
  ])('%s', async (profile) => {
    expect(await issuesOf({ profile })).toEqual(['/profile bad-format'])
  })
})

describe('an invalid input is refused', () => {
  test.each([
    [{}, '/profile missing-field'],
    [{ profile: '' }, '/profile too-short'],
    [{ profile: 7 }, '/profile wrong-type'],
    [{ profile: 'robin', maxPosts: 0 }, '/maxPosts out-of-range'],
    [{ profile: 'robin', maxPosts: 1_000_001 }, '/maxPosts out-of-range'],
    [{ profile: 'robin', maxPosts: 1.5 }, '/maxPosts wrong-type'],
    [{ profile: 'robin', maxPosts: '12' }, '/maxPosts wrong-type'],
    [{ profile: 'robin', max_posts: 12 }, '/max_posts unknown-field'],
  ])('%j', async (input, issue) => {
    expect(await issuesOf(input)).toEqual([issue])
  })
})
