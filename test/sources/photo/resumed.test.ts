/** An export that a restart of the service interrupts continues with the files that it had fetched. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { openWorkFolder, Unfinished } from '../../../src/worker/process/work-folder.ts'
import { openStand, type Stand } from '../../worker/stand.ts'
import { answer, videoOf } from './site.ts'

const folder = temporaryFolder()
const MIB = 1024 * 1024
const VIDEOS = 4
let stand: Stand
let server: Server
/** number of requests, by video */
let requests: number[]
/** the video whose first request hangs */
const HANGS = 2

beforeEach(async () => {
  requests = Array.from({ length: VIDEOS }, () => 0)
  server = createServer((request, response) => {
    const index = videoOf(request)
    if (index < 0) {
      answer(request, response, VIDEOS)
      return
    }
    requests[index]!++
    response.setHeader('content-type', 'video/mp4')
    if (index === HANGS && requests[index] === 1) response.write(new Uint8Array(1000))
    else response.end(new Uint8Array(MIB).fill(index + 1))
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  stand = await openStand({ plugins: join(import.meta.dirname, '../../../plugins') })
})
afterEach(async () => {
  await stand.close()
  server.closeAllConnections()
  server.close()
})

test('an export does not fetch media again that it fetched before a restart', async () => {
  const origins = new Map([['photo', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]])
  const account = await stand.openAccount()
  const settings = { sourceOrigins: origins, runFilesLimitMb: 20 }
  const worker = await stand.startWorker(settings)
  const id = await stand.request(account, 'photo.profile-download', { profile: 'robin' })
  while (requests[HANGS] === 0) await new Promise((go) => setTimeout(go, 5))
  await worker.stop(Promise.resolve())
  expect(await stand.runOf(id)).toMatchObject({ status: 'queued' })
  await stand.startWorker(settings)
  const ended = await stand.ended(id)
  expect(ended).toMatchObject({
    run_status: 'succeeded',
    result: { posts_exported: VIDEOS, media_files: VIDEOS, media_failed: 0, complete: true },
  })
  expect(requests).toEqual([1, 1, 2, 1])
  expect(readdirSync(join(stand.folder, 'work', 'unfinished'))).toEqual([])
}, 60_000)

test('files written by a run of a killed service are kept for its next attempt', () => {
  const parent = join(folder, 'killed')
  // No process has this pid.
  const left = join(
    parent,
    `${hostname().replaceAll(/[^A-Za-z0-9]/g, '_')}-999999999-abc`,
    'child-x',
    'run_1',
  )
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, '1'), 'short')
  writeFileSync(join(left, '2'), 'the longest')
  const unfinished = new Unfinished(join(parent, 'unfinished'), (error) => {
    throw error
  })
  openWorkFolder(parent, (path) => unfinished.rescue(path))
  expect(existsSync(left)).toBe(false)
  expect(unfinished.give('run_2', join(folder, 'run_2'))).toBe(false)
  expect(unfinished.give('run_1', join(folder, 'run_1'))).toBe(true)
  expect(readdirSync(join(folder, 'run_1'))).toEqual(['unfinished'])
  expect(unfinished.give('run_1', join(folder, 'again'))).toBe(false)
})
