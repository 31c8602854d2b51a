/** Archives of the kit, read by other programs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync, unzipSync } from 'fflate'
import { endRecords } from '../../../src/plugin/zip/records.ts'
import { createZip, type Zip } from '../../../src/plugin.ts'
import { fileWriter, hasPython, hasUnzip, pythonLists, pythonTests, run, unzipTests } from './archive.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-zip-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
async function archive(fill: (zip: Zip) => Promise<unknown>): Promise<string> {
  const path = join(folder, `${++count}.zip`)
  const zip = createZip(fileWriter(path))
  await fill(zip)
  await zip.close()
  return path
}
const read = (path: string) => unzipSync(readFileSync(path))
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
const at = new Date('2021-07-09T15:16:17Z')

async function* chunks(...all: (Uint8Array | string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const one of all) {
    if (one instanceof Error) throw one
    yield typeof one === 'string' ? new TextEncoder().encode(one) : one
  }
}

describe('an archive', () => {
  const long = 'a lamp '.repeat(20_000)
  const random = crypto.getRandomValues(new Uint8Array(50_000))
  const fill = async (zip: Zip) => {
    await zip.add('ä/ü 日本.txt', 'Grüße', { at })
    await zip.add('long.txt', long, { at })
    await zip.add('random.bin', random, { at })
    await zip.add('stored.txt', long, { at, store: true })
    await zip.add('stream.txt', chunks(long, '', 'end'), { at })
    await zip.add('stream.jpg', chunks(random, random), { at, store: true })
    await zip.add('empty', '', { at })
    await zip.add('empty stream', chunks(), { at })
  }

  test('yields every added file with its content', async () => {
    const path = await archive(fill)
    const files = read(path)
    expect(Object.keys(files).sort()).toEqual(
      [
        'empty',
        'empty stream',
        'long.txt',
        'random.bin',
        'stored.txt',
        'stream.jpg',
        'stream.txt',
        'ä/ü 日本.txt',
      ].sort(),
    )
    expect(text(files['ä/ü 日本.txt'])).toBe('Grüße')
    expect(text(files['long.txt'])).toBe(long)
    expect(text(files['stream.txt'])).toBe(`${long}end`)
    expect(files['random.bin']).toEqual(random)
    expect(files['stream.jpg']).toEqual(new Uint8Array([...random, ...random]))
  })

  test('returns the name, the size and the SHA-256 of each added file', async () => {
    await archive(async (zip) => {
      const sha256 = createHash('sha256').update('a lamp').digest('hex')
      expect(await zip.add('x.txt', 'a lamp')).toEqual({ name: 'x.txt', bytes: 6, sha256 })
      expect(await zip.add('X.txt', chunks('a ', 'lamp'))).toEqual({ name: 'X_2.txt', bytes: 6, sha256 })
    })
  })

  test.skipIf(!hasUnzip)('passes unzip -t', async () => {
    expect(unzipTests(await archive(fill))).toBe(true)
    expect(unzipTests(await archive(async () => undefined))).toBe(false) // unzip warns of an empty archive.
  })

  test.skipIf(!hasPython)(
    'passes Python’s zipfile, which lists sizes, methods, UTC times and permissions',
    async () => {
      const path = await archive(fill)
      expect(pythonTests(path)).toBe(true)
      const time = [2021, 7, 9, 15, 16, 16]
      const entries = Object.fromEntries(pythonLists(path).map(([name, ...rest]) => [name, rest]))
      expect(entries['stored.txt']).toEqual([140_000, 140_000, 0, time, '0o100644'])
      expect(entries['stream.jpg']).toEqual([100_000, 100_000, 0, time, '0o100644'])
      expect(entries.empty).toEqual([0, expect.any(Number), 8, time, '0o100644'])
      expect(entries['long.txt']).toEqual([140_000, expect.any(Number), 8, time, '0o100644'])
      expect(entries['stream.txt']).toEqual([140_003, expect.any(Number), 8, time, '0o100644'])
      expect(entries['long.txt']?.[1] as number).toBeLessThan(2000)
    },
  )

  test.skipIf(!hasPython)('clamps times to the range of the format', async () => {
    const times = [
      '1969-12-31T23:59:59Z',
      '1980-01-01T00:00:00Z',
      '2107-12-31T23:59:58Z',
      '2200-01-01T00:00:00Z',
    ]
    const path = await archive(async (zip) => {
      for (const time of times) await zip.add(time, 'x', { at: new Date(time) })
      await zip.add('none', 'x', { at: new Date(Number.NaN) })
    })
    const first = [1980, 1, 1, 0, 0, 0]
    const last = [2107, 12, 31, 23, 59, 58]
    expect(pythonLists(path).map((file) => file[4])).toEqual([first, first, last, last, first])
  })

  test('may have no files', async () => {
    expect(read(await archive(async () => undefined))).toEqual({})
  })

  test('has the sizes in its local headers too, so it can be read as a stream', async () => {
    const bytes = readFileSync(await archive((zip) => zip.add('a', chunks(long))))
    const packedSize = bytes.readUInt32LE(18)
    const start = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28)
    expect(bytes.readUInt32LE(22)).toBe(long.length)
    expect(text(inflateSync(bytes.subarray(start, start + packedSize)))).toBe(long)
  })
})

describe('a content that fails', () => {
  test('leaves the archive as if its file had never been added', async () => {
    const failure = new Error('the connection broke')
    const path = await archive(async (zip) => {
      await zip.add('first.jpg', chunks('one'))
      for (const store of [true, false])
        expect(await zip.add('x.jpg', chunks('t'.repeat(100_000), failure), { store }).catch((e) => e)).toBe(
          failure,
        )
      expect((await zip.add('x.jpg', chunks('two'))).name).toBe('x.jpg')
    })
    const files = read(path)
    expect(Object.entries(files).map(([name, bytes]) => [name, text(bytes)])).toEqual([
      ['first.jpg', 'one'],
      ['x.jpg', 'two'],
    ])
    if (hasUnzip) expect(unzipTests(path)).toBe(true)
    expect(statSync(path).size).toBeLessThan(500)
  })

  test('is closed when the archive cannot be written any more', async () => {
    let stopped = false
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(10)
      } finally {
        stopped = true
      }
    }
    let writes = 0
    const zip = createZip({
      async write() {
        if (++writes > 3) throw new Error('the disk is full')
      },
      patch: async () => undefined,
      truncate: async () => undefined,
      close: async () => undefined,
    })
    expect(await zip.add('x', endless(), { store: true }).catch((error) => error.message)).toBe(
      'the disk is full',
    )
    expect(stopped).toBe(true)
  })
})

test('adding two files concurrently, or one after the end, is refused', async () => {
  const zip = createZip(fileWriter(join(folder, 'twice.zip')))
  const first = zip.add('a', chunks('a'))
  await expect(zip.add('b', 'b')).rejects.toThrow('one at a time')
  await expect(zip.close()).rejects.toThrow('wait until the file is added')
  await first
  await zip.close()
  await expect(zip.add('c', 'c')).rejects.toThrow('one at a time')
})

describe('ZIP64', () => {
  test('begins exactly at 65,535 files and at 4 GiB - 1', () => {
    const isZip64 = (...of: Parameters<typeof endRecords>) => endRecords(...of).length > 22
    expect([65_534, 65_535, 65_536].map((count) => isZip64(count, 0, 0))).toEqual([false, true, true])
    expect([2 ** 32 - 2, 2 ** 32 - 1].map((size) => isZip64(1, size, 0))).toEqual([false, true])
    expect([2 ** 32 - 2, 2 ** 32 - 1].map((offset) => isZip64(1, 0, offset))).toEqual([false, true])
  })

  test('an archive holds 66,000 files', async () => {
    const count = 66_000
    const path = await archive(async (zip) => {
      for (let i = 0; i < count; i++) await zip.add(`files/${i}.txt`, `${i}`, { at, store: true })
    })
    expect(
      readFileSync(path)
        .subarray(-22 - 20)
        .readUInt32LE(0),
    ).toBe(0x07064b50)
    if (hasUnzip) expect(unzipTests(path)).toBe(true)
    if (hasPython) {
      const names = pythonLists(path).map(([name]) => name)
      expect([names.length, names.at(-1)]).toEqual([count, `files/${count - 1}.txt`])
    }
    rmSync(path)
  }, 240_000)

  // The other programs read the listing and the small files. Checking the large file would take them half a minute.
  test('an archive holds a file over 4 GiB, and files after it', async () => {
    const size = 2 ** 32 + 5
    const zeros = new Uint8Array(1 << 20)
    async function* large() {
      for (let remaining = size; remaining > 0; remaining -= zeros.length)
        yield zeros.subarray(0, Math.min(remaining, zeros.length))
    }
    const path = await archive(async (zip) => {
      await zip.add('before.txt', 'before', { at, store: true })
      expect((await zip.add('large.mp4', large(), { at, store: true })).bytes).toBe(size)
      await zip.add('behind.txt', 'behind', { at })
      await zip.add('stream.txt', chunks('stream'), { at })
    })
    expect(statSync(path).size).toBeGreaterThan(size)
    expect(localSizes(path, 30 + 'before.txt'.length + 20 + 'before'.length)).toEqual([size, size])
    if (hasPython) expect(pythonLists(path).map(([, bytes]) => bytes)).toEqual([6, size, 6, 6])
    if (hasUnzip) {
      expect(run('unzip', '-tqq', path, 'before.txt', 'behind.txt', 'stream.txt')?.code).toBe(0)
      expect(run('unzip', '-p', path, 'behind.txt')?.out).toBe('behind')
    }
    rmSync(path)
  }, 240_000)
})

/** The two sizes in the ZIP64 field of the local header at an offset. */
function localSizes(path: string, offset: number): number[] {
  const file = openSync(path, 'r')
  const header = Buffer.alloc(30 + 'large.mp4'.length + 20)
  readSync(file, header, 0, header.length, offset)
  closeSync(file)
  const field = header.subarray(-20)
  expect([header.readUInt32LE(18), header.readUInt32LE(22), field.readUInt16LE(0)]).toEqual([
    0xffffffff, 0xffffffff, 1,
  ])
  return [Number(field.readBigUInt64LE(4)), Number(field.readBigUInt64LE(12))]
}
