import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Names, safeName } from '../../../src/plugin/zip/names.ts'

describe('a name that is safe on every system', () => {
  test.each([
    ['robin/media/20220101_000000_Cd-_9.jpg', 'robin/media/20220101_000000_Cd-_9.jpg'],
    ['.hidden/a b.txt', '.hidden/a b.txt'],
    ['../../x', '__/__/x'],
    ['/etc/passwd', 'etc/passwd'],
    ['C:\\Windows\\x.dll', 'C_/Windows/x.dll'],
    ['a//b/./c', 'a/b/_/c'],
    ['CON', '_CON'],
    ['con/nul.txt', '_con/_nul.txt'],
    ['Com1.tar.gz', '_Com1.tar.gz'],
    ['aux .txt', '_aux .txt'],
    ['lpt²', '_lpt²'],
    ['console.txt', 'console.txt'],
    ['dots...', 'dots___'],
    ['blank ', 'blank_'],
    ['a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h'],
    ['a\u0000b\nc\u202ed', 'a_b_c_d'],
    ['\ud800x', '_x'],
    ['e\u0301', '\u00e9'],
    ['', '_'],
    ['/', '_'],
  ])('%j', (name, safe) => {
    expect(safeName(name)).toBe(safe)
  })

  test('of 300 characters is cut before its ending', () => {
    expect(safeName(`${'x'.repeat(300)}.jpg`)).toBe(`${'x'.repeat(196)}.jpg`)
    expect(safeName('\u{1f41f}'.repeat(300))).toBe('\u{1f41f}'.repeat(50))
    expect(safeName(`${'x'.repeat(195)} ${'y'.repeat(100)}`)).toBe(`${'x'.repeat(195)} yyyy`)
    expect(safeName(`${'x'.repeat(199)}. ${'y'.repeat(100)}`)).toBe(`${'x'.repeat(199)}_`)
  })

  test('has no unsafe part and is unchanged by a second pass, whatever the input', () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      'CON',
      'a',
      ' ',
      '\u0000',
      'é',
      '\ud800',
      'x'.repeat(150),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
        const safe = safeName(pieces.join(''))
        expect(safeName(safe)).toBe(safe)
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(1000)
        for (const part of safe.split('/')) {
          expect(part).not.toMatch(/^$|[. ]$|[\u0000-\u001f\\:]|^con$/i)
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(201)
        }
      }),
    )
  })
})

test('each name is unique, even on a case-insensitive file system', () => {
  const names = new Names()
  const take = (name: string) => {
    const free = names.free(name)
    names.take(free)
    return free
  }
  expect(['a/x.jpg', 'a/X.JPG', 'a/x.jpg', 'b/x.jpg', 'a/x_2.jpg', 'a/x.jpg'].map(take)).toEqual([
    'a/x.jpg',
    'a/X_2.JPG',
    'a/x_3.jpg',
    'b/x.jpg',
    'a/x_2_2.jpg',
    'a/x_4.jpg',
  ])
})

test('a name that was not taken stays free', () => {
  const names = new Names()
  expect([names.free('x'), names.free('x')]).toEqual(['x', 'x'])
})

test('ten thousand files of one name are numbered in turn', () => {
  const names = new Names()
  for (let i = 0; i < 10_000; i++) names.take(names.free('x.jpg'))
  expect(names.free('x.jpg')).toBe('x_10001.jpg')
})
