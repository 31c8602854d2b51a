/** The photo export with the real HTTP client and real files: large media, and a client that cancels. */
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from '../../../rigs/support/child.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { hasUnzip, run, unzipTests } from '../../plugin/zip/archive.ts'
import { exportOf } from './exporting.ts'
import { startSite } from './site.ts'

const MIB = 1024 * 1024
/** MiB of media, half of them in one video: more than memory may grow. With 2048 the test takes half a minute. */
const SIZE = Number(process.env.LARGE_MEDIA_MB ?? 256)
const folder = temporaryFolder()

const manifestOf = (file: string) =>
  JSON.parse(run('unzip', '-p', file, 'robin/manifest.json')?.out ?? 'null')

test('an export of large media grows memory by less than 100 MiB', async () => {
  const sizes = [MIB, (SIZE / 2) * MIB, (SIZE / 2 - 1) * MIB]
  const site = await startSite(sizes)
  const child = startChild(new URL('./large-export.ts', import.meta.url), [
    site.origin,
    join(folder, 'large'),
  ])
  const { value } = await child.lines.next()
  expect(await child.ended).toBe(0)
  site.close()
  const { end, file, grew } = JSON.parse(value)
  expect(end.status).toBe('succeeded')
  expect(JSON.parse(end.rest)).toMatchObject({
    posts_exported: 3,
    media_files: 3,
    media_failed: 0,
    complete: true,
  })
  expect(statSync(file).size).toBeGreaterThan(SIZE * MIB)
  expect(grew).toBeLessThan(100 * MIB)
  if (hasUnzip) expect(unzipTests(file)).toBe(true)
}, 240_000)

test.skipIf(!hasUnzip)(
  'a cancelled export leaves a valid archive of the media that it fetched',
  async () => {
    const site = await startSite([MIB, Number.POSITIVE_INFINITY, MIB])
    const stop = new AbortController()
    const { end, file } = await exportOf(site.origin, join(folder, 'cancelled'), stop.signal, (said) => {
      // The first video is complete, and the endless one is being read.
      const read = said.type === 'progress' ? / ([\d.]+) MB/.exec(said.message ?? '')?.[1] : undefined
      if (Number(read ?? 0) > 2) stop.abort()
    })
    site.close()
    expect(end).toEqual({ status: 'stopped' })
    expect(unzipTests(file!)).toBe(true)
    const { files, errors, ...manifest } = manifestOf(file!)
    expect(manifest).toMatchObject({
      stop_reason: 'cancelled',
      complete: false,
      posts_exported: 2,
      media_files: 1,
      media_failed: 1,
    })
    expect(files.map(({ path }: { path: string }) => path)).toContain(
      'robin/media/20200913_122640_video0.mp4',
    )
    expect(errors).toEqual([
      {
        post_id: '1001',
        file: 'robin/media/20200913_122639_video1.mp4',
        status: null,
        message: 'the run was stopped',
      },
    ])
    expect(statSync(file!).size).toBeLessThan(2 * MIB)
  },
  60_000,
)
