/**
 * A capture in the console of a house.
 *
 * @module
 */
import { OPERATORS, type RunId, sourceStream } from '../../../../src/domain/ids.ts'
import { sourceDecider } from '../../../../src/domain/source-health.ts'
import { pack } from '../../../../src/health/captures/pack.ts'
import { execute } from '../../../../src/log/execute.ts'
import type { Cassette } from '../../../../src/plugin/testing/cassette.ts'
import type { House } from '../../house.ts'

/** The page of the source that captures are of. */
export const SOURCE = '/console/operator/sources/sample'

export const CASSETTE: Cassette = {
  task: 'sample.search',
  input: { query: 'otter' },
  exchanges: [
    {
      request: 'GET /search?q=otter',
      status: 403,
      headers: { 'content-type': 'text/html' },
      body: '<b>gone</b>',
    },
    { request: 'POST /api', sent: { page: 1 }, json: { text: 'x'.repeat(300_000) } },
    { request: 'GET /image', base64: 'AAECAw==' },
  ],
}

/** Stores a capture of a run of `sample.search`. @returns the path of its page */
export async function captureOf(house: House, run: RunId, code: string | null): Promise<string> {
  const { log, artifacts, now } = house.service.deps
  const put = artifacts.put(run, 'capture', await pack(CASSETTE), now() + 86_400_000)
  await put.done
  const stored = { task_key: 'sample.search', run_id: run, account_id: house.accountId, code, ref: put.ref }
  await execute(
    log,
    sourceStream('sample'),
    sourceDecider,
    { type: 'capture', capture: { ...stored, bytes: put.bytes, exchanges: 3 } },
    { accountId: OPERATORS, correlationId: 'test', causationId: 'test', now: now() },
  )
  await house.service.shown()
  return `${SOURCE}/captures/cap_${run.slice('run_'.length)}`
}
